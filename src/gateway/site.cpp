#include "headgate/gateway/site.hpp"

#include "headgate/core/hash.hpp"
#include "headgate/limit/scale.hpp"

#include <algorithm>
#include <stdexcept>

namespace headgate::gateway {
namespace {

bool counts_per(const limit::Limit& limit, limit::Per::Kind kind) {
  const auto is = [kind](const limit::Per& per) { return per.kind == kind; };
  return std::any_of(limit.per.begin(), limit.per.end(), is) ||
         std::any_of(limit.if_absent.use.begin(), limit.if_absent.use.end(), is);
}

bool needs_claims(const limit::Limit& limit) {
  return counts_per(limit, limit::Per::Kind::jwt_claim) ||
         (limit.tier_from && limit.tier_from->kind == limit::Per::Kind::jwt_claim);
}

/// RateLimit-Policy of all rules of a tier: quota and window in seconds (draft-ietf-httpapi-ratelimit-headers section
/// 3).
std::string policy_of(const std::vector<limit::Rule>& rules) {
  std::string out;
  for (const auto& rule : rules) {
    if (!out.empty()) out += ", ";
    out += '"' + rule_label(rule) + "\";q=" + std::to_string(rule.rate.count);
    // The window is in whole seconds; one that is not is left unsaid.
    if (rule.rate.period.count() % 1'000'000 == 0) out += ";w=" + std::to_string(rule.rate.period.count() / 1'000'000);
  }
  return out;
}

/// The counter of a limit that a route has for itself alone.
void set_apart(limit::Rule& rule, std::string_view route) {
  rule.suffix.insert(1 + rule.limit.size(), "@" + std::string(route));
  rule.seed = stable_hash(rule.suffix);
}

ReadyTier ready_tier(const limit::Tier& tier, const LimitUse& use, std::string_view route, std::uint32_t instances) {
  ReadyTier out;
  out.name = tier.name;
  out.rules.reserve(tier.rules.size());
  for (const auto& rule : tier.rules) {
    auto sized = limit::scaled(rule, use.scale_up, use.scale_down);
    if (use.scale_up != use.scale_down) set_apart(sized, route);
    out.local.push_back(limit::scaled(sized, 1, instances));
    out.labels.push_back(rule_label(rule));
    out.rules.push_back(std::move(sized));
  }
  out.policy = policy_of(out.rules);
  return out;
}

}  // namespace

std::string rule_label(const limit::Rule& rule) {
  return rule.name.empty() ? rule.limit : rule.limit + "-" + rule.name;
}

Site::Site(const Options& options, const identity::Options& identity, std::vector<limit::Limit> limits,
           const std::vector<std::string>& upstreams, std::uint32_t instances)
    : options_(options),
      identity_(identity),
      api_keys_(identity.api_keys),
      limits_(std::move(limits)),
      instances_(std::max(1u, instances)) {
  if (identity_.has_jwt) {
    auto verifier = identity::JwtVerifier::make(identity_.jwt);
    if (verifier.has_error()) throw std::invalid_argument(verifier.error());
    jwt_ = *verifier;
  }
  for (const auto& wanted : options_.routes) {
    auto route = std::make_unique<Route>();
    route->number = routes_.size();
    route->name = wanted.name.empty() ? wanted.path : wanted.name;
    route->respond = wanted.respond;
    route->upstream_name = wanted.to;
    route->require = wanted.require;
    route->timeout = wanted.timeout.value_or(options_.all_routes.timeout);
    route->max_body = wanted.max_body.value_or(options_.all_routes.max_body);
    if (!wanted.respond) {
      const auto at = std::find(upstreams.begin(), upstreams.end(), wanted.to);
      if (at == upstreams.end()) throw std::invalid_argument("no upstream is named " + wanted.to);
      route->upstream = static_cast<std::size_t>(at - upstreams.begin());
    }
    for (const auto& use : options_.all_routes.limits) {
      const auto& skipped = wanted.skip_limits;
      if (std::find(skipped.begin(), skipped.end(), use.limit) == skipped.end())
        route->plan.push_back(plan(use, route->name));
    }
    for (const auto& use : wanted.limits) route->plan.push_back(plan(use, route->name));
    // Asked in this order, so that the rules of one stage stand together.
    std::stable_sort(route->plan.begin(), route->plan.end(),
                     [](const auto& a, const auto& b) { return a.stage < b.stage; });
    note_counted_headers(*route);
    route->reads_token = wanted.require == Require::jwt;
    for (const auto& planned : route->plan) {
      route->reads_token = route->reads_token || needs_claims(*planned.limit);
      route->asks_redis = route->asks_redis || planned.stage == Stage::redis;
      route->settles = route->settles || planned.cost.from == Cost::From::response_header;
    }
    router_.add(wanted.host, wanted.path, wanted.methods, route.get());
    routes_.push_back(std::move(route));
  }
}

void Site::note_counted_headers(Route& route) const {
  auto& names = route.counted_headers;
  if (route.require == Require::api_key) names.push_back(identity_.api_key_header);
  for (const auto& planned : route.plan) {
    for (const auto& per : planned.limit->per) {
      if (per.kind == limit::Per::Kind::api_key) names.push_back(identity_.api_key_header);
      if (per.kind == limit::Per::Kind::header) names.push_back(per.name);
    }
    if (planned.cost.from == Cost::From::request_header) names.push_back(planned.cost.header);
    const auto& tier_from = planned.limit->tier_from;
    if (tier_from && tier_from->kind == limit::Per::Kind::api_key) names.push_back(identity_.api_key_header);
    if (tier_from && tier_from->kind == limit::Per::Kind::header) names.push_back(tier_from->name);
    if (planned.ready->exemption && !planned.ready->exemption->api_keys.empty())
      names.push_back(identity_.api_key_header);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

PlannedLimit Site::plan(const LimitUse& use, std::string_view route) {
  const auto& made = ready(use, route);
  PlannedLimit planned;
  planned.limit = &made.limit;
  planned.ready = &made;
  planned.cost = use.cost;
  planned.stage = made.limit.store == limit::Store::redis ? Stage::redis
                  : needs_claims(made.limit)              ? Stage::memory_with_claims
                                                          : Stage::memory;
  planned.secret_key = counts_per(made.limit, limit::Per::Kind::api_key);
  return planned;
}

const ReadyLimit& Site::ready(const LimitUse& use, std::string_view route) {
  const auto named = [&](const limit::Limit& limit) { return limit.name == use.limit; };
  const auto at = std::find_if(limits_.begin(), limits_.end(), named);
  if (at == limits_.end()) throw std::invalid_argument("no limit is named " + use.limit);
  const bool apart = use.scale_up != use.scale_down;
  const auto made = std::find_if(ready_.begin(), ready_.end(), [&](const auto& each) { return named(each->limit); });
  if (!apart && made != ready_.end()) return **made;
  auto limit = std::make_unique<ReadyLimit>();
  limit->limit = *at;
  if (apart) limit->limit.name += "@" + std::string(route);
  limit->tiers.reserve(at->tiers.size());
  for (const auto& tier : at->tiers) {
    limit->tiers.push_back(ready_tier(tier, use, route, instances_));
    limit->tiers.back().number = tiers_++;
  }
  for (const auto& exemption : options_.exemptions)
    if (exemption.limit == use.limit) limit->exemption = exemption;
  ready_.push_back(std::move(limit));
  return *ready_.back();
}

}  // namespace headgate::gateway
