// Fuzzes the normal form of paths: the path for the server means the matched path, and no server climbs out of it.

#include "headgate/http/path.hpp"

#include <cstdlib>
#include <string>
#include <string_view>

namespace headgate::fuzz {
namespace {

using headgate::http::PathKind;

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

void path_fuzz(std::string_view raw) {
  std::string matched, sent, again, ignored;
  const auto kind = headgate::http::normalise_path(raw, matched, sent);
  if (kind == PathKind::refused) return;
  for (const auto& form : {matched, sent.empty() ? matched : sent}) {
    if (headgate::http::normalise_path(form, again, ignored) != kind || again != matched) std::abort();
    if (holds(form, "//") || holds(form + '/', "/./") || holds(form + '/', "/../") || holds(form, "\\")) std::abort();
  }
  const auto folded = headgate::http::fold_case(matched);
  if (headgate::http::fold_case(folded) != folded) std::abort();
  if (kind == PathKind::hides_slash) return;
  // To a server that decodes once, there are no more slashes than are seen.
  if (holds(matched, "%2F") || holds(matched, "%5C") || holds(matched, "%00")) std::abort();
}

}  // namespace headgate::fuzz
