#include "headgate/compress/encoder.hpp"

#include "coders.hpp"

namespace headgate::compress {

std::string_view to_text(Coding coding) noexcept { return kCodingWords[static_cast<std::size_t>(coding)]; }

std::unique_ptr<Encoder> make_encoder(Coding coding, unsigned level, std::optional<std::uint64_t> size) {
  return coding == Coding::br ? make_brotli(level, size) : make_gzip(level, size);
}

}  // namespace headgate::compress
