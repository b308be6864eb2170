// The Brotli encoder, with the library of its authors.

#include "coders.hpp"
#include "made_memory.hpp"

#include <brotli/encode.h>

#include <algorithm>
#include <cstdint>

namespace headgate::compress {
namespace {

// A window of 64 KiB. A window of 256 KiB makes pages smaller by less than 1 %, and needs up to 30 MB at the highest
// levels.
constexpr std::uint32_t kMaxBrotli = 16;
constexpr std::uint32_t kMinBrotli = BROTLI_MIN_WINDOW_BITS;
constexpr std::uint64_t kBrotliAhead = 16;  // a window of n bits can hold 2^n minus this many bytes

std::uint32_t window_for(std::optional<std::uint64_t> size) noexcept {
  auto out = kMaxBrotli;
  while (size && out > kMinBrotli && *size + kBrotliAhead <= (std::uint64_t{1} << (out - 1))) --out;
  return out;
}

class Brotli final : public Encoder {
 public:
  ~Brotli() override {
    if (state_ != nullptr) BrotliEncoderDestroyInstance(state_);
  }

  bool begin(unsigned level, std::optional<std::uint64_t> size) noexcept {
    state_ = BrotliEncoderCreateInstance(
        [](void* made, std::size_t bytes) { return static_cast<MadeMemory*>(made)->make(bytes); },
        [](void* made, void* memory) { static_cast<MadeMemory*>(made)->free(memory); }, &memory_);
    if (state_ == nullptr) return false;
    // with a hint of 1 MiB or more, the encoder uses search tables of 5 MB at level 4
    constexpr std::uint64_t kMaxHint = 1UL << 19;
    BrotliEncoderSetParameter(state_, BROTLI_PARAM_QUALITY, level);
    BrotliEncoderSetParameter(state_, BROTLI_PARAM_LGWIN, window_for(size));
    if (size)
      BrotliEncoderSetParameter(state_, BROTLI_PARAM_SIZE_HINT, static_cast<std::uint32_t>(std::min(*size, kMaxHint)));
    return true;
  }

  Progress encode(std::string_view& in, std::span<char>& out, Upto upto) noexcept override {
    const auto how = upto == Upto::whatever ? BROTLI_OPERATION_PROCESS
                     : upto == Upto::here   ? BROTLI_OPERATION_FLUSH
                                            : BROTLI_OPERATION_FINISH;
    auto in_left = in.size();
    auto out_left = out.size();
    const auto* next_in = reinterpret_cast<const std::uint8_t*>(in.data());
    auto* next_out = reinterpret_cast<std::uint8_t*>(out.data());
    const bool good = BrotliEncoderCompressStream(state_, how, &in_left, &next_in, &out_left, &next_out, nullptr) != 0;
    in.remove_prefix(in.size() - in_left);
    out = out.last(out_left);
    if (!good) return Progress::failed;
    if (in_left > 0 || BrotliEncoderHasMoreOutput(state_) != 0) return Progress::more;
    return upto == Upto::end && BrotliEncoderIsFinished(state_) == 0 ? Progress::more : Progress::done;
  }

  std::size_t memory() const noexcept override { return memory_.bytes(); }

 private:
  MadeMemory memory_;
  BrotliEncoderState* state_ = nullptr;
};

}  // namespace

std::unique_ptr<Encoder> make_brotli(unsigned level, std::optional<std::uint64_t> size) {
  auto out = std::make_unique<Brotli>();
  if (!out->begin(level, size)) return nullptr;
  return out;
}

}  // namespace headgate::compress
