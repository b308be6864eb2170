// Warns about limits, upstreams and credentials that nothing uses.

#include "build.hpp"
#include "codes.hpp"
#include "values.hpp"

#include "headgate/gateway/key_source.hpp"

#include <algorithm>
#include <set>

namespace headgate::config {
namespace {

using gateway::Needs;
using gateway::Require;
using gateway::RouteOptions;

/// Whether anything uses this credential: a route that requires it, or a limit of some route.
bool is_asked_for(const Build& build, const std::set<std::string>& used, Require require, Needs needs) {
  const auto& gateway = build.config.gateway;
  const auto is = [needs](const limit::Per& per) { return per.source->needs == needs; };
  const auto counts = [&](const limit::Limit& limit) {
    const auto& instead = limit.if_absent.instead;
    return used.contains(limit.name) &&
           (std::any_of(limit.per.begin(), limit.per.end(), is) || (limit.tier_from && is(*limit.tier_from)) ||
            std::any_of(instead.begin(), instead.end(),
                        [&](const auto& key) { return std::any_of(key.begin(), key.end(), is); }));
  };
  return std::any_of(gateway.routes.begin(), gateway.routes.end(),
                     [require](const RouteOptions& route) { return route.require == require; }) ||
         std::any_of(build.config.limits.begin(), build.config.limits.end(), counts);
}

/// A user who configures credentials may think that callers then have to send them.
void check_credentials_used(Build& build, const std::set<std::string>& limits) {
  const Node* identity = find(&build.root, "identity");
  const auto spares = [](const gateway::Exemption& each) { return !each.api_keys.empty(); };
  const auto& exemptions = build.config.gateway.exemptions;
  const Node* jwt = find(identity, "jwt");
  if (jwt != nullptr && !is_asked_for(build, limits, Require::jwt, Needs::token)) {
    build.report.warning_at_key(code::kUnused, *jwt, "no token is ever verified: no route or limit uses one",
                                R"(add "require": "jwt" to a route, or count by a claim, as in "per": "jwt.sub")");
  }
  const Node* key = find(identity, "api_key");
  if (key != nullptr && !is_asked_for(build, limits, Require::api_key, Needs::api_key) &&
      std::none_of(exemptions.begin(), exemptions.end(), spares)) {
    build.report.warning_at_key(code::kUnused, *key, "no API key is ever read: no route or limit uses one",
                                R"(add "require": "api_key" to a route, or count by it: "per": "api_key")");
  }
}

}  // namespace

void check_unused(Build& build) {
  std::set<std::string> limits;
  std::set<std::string> upstreams;
  // A misspelt name is already reported, so its likely target does not count as unused.
  const auto use = [](std::set<std::string>& used, const std::string& name, const std::vector<const Node*>& nodes) {
    used.insert(name);
    if (const Node* near = nearest_node(name, nodes)) used.insert(near->key);
  };
  for (const auto& each : build.config.gateway.all_routes.limits) use(limits, each.limit, build.limit_nodes);
  for (const auto& route : build.config.gateway.routes) {
    use(upstreams, route.to, build.upstream_nodes);
    for (const auto& each : route.limits) use(limits, each.limit, build.limit_nodes);
  }
  check_credentials_used(build, limits);
  for (const Node* each : build.limit_nodes) {
    if (limits.contains(each->key)) continue;
    build.report.warning_at_key(code::kUnused, *each, "limit " + in_quotes(each->key) + " is used by no route",
                                "name it in a route's \"limits\", or remove it");
  }
  for (const Node* each : build.upstream_nodes) {
    if (upstreams.contains(each->key)) continue;
    build.report.warning_at_key(code::kUnused, *each, "upstream " + in_quotes(each->key) + " is used by no route",
                                "send a route \"to\" it, or remove it");
  }
}

}  // namespace headgate::config
