// Refuses callers that are suspended for their offences, before any limit counts the request.

#include "gateway/limits/limit_counters.hpp"
#include "gateway/limits/limit_fields.hpp"
#include "gateway/limits/resolved_limit.hpp"
#include "gateway/steps/table.hpp"
#include "steps.hpp"

namespace headgate::gateway {
namespace {

constexpr std::string_view kSuspendedByOffences =
    "This caller is suspended for a time, after too many requests that were not allowed.";

/// Returns whether the connection is known to carry the requests of only one caller, so that it can be closed. Callers
/// behind a trusted proxy share a connection. Over HTTP/2, only the stream is ended.
bool ends_alone(const Exchange& x) noexcept {
  constexpr unsigned kHttp2 = 20;
  return x.request.version >= kHttp2 || !x.caller.through_trusted;
}

}  // namespace

constexpr StepCounts kSuspensionCounts = counts_in<SuspensionCounters>();

Problem refusal_of_suspended(const Exchange& x, const RouteBan& ban, Duration left, std::string_view usual) {
  constexpr unsigned kWithoutPolicy = 429;
  const auto* const policy = ban.policy;
  Problem out{.status = policy != nullptr ? policy->status : kWithoutPolicy,
              .ended_by = EndedBy::ban,
              .detail = policy != nullptr && !policy->detail.empty() ? std::string_view(policy->detail) : usual,
              .limit = ban.route_limit->ready->base,
              .retry_after = seconds_up(left),
              .wait = left,
              .body = ProblemBody::of_rejection};
  if (policy != nullptr && policy->closes && ends_alone(x)) {
    out.status = kSilentStatus;
    out.silent = true;
  }
  return out;
}

MaybeProblem check_bans(Path& path, Exchange& x, bool after_auth) {
  for (const auto& ban : x.route->bans) {
    if (ban.after_auth != after_auth) continue;
    const auto key = key_to_ban(x, *ban.route_limit);
    if (!key) continue;
    const auto now = path.services.clock.wall();
    const auto found = path.services.bans.find(ban.policy->offences, *key, now);
    if (!found) continue;
    // Neither a limit in observe mode refuses a request, nor a suspension that began while the limit was in that mode.
    const bool observed = found->observed || ban.route_limit->limit->mode == limit::Mode::observe;
    if (observed && x.suspension.by != nullptr) continue;
    x.suspension.by = &ban;
    x.suspension.key = *key;
    if (observed) continue;
    return refusal_of_suspended(x, ban, found->until - now, kSuspendedByOffences);
  }
  return {};
}

}  // namespace headgate::gateway
