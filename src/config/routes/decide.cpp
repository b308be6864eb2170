// The descriptors of Envoy's rate limit service, and the limits that count them.

#include "config/build.hpp"
#include "config/table_shapes.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"

#include "headgate/gateway/cost_source.hpp"
#include "headgate/gateway/each_per.hpp"
#include "headgate/gateway/key_source.hpp"
#include "headgate/limit/algorithm.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace headgate::config {
namespace {

constexpr Shape kDomain = text("a domain");
constexpr Shape kPattern = text(R"(a value, a beginning and "*", or "*")");
constexpr Shape kMatch = map("an object of descriptor keys and their values", kPattern, 1);
constexpr Key kDecideKeys[] = {
    {"domain", &kDomain, "", R"("edge")", "Domain of the descriptors, as the proxy's filter names it", required},
    {"match", &kMatch, "", R"({ "generic_key": "login", "remote_address": "*" })",
     "Descriptors with exactly these keys, in any order. A value that ends with `*` stands for all values with that "
     "beginning. Of several matches, the one with the most whole values counts, then the one with the longest "
     "beginnings",
     required},
    {"limits", &kLimitUses, "", R"(["login"])", "Limits that count these descriptors", required},
};
constexpr Section kDecide{"decide", "decide[]", "Descriptors of a rate limit service, and their limits.", kDecideKeys};
constexpr Shape kDecideEntry = section(kDecide);

/// Returns what a limit has that the rate limit service cannot do, as the end of a sentence; "" if there is nothing.
std::string beyond_descriptors(const limit::Limit& limit, const gateway::LimitUse& use) {
  const auto rules = [&](bool (*has)(const limit::Rule& rule)) {
    return std::ranges::any_of(limit.tiers, [has](const auto& tier) { return std::ranges::any_of(tier.rules, has); });
  };
  if (use.cost.from != nullptr || use.cost.default_value != 1) return "has a cost, and the proxy names the hits";
  if (rules([](const limit::Rule& rule) { return !rule.algorithm->refills; }))
    return "counts requests in flight, and the service does not hear when a request ends";
  if (rules([](const limit::Rule& rule) { return rule.wait > Duration(0); })) return "lets requests wait";
  if (limit.tiers.size() > 1 || limit.tier_from) return "has tiers, and a descriptor names no tier";
  if (limit.messages || limit.glitches) return "does not count requests";
  if (!limit.counted_statuses.empty() || limit.ban) return "depends on answers, which the service does not see";
  if (limit.appointments || limit.bill || !limit.notify_at.empty())
    return "has appointments, a bill or notices, which the service does not have";
  return {};
}

}  // namespace

constexpr Shape kDecideList = list("a list of descriptors with limits", kDecideEntry, 0, 10'000);

void build_decide(Build& build) {
  for (const Node* each : children(find(&build.root, "decide"), Kind::list)) {
    if (each->kind != Kind::object) continue;
    gateway::RouteOptions route;
    auto& match = route.descriptor.emplace();
    if (const Node* domain = text_at(each, "domain")) match.domain = domain->text;
    for (const Node* entry : children(find(each, "match"), Kind::object))
      match.entries.emplace_back(entry->key, entry->text);
    std::ranges::sort(match.entries);
    route.name = gateway::to_text(match);
    route.respond.emplace();
    route.limits = uses(build, each);
    for (const auto& use : build.config.gateway.all_routes.limits) route.skip_limits.push_back(use.limit);
    build.config.gateway.routes.push_back(std::move(route));
    build.route_nodes.push_back(each);
  }
}

void check_decide(Build& build) {
  const auto& routes = build.config.gateway.routes;
  std::map<std::string, const Node*> seen;
  const Node* first = nullptr;
  for (std::size_t i = 0; i < routes.size(); ++i) {
    if (!routes[i].descriptor) continue;
    const Node& node = *build.route_nodes[i];
    if (first == nullptr) first = &node;
    const auto [same, fresh] = seen.emplace(routes[i].name, &node);
    if (!fresh)
      build.report.error_at_key(
          code::kDuplicate, *find(&node, "match"),
          "these descriptors are matched already, at " + build.report.place(same->second->span.begin),
          "put the limits of both into one entry");
    for (const auto& use : routes[i].limits) {
      const int at = limit_index(build, use.limit);
      if (at < 0) continue;
      const auto& limit = build.config.limits[static_cast<std::size_t>(at)];
      auto beyond = beyond_descriptors(limit, use);
      gateway::each_per(limit, [&](const limit::Per& per) {
        const auto matched = [&] {
          return std::ranges::any_of(routes[i].descriptor->entries,
                                     [&](const auto& entry) { return entry.first == per.name; });
        };
        const bool known = per.source->needs == gateway::Needs::descriptor
                               ? matched()
                               : per.source->word == "total" || per.source->word == "route";
        if (!known) beyond = "counts by " + gateway::to_text(per) + ", which these descriptors do not have";
      });
      if (!beyond.empty())
        build.report.error_at_key(code::kConflict, *find(&node, "limits"),
                                  "limit " + in_quotes(limit.name) + " " + beyond,
                                  R"(use a limit with a rate, and with "per": "descriptor:KEY" of a key in "match")");
    }
  }
  const auto serves = std::ranges::any_of(build.config.listen, [](const net::ListenOptions& each) {
    return each.protocol == net::ListenProtocol::rate_limit_service;
  });
  if (first != nullptr && !serves)
    build.report.warning(code::kNoEffect, *first, R"("decide" has no effect: no listener is a rate limit service)",
                         R"(add { "address": ":8081", "protocol": "rate_limit_service" } to "listen")");
}

}  // namespace headgate::config
