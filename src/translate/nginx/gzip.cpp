// Translates nginx's gzip and brotli directives.

#include "translate/draft/compress.hpp"
#include "translate/nginx/work.hpp"

#include "headgate/core/whole_number.hpp"

namespace headgate::translate {
namespace {

std::optional<std::uint64_t> number_of(const Directive* directive, std::uint64_t otherwise) {
  if (directive == nullptr) return otherwise;
  return whole_number<std::uint64_t>(directive->word(0));
}

/// The settings that may differ between the two modules.
struct ModuleWords {
  std::optional<std::uint64_t> min_bytes;
  std::optional<std::uint64_t> level;
  bool operator==(const ModuleWords&) const = default;
};
ModuleWords words_of(const NginxScope& scope, const std::string& module, std::uint64_t usual_level) {
  constexpr std::uint64_t kUsualMin = 20;
  ModuleWords out{.min_bytes = kUsualMin, .level = number_of(scope.one(module + "_comp_level"), usual_level)};
  if (const auto* const least = scope.one(module + "_min_length"))
    if (const auto bytes = nginx_size(least->word(0))) out.min_bytes = bytes;
  return out;
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
  out.types = {"text/html"};  // nginx always compresses this type
  for (const auto* const each :
       {gzip ? scope.one("gzip_types") : nullptr, brotli ? scope.one("brotli_types") : nullptr})
    if (each != nullptr) out.types.insert(out.types.end(), each->words.begin(), each->words.end());
  constexpr std::uint64_t kUsualGzip = 1, kUsualBrotli = 6;
  const auto of_gzip = words_of(scope, "gzip", kUsualGzip);
  const auto of_brotli = words_of(scope, "brotli", kUsualBrotli);
  const auto& used = gzip ? of_gzip : of_brotli;
  out.min_bytes = used.min_bytes;
  out.level = used.level;
  set_compress(route, out, spoken.spot, spoken.text());
  if (gzip && brotli && of_gzip != of_brotli && work.said.insert("gzip and brotli").second)
    say(route, Matter::differs, spoken.spot, spoken.text(),
        "nginx has another level or least length for brotli; headgate has one for both, here that of gzip");
  const auto* const types = scope.one("gzip_types");
  const auto* const others = scope.one("brotli_types");
  const bool same = types == others || (types != nullptr && others != nullptr && types->words == others->words);
  if (gzip && brotli && !same && work.said.insert("gzip_types and brotli_types").second)
    say(route, Matter::differs, spoken.spot, spoken.text(),
        "nginx has other types for brotli than for gzip; headgate compresses those of both in either way");
  if (work.said.insert("gzip").second)
    say(route, Matter::differs, spoken.spot, spoken.text(),
        "nginx compresses answers with 200, 403 and 404, and none to requests with Via unless gzip_proxied says so; "
        "headgate compresses those of all statuses, to all who take it, and always says Vary");
}

}  // namespace headgate::translate
