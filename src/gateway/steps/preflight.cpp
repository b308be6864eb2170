// Charges preflights to a limit of their own.

#include "gateway/limits/limit_fields.hpp"
#include "steps.hpp"

namespace headgate::gateway {

MaybeProblem charge_address(Path& path, Exchange& x, const limit::Rule& rule, std::string_view name,
                            std::string_view detail) {
  const auto key = x.caller.ip_key;
  const limit::Check check{.rule = &rule, .key = key, .hash = keyed_hash(key, rule.seed), .peek = x.admission.peek};
  limit::Decision decision;
  if (path.services.memory.decide({&check, 1}, path.services.clock.wall(), {&decision, 1})) return {};
  return Problem{.status = 429,
                 .ended_by = EndedBy::limit,
                 .detail = detail,
                 .limit = name,
                 .retry_after = seconds_up(decision.retry_after),
                 .wait = decision.retry_after,
                 .body = ProblemBody::of_rejection};
}

// If a limit of the route rejected a preflight, the browser would show it as "blocked", and the page could not read the
// reason. So a preflight takes no permits from the route's limits.
MaybeProblem preflight(Path& path, Exchange& x) {
  if (!x.preflight) return {};
  return charge_address(path, x, *x.snapshot->compiled->preflight_rule(), kPreflightLimit,
                        "Too many preflights come from this address.");
}

}  // namespace headgate::gateway
