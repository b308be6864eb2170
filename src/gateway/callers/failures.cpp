#include "failures.hpp"

#include "gateway/limits/limit_fields.hpp"

namespace headgate::gateway {
namespace {

MaybeProblem take_failure(limit::Limiter& memory, Exchange& x, bool peek) {
  const auto* const rule = x.snapshot->compiled->failure_rule();
  if (rule == nullptr) return {};
  const auto key = x.caller.ip_key;
  const limit::Check check{.rule = rule, .key = key, .hash = keyed_hash(key, rule->seed), .peek = peek};
  limit::Decision decision;
  if (memory.decide({&check, 1}, x.clock->wall(), {&decision, 1})) return {};
  x.caller.failures_used_up = true;
  const auto wait = seconds_up(decision.retry_after);
  const auto detail = x.text.join(
      {"Too many authentications from this address have failed. Try again in ", in_words(x.text, wait), "."});
  return Problem{.status = 429,
                 .ended_by = EndedBy::limit,
                 .detail = detail,
                 .limit = kFailureLimit,
                 .retry_after = wait,
                 .wait = decision.retry_after,
                 .body = ProblemBody::of_rejection};
}

void return_one(limit::Limiter& memory, Clock& clock, const Snapshot& snapshot, std::string_view address) {
  const auto* const rule = snapshot.compiled->failure_rule();
  if (rule == nullptr) return;
  const limit::Check check{.rule = rule, .key = address, .hash = keyed_hash(address, rule->seed)};
  memory.give_back({&check, 1}, clock.wall());
}

}  // namespace

MaybeProblem reserve_failure(limit::Limiter& memory, Exchange& x) { return take_failure(memory, x, x.admission.peek); }

MaybeProblem no_failure_left(limit::Limiter& memory, Exchange& x) { return take_failure(memory, x, true); }

void FailureCharge::give_back() { return_one(*memory_, *clock_, *snapshot_, address_); }

void return_failure(limit::Limiter& memory, Exchange& x) {
  if (!x.admission.peek) return_one(memory, *x.clock, *x.snapshot, x.caller.ip_key);
}

}  // namespace headgate::gateway
