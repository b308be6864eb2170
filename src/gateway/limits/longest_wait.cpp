#include "longest_wait.hpp"

#include "limit_fields.hpp"
#include "resolved_limit.hpp"

#include "headgate/limit/limiter.hpp"

#include <algorithm>

namespace headgate::gateway {
namespace {

/// Returns whether the wait until this limit allows a request can be known without a check. It is not if calls under
/// way hold the permits, because the wait that Redis told does not know when they end.
bool tells_waits(const Exchange& x, const RouteLimit& route_limit, Stage stage) noexcept {
  return (x.holds.behind == 0 || x.admission.binding->route_limit != &route_limit) &&
         route_limit.limit->mode == limit::Mode::enforce && !route_limit.ready->in_flight &&
         route_limit.limit->shards <= 1 && (stage != Stage::memory || !route_limit.after_auth);
}

Duration known_wait(Exchange& x, const RouteLimit& route_limit) {
  const auto resolved = resolve_limit(x, route_limit);
  Duration longest(0);
  if (!resolved.applies) return longest;
  for (const auto& rule : resolved.tier->rules) {
    const limit::Check check{.rule = &rule,
                             .key = resolved.key,
                             .hash = keyed_hash(resolved.key, rule.seed),
                             .cost = resolved.cost,
                             .peek = true};
    longest = std::max(longest, x.snapshot->redis->known_wait(check));
  }
  return longest;
}

}  // namespace

void tell_known_waits(Exchange& x, Stage stage, Problem& problem) {
  if (problem.ended_by != EndedBy::limit || problem.retry_after == 0 || x.admission.binding == nullptr ||
      !x.appointments.offered.token.empty() || x.appointments.kept || !x.snapshot->redis->up())
    return;  // while Redis is down, its limits may let the next request pass
  Duration longest(0);
  for (const auto& route_limit : x.route->limits_at(Stage::redis))
    if (tells_waits(x, route_limit, stage)) longest = std::max(longest, known_wait(x, route_limit));
  if (longest == Duration(0)) return;
  const auto now = x.clock->wall();
  tell_wait_until(x, now, now + longest, problem);
}

void tell_wait_until(Exchange& x, Instant now, Instant until, Problem& problem) {
  if (problem.retry_after == 0) return;
  problem.retry_after = std::max(problem.retry_after, seconds_up(until - now));
  auto& a = x.admission;
  if (a.binding == nullptr || a.outcome != Admission::Outcome::rejected) return;
  auto& wait = a.decisions[a.rule].retry_after;
  if (wait < limit::kNever) wait = std::max(wait, until - a.binding->asked_at_wall);
}

}  // namespace headgate::gateway
