// Compiles the path at which callers ask for the remaining permits of their limits.

#include "gateway/steps/table.hpp"

#include "headgate/gateway/compiled_config.hpp"
#include "headgate/gateway/each_per.hpp"
#include "headgate/gateway/key_source.hpp"

#include <algorithm>

namespace headgate::gateway {
namespace {

/// Returns whether the credential or the connection proves the value. A field or a cookie is only the caller's claim.
bool proven(const limit::Per& per) {
  const auto& source = *per.source;
  if (source.counts != Counts::callers) return false;
  return source.needs == Needs::nothing || source.needs == Needs::token || source.needs == Needs::api_key ||
         source.needs == Needs::certificate || source.needs == Needs::service || source.needs == Needs::user;
}

/// Returns whether the key is the same for all requests of a caller.
bool of_caller_alone(const std::vector<limit::Per>& per) { return std::ranges::all_of(per, proven); }

bool is_any_own(const std::vector<limit::Per>& per) { return std::ranges::any_of(per, proven); }

}  // namespace

bool is_own_key(const limit::Limit& limit) {
  return is_any_own(limit.per) && std::ranges::all_of(limit.if_absent.instead, is_any_own);
}

void CompiledConfig::make_usage() {
  RouteOptions wanted;
  wanted.path = options_.usage;
  wanted.methods = {"GET"};
  wanted.respond.emplace();
  wanted.unknown_key = UnknownKey::reject;
  wanted.max_body = 0;
  wanted.cors = options_.all_routes.cors;
  for (const auto& use : options_.all_routes.limits) wanted.skip_limits.push_back(use.limit);
  auto route = make_route(wanted, {}, routes_.size());
  static const RouteOptions unwritten;  // no configuration file has this route
  route->options = &unwritten;
  route->edits = nullptr;
  if (identity_.jwt) route->reads.add(Needs::token);
  if (identity_.api_key.written) route->reads.add(Needs::api_key);
  usage_ = CompiledUsage{
      .route = route.get(), .rule = built_in_rule(kUsageLimit, kUsageRate, kUsageBurst), .limits = {}, .by_name = {}};
  route->usage = &*usage_;
  usage_->by_name.reserve(routes_.size());
  for (const auto& each : routes_) usage_->by_name.push_back(each.get());
  std::ranges::stable_sort(usage_->by_name, {}, &Route::name);
  // A limit of the configuration may have the same name, so the suffix tells them apart.
  usage_->rule.suffix = ":(usage)";
  usage_->rule.seed = stable_hash(usage_->rule.suffix);
  for (const auto& each : ready_)
    if (each->limit.mode == limit::Mode::enforce && !each->share.is_partial() && of_caller_alone(each->limit.per) &&
        is_own_key(each->limit))
      usage_->limits.push_back({.limit = &each->limit, .ready = each.get(), .cost = {}, .stage = Stage::memory});
  Keyed keyed;
  for (const auto& each : usage_->limits) keyed.limits.push_back(each.limit);
  note_reads(*route, keyed);
  note_steps(*route);
  serving_.push_back(route.get());
  routes_.push_back(std::move(route));
}

}  // namespace headgate::gateway
