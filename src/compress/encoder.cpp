#include "headgate/compress/encoder.hpp"

#include "coders.hpp"

#include "headgate/compress/memory.hpp"

#include <algorithm>
#include <iterator>

namespace headgate::compress {

std::string_view to_text(Coding coding) noexcept { return kCodingWords[coding]; }

std::unique_ptr<Encoder> make_encoder(Coding coding, unsigned level, std::optional<std::uint64_t> size) {
  return coding == Coding::br ? make_brotli(level, size) : make_gzip(level, size);
}

std::size_t most_memory(Coding coding, unsigned level) noexcept {
  // The sizes below were measured by the tests, and include some reserve. Brotli's memory is mostly its search tables.
  constexpr std::size_t kKiB = 1024;
  constexpr std::size_t kGzip = 272 * kKiB;
  constexpr std::size_t kBrotli[] = {256 * kKiB,  1024 * kKiB, 1024 * kKiB, 2048 * kKiB, 2048 * kKiB,
                                     2048 * kKiB, 2048 * kKiB, 2048 * kKiB, 2816 * kKiB};
  static_assert(std::size(kBrotli) == kMaxLevel);
  return coding == Coding::gzip ? kGzip : kBrotli[std::clamp(level, kMinLevel, kMaxLevel) - kMinLevel];
}

}  // namespace headgate::compress
