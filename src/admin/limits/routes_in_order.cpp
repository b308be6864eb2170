// The routes in the order in which the router prefers them.

#include "headgate/admin/routes_in_order.hpp"

#include "route_rows.hpp"

#include "headgate/gateway/router.hpp"
#include "headgate/services/ban_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <numeric>
#include <string_view>
#include <tuple>
#include <vector>

namespace headgate::admin {
namespace {

using gateway::RouteOptions;

/// How specific the host is: an exact one first, then patterns from the longest to the shortest, then any host.
std::pair<int, std::size_t> rank_of_host(const std::string& host) {
  if (host.empty()) return {2, 0};
  if (host.starts_with("*.")) return {1, 1'000'000 - host.size()};
  return {0, 0};
}

/// A literal segment comes before a parameter, and a parameter before "*".
int rank_of_segment(std::string_view segment) {
  if (segment == "*") return 3;
  if (segment.empty()) return 2;
  return segment.front() == '{' ? 1 : 0;
}

int compare_paths(std::string_view a, std::string_view b) {
  while (!a.empty() || !b.empty()) {
    const auto next = [](std::string_view& path) {
      if (path.starts_with('/')) path.remove_prefix(1);
      const auto segment = path.substr(0, path.find('/'));
      path.remove_prefix(segment.size());
      return segment;
    };
    const auto left = next(a);
    const auto right = next(b);
    if (const int rank = rank_of_segment(left) - rank_of_segment(right); rank != 0) return rank;
    if (rank_of_segment(left) == 0)
      if (const int order = left.compare(right); order != 0) return order;
  }
  return 0;
}

bool before(const RouteOptions& a, const RouteOptions& b, bool all_ignore_case) {
  const auto left = rank_of_host(a.host);
  const auto right = rank_of_host(b.host);
  if (left != right) return left < right;
  if (a.host != b.host) return a.host < b.host;
  if (const int order = compare_paths(a.path, b.path); order != 0) return order < 0;
  const auto any_case = [all_ignore_case](const RouteOptions& route) {
    return route.ignore_case.value_or(all_ignore_case);
  };
  if (any_case(a) != any_case(b)) return !any_case(a);
  const auto rank = gateway::rank_of(a.conditions);
  const auto other = gateway::rank_of(b.conditions);
  if (rank != other) return rank > other;
  return !a.methods.empty() && b.methods.empty();
}

std::vector<std::string> limits_of(const gateway::PathOptions& options, const RouteOptions& route) {
  std::vector<std::string> out;
  for (const auto& use : options.all_routes.limits)
    if (std::ranges::find(route.skip_limits, use.limit) == route.skip_limits.end()) out.push_back(use.limit);
  for (const auto& use : route.limits) out.push_back(use.limit);
  return out;
}

std::string_view word_of(gateway::Require require) {
  switch (require) {
    case gateway::Require::jwt:
      return "jwt";
    case gateway::Require::api_key:
      return "api_key";
    case gateway::Require::mtls:
      return "mtls";
    case gateway::Require::nothing:
      break;
  }
  return "";
}

}  // namespace

std::vector<std::size_t> compared_order(const gateway::PathOptions& options) {
  std::vector<std::size_t> out(options.routes.size());
  std::iota(out.begin(), out.end(), std::size_t{0});
  const bool any_case = options.all_routes.ignore_case;
  std::ranges::stable_sort(
      out, [&](std::size_t a, std::size_t b) { return before(options.routes[a], options.routes[b], any_case); });
  return out;
}

nlohmann::ordered_json route_row(const gateway::PathOptions& options, const RouteOptions& route) {
  nlohmann::ordered_json row = {{"route", route.name}, {"path", route.path}};
  if (!route.host.empty()) row["host"] = route.host;
  if (!route.methods.empty()) row["methods"] = route.methods;
  if (!route.conditions.empty()) row["conditions"] = route.conditions.headers.size() + route.conditions.query.size();
  if (route.respond) {
    row["answers"] = route.respond->status;
  } else if (route.split) {
    row["to"] = nlohmann::ordered_json::array();
    for (const auto& share : route.split->shares) row["to"].push_back(share.upstream);
  } else {
    row["to"] = route.to;
  }
  if (const auto require = word_of(route.require); !require.empty()) row["requires"] = require;
  row["limits"] = limits_of(options, route);
  return row;
}

std::string routes_in_order(const config::Config& config) {
  auto rows = nlohmann::ordered_json::array();
  for (const auto at : compared_order(config.gateway))
    rows.push_back(route_row(config.gateway, config.gateway.routes[at]));
  return services::text_of({{"routes", std::move(rows)}});
}

}  // namespace headgate::admin
