#include "instead.hpp"

#include "gateway/answers/compressible.hpp"
#include "gateway/bodies/body_edits.hpp"
#include "gateway/bodies/body_values.hpp"
#include "split.hpp"

#include "headgate/gateway/bodies/assumed_cost.hpp"

#include <algorithm>

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

/// Returns whether the request can name the model of the other route. A body that was not read yet is read there, and
/// one that is not known here counts as if it could be changed.
bool can_name_model(const Exchange& x, const Route& other) noexcept {
  if (other.model.empty()) return true;
  if (x.admission.peek || hides_bodies(x)) return true;
  const bool comes = x.body != nullptr && !x.body->ended();
  if (!x.bodies) return comes && std::ranges::none_of(x.request.fields, is_made_over_bytes);
  return (comes && x.bodies->request_state() == BodyState::absent) || may_change_model(x);
}

}  // namespace

bool may_change_model(const Exchange& x) noexcept {
  return can_change_model(x) && std::ranges::none_of(x.request.fields, is_made_over_bytes);
}

bool goes_elsewhere(const Exchange& x, const Problem& problem) noexcept {
  if (x.route == nullptr || x.route->instead == nullptr || x.instead || x.preflight) return false;
  if (x.asked_by != net::AskingProxy::none) return false;  // the proxy that asks does not know the other upstream
  if (!can_name_model(x, *x.route->instead)) return false;
  if (problem.ended_by == EndedBy::circuit) return x.route->instead->upstream != x.route->upstream;
  return is_rejected(problem) && !is_guess(x);
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
