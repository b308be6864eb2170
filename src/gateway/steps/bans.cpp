// Refuses callers that are suspended for their offences, before anything is counted.

#include "gateway/limits/limit_fields.hpp"
#include "gateway/limits/resolved_limit.hpp"
#include "steps.hpp"

namespace headgate::gateway {
namespace {

constexpr std::string_view kSuspended =
    "This caller is suspended for a time, after too many requests that were not allowed.";

}  // namespace

MaybeProblem check_bans(Path& path, Exchange& x, bool after_auth) {
  for (const auto& ban : x.route->bans) {
    if (ban.after_auth != after_auth) continue;
    const auto key = key_to_ban(x, *ban.route_limit);
    if (!key) continue;
    const auto now = path.services.clock.wall();
    const auto found = path.services.bans.find(ban.policy->offences, *key, now);
    if (!found) continue;
    // A limit that observes now refuses nobody, and neither does a suspension made while it observed.
    const bool observed = found->observed || ban.route_limit->limit->mode == limit::Mode::observe;
    if (observed && x.suspension.by != nullptr) continue;
    x.suspension.by = &ban;
    x.suspension.key = *key;
    if (observed) continue;
    return Problem{.status = ban.policy->status,
                   .ended_by = EndedBy::ban,
                   .detail = ban.policy->detail.empty() ? kSuspended : ban.policy->detail,
                   .limit = ban.policy->offences.limit,
                   .retry_after = seconds_up(found->until - now),
                   .wait = found->until - now,
                   .body = ProblemBody::of_rejection};
  }
  return {};
}

}  // namespace headgate::gateway
