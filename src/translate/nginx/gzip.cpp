// What nginx compresses, by its own module and by that for Brotli.

#include "translate/draft/compress.hpp"
#include "translate/nginx/work.hpp"

#include <charconv>

namespace headgate::translate {
namespace {

std::optional<std::uint64_t> number_of(const Directive* directive, std::uint64_t otherwise) {
  if (directive == nullptr) return otherwise;
  const auto text = directive->word(0);
  std::uint64_t out = 0;
  const auto [last, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && last == text.data() + text.size() ? std::optional(out) : std::nullopt;
}

}  // namespace

void set_compression(NginxWork& work, const NginxScope& scope, DraftEntry& route) {
  const bool gzip = scope.on("gzip");
  const bool brotli = scope.on("brotli");
  if (!gzip && !brotli) return;
  const std::string family = gzip ? "gzip" : "brotli";
  const auto& spoken = *scope.one(family);
  DraftCompress out;
  if (brotli) out.encodings.emplace_back("br");
  if (gzip) out.encodings.emplace_back("gzip");
  out.types = {"text/html"};  // which nginx compresses whatever else is named
  for (const auto* const each : {scope.one("gzip_types"), scope.one("brotli_types")})
    if (each != nullptr) out.types.insert(out.types.end(), each->words.begin(), each->words.end());
  constexpr std::uint64_t kUsualMin = 20;
  out.min_bytes = kUsualMin;
  if (const auto* const least = scope.one(family + "_min_length"))
    if (const auto bytes = nginx_size(least->word(0))) out.min_bytes = bytes;
  constexpr std::uint64_t kUsualGzip = 1, kUsualBrotli = 6;
  out.level = number_of(scope.one(family + "_comp_level"), gzip ? kUsualGzip : kUsualBrotli);
  set_compress(route, out, spoken.spot, spoken.text());
  if (work.said.insert("gzip").second)
    say(route, Matter::differs, spoken.spot, spoken.text(),
        "nginx compresses answers with 200, 403 and 404, and none to requests with Via unless gzip_proxied says so; "
        "headgate compresses those of all statuses, to all who take it, and always says Vary");
}

}  // namespace headgate::translate
