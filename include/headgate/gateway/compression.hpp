#pragma once
// The compression of a route's answers: which of them are compressed, and how. config fills the options.

#include "headgate/compress/encoder.hpp"

#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::gateway {

/// The media types that are compressed if a route names none: the text types, and other types whose content is text.
/// The list has no formats that are compressed already (images, videos, archives, fonts in WOFF).
inline constexpr std::string_view kCompressedTypes[] = {
    "text/*",          "application/json",  "application/*+json", "application/x-ndjson", "application/javascript",
    "application/xml", "application/*+xml", "application/wasm",   "image/svg+xml",        "font/ttf",
    "font/otf"};

/// The size, in bytes, of the largest answer of the gateway itself that is compressed. The limit is needed because such
/// an answer is encoded in one turn of the loop.
inline constexpr std::uint64_t kMaxOwnCompressed = 64UL * 1024;

/// The compression of one route. Immutable; any thread.
struct Compression {
  /// The codings, each at most once, in the order of preference among those that a client accepts equally.
  std::vector<compress::Coding> codings{compress::Coding::br, compress::Coding::gzip};
  /// Lower case, without parameters; one "*" in each stands for any text ("text/*", "application/*+json").
  std::vector<std::string> types{std::begin(kCompressedTypes), std::end(kCompressedTypes)};
  std::uint64_t min_bytes =
      1024;            ///< the smallest answer that is compressed, in bytes; an answer of unknown size counts as larger
  unsigned level = 4;  ///< level of compression, from compress::kMinLevel to compress::kMaxLevel
  bool operator==(const Compression&) const = default;
};
using CompressionPtr = std::shared_ptr<const Compression>;

/// Returns whether one of the types matches `content_type`, the value of a Content-Type field.
bool takes_type(const Compression& compression, std::string_view content_type) noexcept;

/// Returns the codings as a configuration would write them: "br, gzip".
std::string codings_in_words(const Compression& compression);

}  // namespace headgate::gateway
