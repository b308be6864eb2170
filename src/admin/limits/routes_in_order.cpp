// Lists the routes in the order of the file, or in the order in which the router prefers them.

#include "headgate/admin/routes_in_order.hpp"

#include "admin/endpoint_groups.hpp"

#include "headgate/core/per_enum.hpp"
#include "headgate/core/whole_number.hpp"
#include "headgate/gateway/router.hpp"
#include "headgate/services/ban_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

namespace headgate::admin {
namespace {

using gateway::RouteOptions;

/// Ranks a host: an exact host first, then patterns from the longest to the shortest, then any host.
std::pair<int, std::size_t> rank_of_host(const std::string& host) {
  if (host.empty()) return {2, 0};
  if (host.starts_with("*.")) return {1, 1'000'000 - host.size()};
  return {0, 0};
}

/// Ranks a segment: a literal one first, then a parameter, then "*".
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
  // No request is compared with an entry of `decide`.
  if (a.descriptor || b.descriptor) return !a.descriptor && b.descriptor;
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
  static constexpr WordsUpTo<gateway::Require::mtls> kWords({"", "jwt", "api_key", "mtls"});
  return kWords[require];
}

/// Returns the indices of the routes in the order in which a request is compared with them.
std::vector<std::size_t> compared_order(const gateway::PathOptions& options) {
  std::vector<std::size_t> out(options.routes.size());
  std::iota(out.begin(), out.end(), std::size_t{0});
  const bool any_case = options.all_routes.ignore_case;
  std::ranges::stable_sort(
      out, [&](std::size_t a, std::size_t b) { return before(options.routes[a], options.routes[b], any_case); });
  return out;
}

/// An entry of `decide`: its descriptors and its limits.
nlohmann::ordered_json row_of_decide(const gateway::PathOptions& options, const RouteOptions& route) {
  nlohmann::ordered_json row = {{"route", route.name}, {"domain", route.descriptor->domain}};
  for (const auto& [key, value] : route.descriptor->entries) row["match"][key] = value;
  row["limits"] = limits_of(options, route);
  return row;
}

/// One route: its host and path, its conditions, its target and its limits.
nlohmann::ordered_json route_row(const gateway::PathOptions& options, const RouteOptions& route) {
  if (route.descriptor) return row_of_decide(options, route);
  nlohmann::ordered_json row = {{"route", route.name}, {"path", route.path}};
  if (!route.host.empty()) row["host"] = route.host;
  if (!route.methods.empty()) row["methods"] = route.methods;
  if (!route.conditions.empty()) row["conditions"] = gateway::rank_of(route.conditions).count;
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

constexpr std::size_t kPage = 100;
constexpr std::size_t kMaxPage = 1000;

/// One route as the file writes it.
nlohmann::ordered_json row_of_file(const gateway::PathOptions& options, const RouteOptions& route) {
  if (route.descriptor) return row_of_decide(options, route);
  nlohmann::ordered_json out = {{"route", route.name}};
  if (!route.host.empty()) out["host"] = route.host;
  out["path"] = route.path;
  if (!route.methods.empty()) out["methods"] = route.methods;
  if (route.respond)
    out["responds"] = route.respond->status;
  else
    out["to"] = route.to;
  out["limits"] = limits_of(options, route);
  return out;
}

/// Reads a whole number from the query; empty if the parameter is not a number.
std::optional<std::size_t> number_of(const AdminCall& call, std::string_view name, std::size_t otherwise) {
  const auto text = call.asked(name);
  return text ? whole_number<std::size_t>(*text) : otherwise;
}

/// Keeps the order of the routes of one configuration, because computing it for many routes is slow, and each page
/// needs it.
struct KnownOrder {
  std::weak_ptr<const gateway::CompiledConfig> of;
  std::vector<std::size_t> order;

  const std::vector<std::size_t>& in(const std::shared_ptr<const gateway::CompiledConfig>& compiled) {
    if (of.lock() != compiled) order = compared_order(compiled->options());
    of = compiled;
    return order;
  }
};

AdminAnswer all_routes(const AdminCall& call, const OperatorBoard& board, KnownOrder& known) {
  const auto first = number_of(call, "first", 0);
  const auto count = number_of(call, "count", kPage);
  if (!first || !count || *count > kMaxPage)
    return {.status = 400, .body = "\"first\" and \"count\" are whole numbers, and \"count\" is at most 1000."};
  const auto asked_order = call.asked("order").value_or("file");
  if (asked_order != "file" && asked_order != "compared")
    return {.status = 400, .body = R"("order" is "file" or "compared".)"};
  const auto state = board.now();
  const auto& options = state.active->compiled->options();
  const auto wanted = call.asked("name");
  const auto* const compared = asked_order == "compared" ? &known.in(state.active->compiled) : nullptr;
  auto rows = nlohmann::ordered_json::array();
  std::size_t found = 0;
  for (std::size_t i = 0; i < options.routes.size(); ++i) {
    const auto& route = options.routes[compared != nullptr ? (*compared)[i] : i];
    if (wanted && route.name != *wanted) continue;
    if (found++ >= *first && rows.size() < *count)
      rows.push_back(compared != nullptr ? route_row(options, route) : row_of_file(options, route));
  }
  return {.body = services::text_of({{"total", found}, {"first", *first}, {"routes", std::move(rows)}}),
          .type = AdminAnswer::kJson};
}

}  // namespace

std::string routes_in_order(const config::Config& config) {
  auto rows = nlohmann::ordered_json::array();
  for (const auto at : compared_order(config.gateway))
    rows.push_back(route_row(config.gateway, config.gateway.routes[at]));
  return services::text_of({{"routes", std::move(rows)}});
}

AdminEndpoint routes_endpoint(const OperatorBoard& board) {
  return {.method = "GET",
          .path = "/api/v1/routes",
          .answer = [&board, known = std::make_shared<KnownOrder>()](
                        const AdminCall& call) { return all_routes(call, board, *known); },
          .about = {.summary = "The routes, with their limits",
                    .answer = "Routes",
                    .query = {{"first", "how many are skipped; 0 if it is not there", false},
                              {"count", "how many are listed, at most 1000; 100 if it is not there", false},
                              {"order",
                               "file: as in the file, if it is not there; compared: as a request is compared with them",
                               false},
                              {"name", "only routes of this name", false}}}};
}

}  // namespace headgate::admin
