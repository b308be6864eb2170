// Costs that are read from bodies: what they mean for WebSockets, and for callers who leave early.

#include "config/build.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"
#include "config/words.hpp"

#include "headgate/core/text.hpp"
#include "headgate/gateway/bodies/body_plan.hpp"
#include "headgate/gateway/cost_source.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace headgate::config {
namespace {

using gateway::RouteOptions;

constexpr std::size_t kShownRoutes = 5;

bool may_be_got(const RouteOptions& route) {
  return route.methods.empty() ||
         std::ranges::any_of(route.methods, [](const auto& method) { return same_word(method, "GET"); });
}

bool speaks_http2(const Config& config, const RouteOptions& route) {
  const auto own = std::ranges::find(config.upstreams, route.to, &gateway::UpstreamOptions::name);
  return own != config.upstreams.end() && own->http2;
}

std::vector<const gateway::LimitUse*> all_uses_of(const Config& config, const RouteOptions& route) {
  std::vector<const gateway::LimitUse*> out;
  for (const auto& each : config.gateway.all_routes.limits)
    if (std::ranges::find(route.skip_limits, each.limit) == route.skip_limits.end()) out.push_back(&each);
  for (const auto& each : route.limits) out.push_back(&each);
  return out;
}

/// The bodies that the costs of a route are read from.
struct ReadBodies {
  bool any = false;
  bool answers = false;
  bool drains = false;  ///< whether an answer is read to its end although its client has left
};

ReadBodies read_by(const Config& config, const RouteOptions& route) {
  gateway::BodyPlan bodies;
  ReadBodies out;
  for (const auto* const use : all_uses_of(config, route)) {
    auto cost = use->cost;
    if (cost.from == nullptr || cost.from->plan == nullptr) continue;
    cost.from->plan(cost, bodies);
    out.drains = out.drains || cost.on_hangup == gateway::OnHangup::drain;
  }
  out.answers = bodies.reads_answer;
  out.any = bodies.reads_answer || bodies.refuses_tunnels;
  return out;
}

/// Returns what follows for the calls of a route, as the end of a sentence; "" if its costs are not read from bodies.
std::string consequence(const Config& config, const RouteOptions& route) {
  const auto read = read_by(config, route);
  if (!read.any) return {};
  std::string out = "WebSockets are refused with 403, because they could not be counted";
  if (!read.answers) return out;
  return out + (read.drains ? "; if the client of a call leaves, its answer is read to the end"
                            : "; if the client of a call leaves, the call is cancelled at the server");
}

}  // namespace

bool is_of_websockets(const RouteOptions& route) {
  return std::ranges::any_of(route.conditions.headers, [](const auto& condition) {
    return condition.name == "upgrade" && !condition.values.empty() &&
           std::ranges::all_of(condition.values, [](const auto& value) { return same_word(value, "websocket"); });
  });
}

void check_content_costs(Build& build) {
  const auto& routes = build.config.gateway.routes;
  if (build.report.has_errors()) return;  // A cost that cannot be read has no plan.
  for (std::size_t i = 0; i < routes.size(); ++i) {
    const auto& route = routes[i];
    if (route.descriptor || route.respond || !is_of_websockets(route) || !read_by(build.config, route).any) continue;
    const Node& node = *build.route_nodes[i];
    const Node* limits = find(&node, "limits");
    build.report.error_at_key(code::kConflict, limits == nullptr ? node : *limits,
                              "each request of this route asks for a WebSocket, and would be refused, because a limit "
                              "reads its cost from the content of calls",
                              "remove that cost, so that the limit counts connections");
  }
}

std::string content_costs_in_words(const Config& config) {
  std::map<std::string, std::vector<std::string>> routes;
  for (const auto& route : config.gateway.routes) {
    if (route.descriptor || route.respond || !may_be_got(route) || speaks_http2(config, route)) continue;
    if (auto words = consequence(config, route); !words.empty()) routes[std::move(words)].push_back(route.name);
  }
  std::string out;
  for (auto& [words, names] : routes) {
    const auto all = names.size();
    names.resize(std::min(all, kShownRoutes));
    if (all > kShownRoutes) names.push_back(std::to_string(all - kShownRoutes) + " more");
    out += (out.empty() ? "\nOn " : "On ") + joined(names, ", ") + ", " + words + ".\n";
  }
  return out;
}

}  // namespace headgate::config
