#include "suspensions.hpp"

#include "gateway/limits/limit_fields.hpp"
#include "gateway/limits/resolved_limit.hpp"
#include "gateway/limits/shards.hpp"
#include "gateway/steps/steps.hpp"
#include "statuses.hpp"

#include "headgate/gateway/descriptors/rate_limit_call.hpp"
#include "headgate/limit/ban_table.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace headgate::gateway {
namespace {

/// Returns the refusal of the current descriptor by a suspension, if there is one. x.suspension says which.
MaybeProblem refusal_of_descriptor(Path& path, Exchange& x) {
  if (auto refused = check_bans(path, x, false)) return refused;
  return path.services.bans.operated() ? check_suspended(path, x, false) : MaybeProblem{};
}

/// Returns the status of a descriptor that is suspended under `route_limit`.
envoy::DescriptorStatus suspended_status(Exchange& x, const RouteLimit& route_limit, std::uint64_t seconds) {
  const auto* const tier = resolve_limit(x, route_limit).tier;
  const auto& name = route_limit.limit->name;
  auto out = tier == nullptr || tier->rules.empty() ? envoy::DescriptorStatus{.limit = name}
                                                    : status_of(name, tier->rules.front());
  out.over = true;
  out.reset_seconds = static_cast<std::int64_t>(seconds);
  return out;
}

/// Returns the policy for suspensions of a limit that one of the call's routes uses; null if it has none.
const RouteBan* ban_of(const RateLimitCall& call, const RouteLimit& route_limit) {
  for (const auto& matched : call.matched)
    for (const auto& ban : matched.route->bans)
      if (ban.route_limit == &route_limit) return &ban;
  return nullptr;
}

}  // namespace

Duration refuse_suspended(Path& path, Exchange& x, envoy::RateLimitResponse& out) {
  auto& call = *x.rate_limit;
  const auto* route = x.route;
  auto longest = Duration(0);
  SuspensionPart told;
  for (const auto& matched : call.matched) {
    x.route = matched.route;
    call.at = matched.descriptor;
    const auto refused = refusal_of_descriptor(path, x);
    if (!refused) continue;
    out.statuses[matched.descriptor] = suspended_status(x, *x.suspension.by->route_limit, refused->retry_after);
    if (refused->wait <= longest) continue;
    longest = refused->wait;
    route = matched.route;
    told = x.suspension;
    x.problem_limit = refused->limit;
  }
  x.route = route;
  if (longest > Duration(0)) x.suspension = told;
  return longest;
}

Task<void> note_rejections(Path& path, Exchange& x, envoy::RateLimitResponse& out, Duration& longest) {
  const auto& a = x.admission;
  std::vector<std::pair<std::size_t, std::string_view>> noted;  // numbers of policies, and keys
  x.suspension.noted = true;
  for (std::size_t i = 0; i < a.limits.size(); ++i) {
    const auto& checked = a.limits[i];
    if (checked.decision != LimitDecision::rejected) continue;
    const auto* const ban = ban_of(*x.rate_limit, *checked.route_limit);
    const auto key = counted_key(a, checked).key;
    if (ban == nullptr || (ban == x.suspension.by && key == x.suspension.key)) continue;
    const bool observed = checked.route_limit->limit->mode == limit::Mode::observe;
    const bool fresh = std::ranges::find(noted, std::pair(ban->number, key)) == noted.end();
    if (fresh) noted.emplace_back(ban->number, key);
    Duration left{0};
    if (a.peek) {
      auto asking = path.offences->would_suspend(x, *ban, key);
      if (co_await asking) left = path.services.bans.next_length(*ban->policy, key, path.services.clock.wall());
    } else if (fresh && a.outcome == Admission::Outcome::rejected) {
      auto counting = path.offences->note_now(x, *ban, key);
      co_await counting;
    } else if (fresh) {
      path.offences->note(x, *ban, key);
    }
    const auto now = path.services.clock.wall();
    const auto found = path.services.bans.find(ban->policy->offences, key, now);
    if (found && !found->observed) left = found->until - now;
    if (observed || left <= Duration(0)) continue;
    longest = std::max(longest, left);
    auto& seconds = out.statuses[x.rate_limit->of_limit[i]].reset_seconds;
    seconds = std::max(seconds, static_cast<std::int64_t>(seconds_up(left)));
  }
}

}  // namespace headgate::gateway
