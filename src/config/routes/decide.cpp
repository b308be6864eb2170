// The descriptors of Envoy's rate limit service, and the limits that count them.

#include "config/build.hpp"
#include "config/table_shapes.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"

#include "headgate/gateway/cost_source.hpp"
#include "headgate/gateway/each_per.hpp"
#include "headgate/gateway/key_source.hpp"
#include "headgate/limit/algorithm.hpp"
#include "headgate/limit/balance.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace headgate::config {
namespace {

constexpr Shape kDomain = text("a domain");
constexpr Shape kPattern = text(R"(a value, a beginning and "*", or "*")");
constexpr Shape kPatterns = list("values of a key that the descriptor has several times", kPattern, 2);
constexpr const Shape* kPatternForms[] = {&kPattern, &kPatterns};
constexpr Shape kPatternOrPatterns = either("a value, or a list of them", kPatternForms);
constexpr std::size_t kLongestDescriptorKey = 128;

std::optional<LiteralError> check_descriptor_key(std::string_view text) {
  if (!text.empty() && text.size() <= kLongestDescriptorKey && text.find('\0') == text.npos) return std::nullopt;
  return LiteralError{in_quotes(text) + " cannot be the key of a descriptor", "a key has 1 to 128 bytes"};
}

constexpr Shape kMatch =
    map("an object of descriptor keys and their values", kPatternOrPatterns, 1, check_descriptor_key);
constexpr Shape kReplacedLimit = text("a limit's name");
constexpr Shape kReplaces = list("a list of limits", kReplacedLimit, 0);
constexpr Key kDecideKeys[] = {
    {"domain", &kDomain, "", R"("edge")", "Domain of the descriptors, as the proxy's filter names it", required},
    {"match", &kMatch, "", R"({ "generic_key": "login", "remote_address": "*" })",
     "Descriptors with exactly these keys, in any order. A value that ends with `*` stands for all values with that "
     "beginning, and a list has the whole values of a key that a descriptor has several times. Of several matches, the "
     "one with the most whole values counts, then the one with the longest beginnings",
     required},
    {"limits", &kLimitUses, "", R"(["login"])", "Limits that count these descriptors; with `[]`, they are free",
     required},
    {"reject", &kBoolean, "false", "", "Whether every call with such a descriptor is over its limit, without counting"},
    {"replaces", &kReplaces, "[]", R"(["login"])",
     "Limits that this entry replaces: in a call with such a descriptor, no entry with one of these limits decides "
     "about the other descriptors"},
};
constexpr Section kDecide{"decide", "decide[]", "Descriptors of a rate limit service, and their limits.", kDecideKeys};
constexpr Shape kDecideEntry = section(kDecide);

/// Returns whether suspended callers get another answer than the usual one.
bool answers_suspended(const limit::BanPolicy& ban) {
  return ban.closes || ban.status != limit::BanPolicy().status || !ban.detail.empty();
}

/// Returns what a limit has that the rate limit service cannot do, as the end of a sentence; "" if there is nothing.
std::string beyond_descriptors(const limit::Limit& limit, const gateway::LimitUse& use) {
  const auto rules = [&](bool (*has)(const limit::Rule& rule)) {
    return std::ranges::any_of(limit.tiers, [has](const auto& tier) { return std::ranges::any_of(tier.rules, has); });
  };
  const auto& cost = use.cost;
  if (cost.from != nullptr && !cost.from->of_descriptor)
    return "reads its cost from a request or an answer, which the service does not see";
  if (rules([](const limit::Rule& rule) { return limit::is_balance(rule); }))
    return "is a balance, and the service does not hear when a request ends";
  if (limit.shards > 1)
    return "has shards, and hits that are given back could not find the shard that they were taken from";
  if (rules([](const limit::Rule& rule) { return !rule.algorithm->refills; }))
    return "counts requests in flight, and the service does not hear when a request ends";
  if (rules([](const limit::Rule& rule) { return rule.wait > Duration(0); }))
    return "lets requests wait, and a proxy gives up if the answer of the service comes late";
  if (limit.messages || limit.glitches) return "does not count requests";
  if (!limit.counted_statuses.empty() || (limit.ban && !limit.ban->statuses.empty()))
    return "depends on answers, which the service does not see";
  if (limit.ban && answers_suspended(*limit.ban))
    return "has an answer for suspended callers, but the proxy answers its clients itself";
  if (limit.appointments) return "has appointments, which the service does not have";
  return {};
}

/// Returns what a limit counts by that these descriptors do not have, as the end of a sentence; "" if there is nothing.
std::string beyond_match(const limit::Limit& limit, const gateway::Cost& cost, const gateway::DescriptorMatch& match) {
  std::string out;
  if (cost.from != nullptr && cost.from->of_descriptor && !match.has(cost.name))
    out = "reads its cost from the key " + in_quotes(cost.name) + ", which these descriptors do not have";
  gateway::each_per(limit, [&](const limit::Per& per) {
    const bool of_tier = limit.tier_from && &per == &*limit.tier_from;
    const bool of_size = of_tier || (limit.size_from && &per == &limit.size_from->from);
    const bool of_descriptor = per.source->needs == gateway::Needs::descriptor;
    // A descriptor without the key that names its tier has the default one.
    const auto times = std::ranges::count(match.entries, per.name, [](const auto& entry) { return entry.first; });
    if (of_descriptor && (times == 1 || (times == 0 && of_size))) return;
    if (!of_descriptor && !of_size && (per.source->word == "total" || per.source->word == "route")) return;
    out = (of_size ? std::string("takes its ") + (of_tier ? "tier" : "size") + " from " : "counts by ") +
          gateway::to_text(per) + ", which these descriptors do not have";
  });
  return out;
}

/// Warns if no descriptor can name the tier or the size of a limit that takes it from descriptors.
void check_named_sizes(Build& build) {
  for (std::size_t i = 0; i < build.config.limits.size(); ++i) {
    const auto& limit = build.config.limits[i];
    const auto check = [&](const limit::Per& from, const Node* written, const std::string& what) {
      const bool named = std::ranges::any_of(build.config.gateway.routes, [&](const gateway::RouteOptions& route) {
        return route.descriptor && route.descriptor->has(from.name) &&
               std::ranges::any_of(route.limits, [&](const auto& use) { return use.limit == limit.name; });
      });
      if (from.source->needs != gateway::Needs::descriptor || written == nullptr || named) return;
      build.report.warning(code::kNoEffect, *written,
                           "no entry of \"decide\" with limit " + in_quotes(limit.name) + " has the key " +
                               in_quotes(from.name) + ", so everything has the default " + what,
                           "add " + in_quotes(from.name) + R"(: "*" to the "match" of such an entry)");
    };
    const Node* node = build.limit_nodes[i];
    if (limit.tier_from) check(*limit.tier_from, text_at(node, "tier_from"), "tier");
    if (limit.size_from) check(limit.size_from->from, text_at(find(node, "rate"), "from"), "size");
  }
}

/// Refuses costs that read a descriptor among the limits of a section whose requests have none.
void refuse_descriptor_costs(Build& build, const Node* section, const std::vector<gateway::LimitUse>& uses) {
  const auto nodes = children(find(section, "limits"), Kind::list);
  for (std::size_t i = 0; i < uses.size() && i < nodes.size(); ++i)
    if (uses[i].cost.from != nullptr && uses[i].cost.from->of_descriptor)
      build.report.error_at_key(code::kConflict, *find(nodes[i], "cost"),
                                "requests have no descriptors, so this cost can never be read",
                                R"(use the limit in an entry of "decide", or write another cost)");
}

/// Reports limits of an entry that the service cannot use.
void check_decide_limits(Build& build, const gateway::RouteOptions& route, const Node& node) {
  for (const auto& use : route.limits) {
    const int at = limit_index(build, use.limit);
    if (at < 0) continue;
    const auto& limit = build.config.limits[static_cast<std::size_t>(at)];
    auto beyond = beyond_descriptors(limit, use);
    const auto exempts = [&](const gateway::Exemption& each) { return each.limit == limit.name; };
    if (beyond.empty() && std::ranges::any_of(build.config.gateway.exemptions, exempts))
      beyond = "exempts addresses or API keys, which the service does not see";
    if (beyond.empty()) beyond = beyond_match(limit, use.cost, *route.descriptor);
    if (!beyond.empty())
      build.report.error_at_key(
          code::kConflict, *find(&node, "limits"), "limit " + in_quotes(limit.name) + " " + beyond,
          R"(use another limit here: one with a rate, and with "per": "descriptor:KEY" of a key in "match")");
  }
}

/// Reports a beginning among the values of a key that a descriptor has several times.
void check_values_of_one_key(Build& build, const Node& node) {
  for (const Node* entry : children(find(&node, "match"), Kind::object))
    for (const Node* value : children(entry, Kind::list))
      if (value->text.ends_with('*'))
        build.report.error(code::kConflict, *value, "the values of a key that a descriptor has several times are whole",
                           "write the values, or give the key once");
}

/// Reports an entry that rejects and counts, or that replaces its own limits or none that exist.
void check_instead_of_limits(Build& build, const gateway::RouteOptions& route, const Node& node) {
  if (route.descriptor->rejects && !route.limits.empty())
    build.report.error_at_key(code::kConflict, *find(&node, "reject"),
                              "this entry rejects every call, so its limits count nothing",
                              R"(write "limits": [], or leave "reject" out)");
  for (const Node* each : children(find(&node, "replaces"), Kind::list)) {
    if (each->kind != Kind::string || each->replaced) continue;
    if (limit_index(build, each->text) < 0)
      build.report.error(code::kUnresolved, *each, "no limit is named " + in_quotes(each->text),
                         suggestion(each->text, build.limit_nodes, build.report));
    else if (std::ranges::any_of(route.limits, [&](const auto& use) { return use.limit == each->text; }))
      build.report.error(code::kConflict, *each, "this entry replaces its own limit " + in_quotes(each->text),
                         "name limits of other entries");
  }
}

}  // namespace

constexpr Shape kDecideList = list("a list of descriptors with limits", kDecideEntry, 0, 10'000);

void build_decide(Build& build) {
  for (const Node* each : children(find(&build.root, "decide"), Kind::list)) {
    if (each->kind != Kind::object) continue;
    gateway::RouteOptions route;
    auto& match = route.descriptor.emplace();
    if (const Node* domain = text_at(each, "domain")) match.domain = domain->text;
    for (const Node* entry : children(find(each, "match"), Kind::object)) {
      if (entry->kind == Kind::string) match.entries.emplace_back(entry->key, entry->text);
      for (const Node* value : children(entry, Kind::list)) match.entries.emplace_back(entry->key, value->text);
    }
    std::ranges::sort(match.entries);
    read(each, "reject", match.rejects);
    for (const Node* limit : children(find(each, "replaces"), Kind::list)) match.replaces.push_back(limit->text);
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
  refuse_descriptor_costs(build, find(&build.root, "all_routes"), build.config.gateway.all_routes.limits);
  for (std::size_t i = 0; i < routes.size(); ++i) {
    if (!routes[i].descriptor) {
      refuse_descriptor_costs(build, build.route_nodes[i], routes[i].limits);
      continue;
    }
    const Node& node = *build.route_nodes[i];
    if (first == nullptr) first = &node;
    const auto [same, fresh] = seen.emplace(routes[i].name, &node);
    if (!fresh)
      build.report.error_at_key(
          code::kDuplicate, *find(&node, "match"),
          "these descriptors are matched already, at " + build.report.place(same->second->span.begin),
          "put the limits of both into one entry");
    check_decide_limits(build, routes[i], node);
    check_values_of_one_key(build, node);
    check_instead_of_limits(build, routes[i], node);
  }
  check_named_sizes(build);
  const auto serves = std::ranges::any_of(build.config.listen, [](const net::ListenOptions& each) {
    return each.protocol == net::ListenProtocol::rate_limit_service;
  });
  if (first != nullptr && !serves)
    build.report.warning(code::kNoEffect, *first, R"("decide" has no effect: no listener is a rate limit service)",
                         R"(add { "address": ":8081", "protocol": "rate_limit_service" } to "listen")");
}

}  // namespace headgate::config
