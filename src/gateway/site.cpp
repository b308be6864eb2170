#include "headgate/gateway/site.hpp"

#include "headgate/limit/algorithm.hpp"

#include <algorithm>
#include <stdexcept>

namespace headgate::gateway {
namespace {

bool counts_per(const limit::Limit& limit, limit::Per::Kind kind) {
  const auto is = [kind](const limit::Per& per) { return per.kind == kind; };
  return std::any_of(limit.per.begin(), limit.per.end(), is) ||
         std::any_of(limit.if_absent.use.begin(), limit.if_absent.use.end(), is);
}

/// The rules as one of `instances` gateways counts them alone: never more than its share, and at least one request.
std::vector<limit::Rule> share_of(const std::vector<limit::Rule>& rules, std::uint32_t instances) {
  std::vector<limit::Rule> shares = rules;
  for (auto& rule : shares) {
    rule.rate.period *= instances;
    rule.burst = std::max<std::uint64_t>(1, rule.burst / instances);
  }
  return shares;
}

/// RateLimit-Policy of all rules of a limit: quota and window in seconds (draft-ietf-httpapi-ratelimit-headers section
/// 3).
std::string policy_of(const limit::Limit& limit) {
  std::string out;
  for (const auto& rule : limit.rules) {
    if (!out.empty()) out += ", ";
    out += '"' + rule_label(rule) + "\";q=" + std::to_string(rule.rate.count);
    // The window is in whole seconds; one that is not is left unsaid.
    if (rule.rate.period.count() % 1'000'000 == 0) out += ";w=" + std::to_string(rule.rate.period.count() / 1'000'000);
  }
  return out;
}

}  // namespace

std::string rule_label(const limit::Rule& rule) {
  return rule.name.empty() ? rule.limit : rule.limit + "-" + rule.name;
}

Site::Site(const Options& options, const identity::Options& identity, std::vector<limit::Limit> limits,
           const std::vector<std::string>& upstreams, std::uint32_t instances)
    : options_(options), identity_(identity) {
  if (identity_.has_jwt) {
    auto verifier = identity::JwtVerifier::make(identity_.jwt);
    if (verifier.has_error()) throw std::invalid_argument(verifier.error());
    jwt_ = *verifier;
  }
  for (auto& limit : limits) {
    auto prepared = std::make_unique<Prepared>();
    prepared->local = share_of(limit.rules, std::max(1u, instances));
    prepared->policy = policy_of(limit);
    for (const auto& rule : limit.rules) prepared->labels.push_back(rule_label(rule));
    prepared->limit = std::move(limit);
    limits_.push_back(std::move(prepared));
  }
  for (const auto& wanted : options_.routes) {
    auto route = std::make_unique<Route>();
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
      if (std::find(skipped.begin(), skipped.end(), use.limit) == skipped.end()) route->plan.push_back(plan(use));
    }
    for (const auto& use : wanted.limits) route->plan.push_back(plan(use));
    // Asked in this order, so that the rules of one stage stand together.
    std::stable_sort(route->plan.begin(), route->plan.end(),
                     [](const auto& a, const auto& b) { return a.stage < b.stage; });
    note_counted_headers(*route);
    route->reads_token = wanted.require == Require::jwt;
    for (const auto& planned : route->plan) {
      route->reads_token = route->reads_token || counts_per(*planned.limit, limit::Per::Kind::jwt_claim);
      const bool trial = planned.limit->mode == limit::Mode::observe;
      route->observes = route->observes || trial;
      route->asks_redis = route->asks_redis || (!trial && planned.stage == Stage::redis);
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
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

PlannedLimit Site::plan(const LimitUse& use) const {
  const auto at =
      std::find_if(limits_.begin(), limits_.end(), [&](const auto& one) { return one->limit.name == use.limit; });
  if (at == limits_.end()) throw std::invalid_argument("no limit is named " + use.limit);
  const auto& prepared = **at;
  PlannedLimit planned;
  planned.limit = &prepared.limit;
  planned.cost = use.cost;
  planned.stage = prepared.limit.store == limit::Store::redis               ? Stage::redis
                  : counts_per(prepared.limit, limit::Per::Kind::jwt_claim) ? Stage::memory_with_claims
                                                                            : Stage::memory;
  planned.secret_key = counts_per(prepared.limit, limit::Per::Kind::api_key);
  planned.local = &prepared.local;
  planned.policy = &prepared.policy;
  planned.labels = &prepared.labels;
  return planned;
}

}  // namespace headgate::gateway
