#include "meaning_paths.hpp"

#include "headgate/http/path.hpp"

#include <algorithm>
#include <string_view>

namespace headgate::config {
namespace {

using gateway::RouteOptions;

std::string_view next_segment(std::string_view& path) {
  const auto segment = path.substr(0, path.find('/'));
  path.remove_prefix(std::min(segment.size() + 1, path.size()));
  return segment;
}

bool is_wild(std::string_view segment) { return segment == "*" || segment.starts_with('{'); }

/// Whether a path of `keeper` can become one of `other` where a server reads more slashes than there are: they are
/// alike up to the first segment of the keeper's that may be anything.
bool may_become(const RouteOptions& keeper, const RouteOptions& other) {
  const bool same_host = keeper.host == other.host || keeper.host.empty() || other.host.empty() ||
                         keeper.host.starts_with('*') || other.host.starts_with('*');
  if (!same_host || keeper.path == other.path) return false;
  const auto own_text = http::fold_case(keeper.path), other_text = http::fold_case(other.path);
  std::string_view own = own_text, its = other_text;
  while (!own.empty() && !its.empty()) {
    const auto wanted = next_segment(own), segment = next_segment(its);
    if (is_wild(wanted) || segment == "*") return true;
    if (!is_wild(segment) && segment != wanted) return false;
  }
  return false;
}

}  // namespace

std::string kept_slashes(const gateway::Options& options) {
  std::string out;
  for (const auto& keeper : options.routes) {
    if (keeper.encoded_slash != gateway::EncodedSlash::keep) continue;
    std::string others;
    for (const auto& each : options.routes) {
      // Whatever is found less specific is asked for less, as a rule; "/*" could be named for every route.
      if (each.path != "/*" && may_become(keeper, each)) others += (others.empty() ? "\"" : ", \"") + each.name + '"';
    }
    out +=
        "\nRoute \"" + keeper.name +
        "\" passes on %2F and %5C as a part of their segment. A server that reads a slash there sees a deeper path, " +
        (others.empty() ? "for which no other route is.\n" : "but what is asked on " + others + " is not asked.\n");
  }
  return out;
}

}  // namespace headgate::config
