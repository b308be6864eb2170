// Compression of a route's answers.

#include "config/build.hpp"
#include "config/once.hpp"
#include "config/table.hpp"
#include "config/table_shapes.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"

#include "headgate/core/text.hpp"
#include "headgate/gateway/compression.hpp"
#include "headgate/http/fields.hpp"

#include <algorithm>

namespace headgate::config {
namespace {

std::optional<LiteralError> check_compressed_type(std::string_view text) {
  const auto slash = text.find('/');
  const auto stars = std::count(text.begin(), text.end(), '*');
  if (slash != text.npos && stars <= 1 && http::is_token(text.substr(0, slash)) &&
      http::is_token(text.substr(slash + 1)))
    return std::nullopt;
  const bool parameters = text.find(';') != text.npos;
  return LiteralError{"this is not a media type",
                      parameters ? R"(write it without what follows ";": it counts with any parameters)"
                                 : R"(write "text/html", or one "*" for any text: "text/*", "application/*+json")"};
}

constexpr Shape kCoding = choice(compress::kCodingWords);
constexpr Shape kCodingList = list("a list of codings", kCoding, 1, kCountOf<compress::Coding>);
constexpr Shape kCompressedType = text("a media type", check_compressed_type);
constexpr Shape kCompressedTypeList = list("a list of media types", kCompressedType, 1, 100);
constexpr Shape kMinCompressed = size(0, 1UL << 30);
constexpr Shape kCompressLevel = integer(compress::kMinLevel, compress::kMaxLevel);
constexpr Key kCompressKeys[] = {
    {"encodings", &kCodingList, R"(["br", "gzip"])", R"(["gzip"])",
     "Codings; the first one here wins among those that a client likes equally"},
    {"types", &kCompressedTypeList, "", R"(["text/*", "application/json"])",
     "Media types to compress; one `*` stands for any text. Default: `text/*`, JSON, XML, JavaScript, SVG, WebAssembly "
     "and uncompressed fonts",
     into<&gateway::Compression::types>},
    {"min_size", &kMinCompressed, kOfOptions, R"("256B")",
     "Smallest answer to compress; answers of unknown size count as larger", into<&gateway::Compression::min_bytes>},
    {"level", &kCompressLevel, kOfOptions, "6", "1 (fastest) to 9 (smallest): the gzip level and Brotli quality",
     into<&gateway::Compression::level>},
};
constexpr Section kCompressSection{
    "compress", "all_routes.compress",
    "Compression of answers: `true`, `false` or an object; see [compression.md](compression.md).", kCompressKeys};
constexpr Shape kCompressObject = section(kCompressSection);
constexpr const Shape* kCompressForms[] = {&kBoolean, &kCompressObject};

}  // namespace

constexpr Shape kCompressShape = either("true, false or an object", kCompressForms);

namespace {

using gateway::Compression;

/// Media types whose content is already compressed.
constexpr std::string_view kPacked[] = {"image/png",        "image/jpeg",       "image/gif",         "image/webp",
                                        "image/avif",       "font/woff",        "font/woff2",        "application/zip",
                                        "application/gzip", "application/zstd", "application/x-gzip"};
constexpr std::string_view kPackedFamilies[] = {"image/*", "video/", "audio/"};

void check_compressed_types(Build& build, const Node* written) {
  std::vector<std::string> seen;
  for (const Node* each : texts(written)) {
    const auto type = lower(each->text);
    add_once(build.report, *each, type, seen);
    const auto is = [&type](std::string_view packed) { return type == packed; };
    const auto below = [&type](std::string_view family) { return type.starts_with(family); };
    if (std::ranges::any_of(kPacked, is) || std::ranges::any_of(kPackedFamilies, below))
      build.report.warning(
          code::kNoEffect, *each,
          "what has this type is usually compressed in itself: to do it again costs time and saves "
          "nothing",
          type == "image/*" ? R"(name those that are not: "image/svg+xml", "image/bmp")" : "leave it out");
    else if (type.starts_with("application/grpc"))
      build.report.warning(code::kNoEffect, *each,
                           "gRPC compresses its messages itself, so its answers are never compressed here",
                           "leave it out");
  }
}

gateway::CompressionPtr compression_of(Build& build, const Node& section) {
  Compression out;
  fill(&section, kCompressSection, out);
  for (auto& type : out.types) type = lower(type);
  check_compressed_types(build, find(&section, "types"));
  if (const Node* written = find(&section, "encodings")) {
    out.codings.clear();
    for (const auto& word : texts_once(build.report, written)) {
      const auto* const at = std::ranges::find(compress::kCodingWords, word);
      if (at != std::end(compress::kCodingWords))
        out.codings.push_back(static_cast<compress::Coding>(at - std::begin(compress::kCodingWords)));
    }
  }
  return std::make_shared<const Compression>(std::move(out));
}

void check_own_answer(Build& build, const Node& route, const gateway::RouteOptions& out) {
  if (!out.respond || !out.compression) return;
  const auto size = out.respond->body.size();
  const auto least = std::max<std::uint64_t>(out.compression->min_bytes, 1);
  if (size >= least && size <= gateway::kMaxOwnCompressed) return;
  const auto has = "the answer of this route has " + std::to_string(size) + " bytes, and only answers of ";
  build.report.warning_at_key(
      code::kNoEffect, *find(&route, "compress"),
      size == 0      ? "the answer of this route has no body to compress"
      : size < least ? has + std::to_string(least) + " or more are compressed"
                     : has + std::to_string(gateway::kMaxOwnCompressed) + " or fewer are compressed by the gateway",
      "leave it out");
}

}  // namespace

void build_compression(Build& build, const Node* section, gateway::CompressionPtr& out) {
  const Node* written = find(section, "compress");
  if (written == nullptr) return;
  if (written->kind == Kind::object)
    out = compression_of(build, *written);
  else if (written->kind == Kind::boolean)
    out = written->text == "true" ? std::make_shared<const Compression>() : nullptr;
}

void build_compression_of_route(Build& build, const Node& route, gateway::RouteOptions& out) {
  out.compression = build.config.gateway.all_routes.compression;
  if (find(&route, "compress") == nullptr) return;
  build_compression(build, &route, out.compression);
  check_own_answer(build, route, out);
}

}  // namespace headgate::config
