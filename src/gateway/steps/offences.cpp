// Counts the offences of callers, for which they may be suspended.

#include "gateway/limits/offences.hpp"

#include "gateway/limits/grpc_outcome.hpp"
#include "gateway/limits/longest_wait.hpp"
#include "gateway/limits/resolved_limit.hpp"
#include "gateway/limits/unanswered.hpp"
#include "steps.hpp"

#include <algorithm>

namespace headgate::gateway {
namespace {

bool rejected_by(const Exchange& x, const RouteBan& ban) {
  const auto& limits = x.admission.limits;
  return std::any_of(limits.begin(), limits.end(), [&](const CheckedLimit& checked) {
    return checked.route_limit == ban.route_limit && checked.decision == LimitDecision::rejected;
  });
}

bool offends(const Exchange& x, const RouteBan& ban, unsigned status) {
  const auto& statuses = ban.policy->statuses;
  if (statuses.empty()) return rejected_by(x, ban);
  const bool avoided = avoided_answer(x) && x.broken_off == BrokenOff::no;  // the client itself left too early
  return avoided || std::binary_search(statuses.begin(), statuses.end(), status);
}

}  // namespace

void note_offences(Path& path, Exchange& x) {
  if (x.ended_by == EndedBy::ban || x.ended_by == EndedBy::operator_ || x.suspension.noted) return;
  for (const auto& ban : x.route->bans) {
    if (&ban == x.suspension.by || !offends(x, ban, status_at_end(x))) continue;
    if (const auto key = key_to_ban(x, *ban.route_limit)) path.offences->note(x, ban, *key);
  }
}

/// Counts the offences of a request before it is answered with `problem`. If an offence begins a suspension, the answer
/// states how long it lasts. The offence of a request that takes no permits is not counted, but the answer is the same.
Task<void> suspend_first(Path& path, Exchange& x, Problem& problem) {
  const bool peek = x.admission.peek;
  if (problem.ended_by == EndedBy::ban || problem.retry_after == 0) co_return;
  if (!peek && (x.client_gone || x.reply->started())) co_return;
  x.suspension.noted = true;
  for (const auto& ban : x.route->bans) {
    if (&ban == x.suspension.by || !offends(x, ban, problem.status)) continue;
    const auto key = key_to_ban(x, *ban.route_limit);
    if (!key) continue;
    const bool observed = ban.route_limit->limit->mode == limit::Mode::observe;
    if (peek) {
      auto asked = path.offences->would_suspend(x, ban, *key);
      const bool begins = co_await asked;
      const auto now = path.services.clock.wall();
      if (begins && !observed)
        tell_wait_until(x, now, now + path.services.bans.next_length(*ban.policy, *key, now), problem);
      continue;
    }
    auto noted = path.offences->note_now(x, ban, *key);
    co_await noted;
    const auto now = path.services.clock.wall();
    const auto found = path.services.bans.find(ban.policy->offences, *key, now);
    if (found && !found->observed && !observed) tell_wait_until(x, now, found->until, problem);
  }
}

}  // namespace headgate::gateway
