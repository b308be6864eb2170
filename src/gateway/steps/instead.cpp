#include "instead.hpp"

#include "split.hpp"

namespace headgate::gateway {
namespace {

constexpr unsigned kRejected = 429;  // 503: it could not be counted, and what is not counted goes nowhere
/// What it took was given back, and nothing more is taken. The waiting room is before the servers that it does not go
/// to.
constexpr StepSet kOfAdmitted = {
    Step::limits, Step::limits_of_guesses, Step::room,  Step::limits_by_claim, Step::limits_in_redis,
    Step::delay,  Step::notices,           Step::settle};

bool is_rejected(const Problem& problem) noexcept {
  return problem.ended_by == EndedBy::limit && problem.status == kRejected;
}

/// Whether a limit of guesses rejects it: on its way elsewhere its caller would be told whether the credential is
/// right.
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
