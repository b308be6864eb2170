#pragma once
// Which answers of a route are compressed, and how. config fills it.

#include "headgate/compress/encoder.hpp"

#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::gateway {

/// The media types that are compressed where a route names none: texts, and what is text under another name. What is
/// compressed in itself (images, videos, archives, fonts in WOFF) is not among them.
inline constexpr std::string_view kCompressedTypes[] = {
    "text/*",          "application/json",  "application/*+json", "application/x-ndjson", "application/javascript",
    "application/xml", "application/*+xml", "application/wasm",   "image/svg+xml",        "font/ttf",
    "font/otf"};

/// The largest answer of the gateway's own that is compressed, in bytes: it is encoded in one turn of the loop.
inline constexpr std::uint64_t kMaxOwnCompressed = 64UL * 1024;

/// Of one route. Immutable; any thread.
struct Compression {
  /// Each at most once; of those that a client takes equally gladly the first one is used.
  std::vector<compress::Coding> codings{compress::Coding::br, compress::Coding::gzip};
  /// Lower case, without parameters; one "*" in each stands for any text ("text/*", "application/*+json").
  std::vector<std::string> types{std::begin(kCompressedTypes), std::end(kCompressedTypes)};
  std::uint64_t min_bytes =
      1024;            ///< smaller answers are sent as they are; one whose size is not known counts as larger
  unsigned level = 4;  ///< from compress::kMinLevel to compress::kMaxLevel
  bool operator==(const Compression&) const = default;
};
using CompressionPtr = std::shared_ptr<const Compression>;

/// Whether one of the types is that of `content_type`, the value of a Content-Type field.
bool takes_type(const Compression& compression, std::string_view content_type) noexcept;

/// As a user would write the codings: "br, gzip".
std::string codings_in_words(const Compression& compression);

}  // namespace headgate::gateway
