// The gzip encoder, with zlib.

#include "coders.hpp"
#include "made_memory.hpp"

#include <zlib.h>

#include <algorithm>

namespace headgate::compress {
namespace {

constexpr unsigned kMaxDeflate = 15;
constexpr unsigned kMinDeflate = 9;  // zlib handles a window of 8 bits incorrectly
constexpr int kMaxHash = 8;
constexpr int kMinHash = 1;
constexpr unsigned kFramed = 16;  // added to the window bits to select gzip's frame
// zlib reads this many bytes ahead, so a window holds this many bytes less than its size.
constexpr std::uint64_t kDeflateAhead = 262;

/// The memory parameters for a stream of this size: a window that holds it, and a hash table that matches the window.
struct DeflateRoom {
  unsigned window = kMaxDeflate;
  int hash = kMaxHash;
};
DeflateRoom room_for(std::optional<std::uint64_t> size) noexcept {
  DeflateRoom out;
  if (!size) return out;
  const auto holds = [&size](unsigned window) { return *size + kDeflateAhead <= (std::uint64_t{1} << window); };
  while (out.window > kMinDeflate && holds(out.window - 1)) {
    --out.window;
    out.hash = std::max(out.hash - 1, kMinHash);
  }
  return out;
}

class Gzip final : public Encoder {
 public:
  ~Gzip() override {
    if (ready_) deflateEnd(&stream_);
  }

  bool begin(unsigned level, std::optional<std::uint64_t> size) noexcept {
    stream_.opaque = &memory_;
    stream_.zalloc = [](voidpf made, uInt items, uInt each) -> voidpf {
      return static_cast<MadeMemory*>(made)->make(std::size_t{items} * each);
    };
    stream_.zfree = [](voidpf made, voidpf memory) { static_cast<MadeMemory*>(made)->free(memory); };
    const auto room = room_for(size);
    ready_ = deflateInit2(&stream_, static_cast<int>(level), Z_DEFLATED, static_cast<int>(room.window + kFramed),
                          room.hash, Z_DEFAULT_STRATEGY) == Z_OK;
    return ready_;
  }

  Progress encode(std::string_view& in, std::span<char>& out, Upto upto) noexcept override {
    // The counts fit in the unsigned ints of zlib, because pieces are far smaller.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    stream_.avail_in = static_cast<uInt>(in.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out.size());
    const int how = upto == Upto::whatever ? Z_NO_FLUSH : upto == Upto::here ? Z_SYNC_FLUSH : Z_FINISH;
    const int said = deflate(&stream_, how);
    in.remove_prefix(in.size() - stream_.avail_in);
    out = out.last(stream_.avail_out);
    if (said == Z_STREAM_END) return Progress::done;
    if (said != Z_OK && said != Z_BUF_ERROR) return Progress::failed;  // Z_BUF_ERROR means that there was nothing to do
    if (upto == Upto::end) return Progress::more;
    return stream_.avail_out > 0 ? Progress::done : Progress::more;
  }

  std::size_t memory() const noexcept override { return memory_.bytes(); }

 private:
  MadeMemory memory_;
  z_stream stream_{};
  bool ready_ = false;
};

}  // namespace

std::unique_ptr<Encoder> make_gzip(unsigned level, std::optional<std::uint64_t> size) {
  auto out = std::make_unique<Gzip>();
  if (!out->begin(level, size)) return nullptr;
  return out;
}

}  // namespace headgate::compress
