#include "instead.hpp"

#include "split.hpp"

namespace headgate::gateway {
namespace {

/// The steps that a request skips after a rejection. Its permits were returned, and it takes no more. The waiting room
/// protects servers to which the request no longer goes.
constexpr StepSet kOfAdmitted = {
    Step::limits, Step::limits_of_guesses, Step::room,  Step::limits_by_claim, Step::limits_in_redis,
    Step::delay,  Step::notices,           Step::settle};

// With 503, the request could not be counted, so it does not go to the other upstream.
bool is_rejected(const Problem& problem) noexcept {
  return problem.ended_by == EndedBy::limit && is_of_limit(problem.status);
}

/// Returns whether a limit of guesses rejects the request. Such a request must not go to the other upstream, where its
/// caller would learn whether the credential is right.
bool is_guess(const Exchange& x) noexcept {
  const auto* const by = x.admission.binding;
  return by != nullptr && by->route_limit->of_guesses;
}

}  // namespace

bool goes_elsewhere(const Exchange& x, const Problem& problem) noexcept {
  if (x.route == nullptr || x.route->instead == nullptr || x.instead || x.preflight) return false;
  return (is_rejected(problem) && !is_guess(x)) || problem.ended_by == EndedBy::circuit;
}

StepSet go_elsewhere(Exchange& x, const Problem& problem) {
  const auto& other = *x.route->instead;
  x.instead = true;
  if (x.counted != nullptr)
    x.counted->sent_elsewhere(problem.ended_by == EndedBy::circuit ? observe::Elsewhere::circuit
                                                                   : observe::Elsewhere::limit);
  x.reason = problem.ended_by == EndedBy::circuit
                 ? x.text.join({x.reason, ": sent to ", other.upstream_name})
                 : x.text.join({"limit ", problem.limit, " rejects it: sent to ", other.upstream_name});
  change_route(x, other);
  return is_rejected(problem) ? StepSet::all().without(kOfAdmitted) : StepSet::all();
}

}  // namespace headgate::gateway
