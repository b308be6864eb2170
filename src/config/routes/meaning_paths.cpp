#include "meaning_paths.hpp"

#include "headgate/http/path.hpp"

#include <algorithm>
#include <string_view>

namespace headgate::config {
namespace {

using gateway::RouteOptions;

bool is_wild(std::string_view segment) { return segment == "*" || segment.starts_with('{'); }

/// Whether a server that reads an encoded slash as a slash can take a path of `keeper` for one of `other`. This is so
/// if both paths are alike up to the first wild segment of `keeper`.
bool may_become(const RouteOptions& keeper, const RouteOptions& other) {
  const bool same_host = keeper.host == other.host || keeper.host.empty() || other.host.empty() ||
                         keeper.host.starts_with('*') || other.host.starts_with('*');
  if (!same_host || keeper.path == other.path) return false;
  const auto own_text = http::fold_case(keeper.path), other_text = http::fold_case(other.path);
  std::string_view own = own_text, its = other_text;
  while (!own.empty() && !its.empty()) {
    const auto wanted = http::next_segment(own), segment = http::next_segment(its);
    if (is_wild(wanted) || segment == "*") return true;
    if (!is_wild(segment) && segment != wanted) return false;
  }
  return false;
}

}  // namespace

std::string kept_slashes(const gateway::Options& options) {
  // Each is compared with all routes.
  constexpr std::size_t kShown = 50;
  constexpr std::size_t kNamed = 20;
  std::string out;
  std::size_t keepers = 0;
  for (const auto& keeper : options.routes) {
    if (keeper.encoded_slash != gateway::EncodedSlash::keep || ++keepers > kShown) continue;
    std::string others;
    std::size_t found = 0;
    for (const auto& each : options.routes) {
      // "/*" is left out: it would be named for every route, and less specific routes usually require less.
      if (each.path == "/*" || !may_become(keeper, each) || ++found > kNamed) continue;
      others += (others.empty() ? "\"" : ", \"") + each.name + '"';
    }
    if (found > kNamed) others += " and of " + std::to_string(found - kNamed) + " more routes";
    out +=
        "\nRoute \"" + keeper.name +
        "\" passes on %2F and %5C as a part of their segment, and what is encoded twice. A server that reads a slash "
        "there sees a deeper path, " +
        (others.empty() ? "for which there is no other route.\n"
                        : "but the checks and limits of " + others + " do not apply.\n");
  }
  if (keepers > kShown) out += "\n" + std::to_string(keepers - kShown) + " more routes pass them on.\n";
  return out;
}

}  // namespace headgate::config
