#include "key_missing.hpp"

#include "failures.hpp"
#include "gateway/limits/limit_key.hpp"

#include "headgate/gateway/key_source.hpp"

namespace headgate::gateway {

Problem key_refused(KeyState state) {
  return {.status = 401,
          .ended_by = EndedBy::auth,
          .detail = state == KeyState::expired ? "The API key has expired." : "The API key was not accepted.",
          .challenge = kKeyChallenge};
}

Problem key_missing(limit::Limiter& memory, Exchange& x, const limit::Limit& limit) {
  const auto* const absent = first_absent(x, limit.per);
  const auto needs = absent ? absent->source->needs : Needs::nothing;
  const bool credential = needs == Needs::token || needs == Needs::api_key;
  Problem problem{.status = limit.if_absent.status, .ended_by = EndedBy::auth, .limit = limit.name};
  if (problem.status == 0)
    problem.status = credential                                                                       ? 401
                     : needs == Needs::certificate || needs == Needs::service || needs == Needs::user ? 403
                                                                                                      : 400;
  if (needs == Needs::token && x.caller.token) {
    for (auto& auth_result : x.caller.auth_results)
      if (auth_result.kind == observe::AuthKind::jwt) auth_result.result = observe::AuthStatus::no_claim;
    problem.detail = "The bearer token does not have the claim that requests are counted by here.";
    problem.challenge = R"(Bearer error="invalid_token", error_description="a claim is missing")";
  } else if (needs == Needs::token) {
    problem.detail = "A bearer token is required here.";
    problem.challenge = "Bearer";
  } else if (needs == Needs::api_key && x.caller.key_state == KeyState::good) {
    for (auto& auth_result : x.caller.auth_results)
      if (auth_result.kind == observe::AuthKind::api_key) auth_result.result = observe::AuthStatus::no_group;
    problem.detail = "The API key does not have the group that requests are counted by here.";
    problem.challenge = kKeyChallenge;
  } else if (needs == Needs::api_key) {
    const auto state = x.caller.key_state;
    problem.challenge = kKeyChallenge;
    problem.detail = state == KeyState::none ? "An API key is required here." : key_refused(state).detail;
    if (state != KeyState::none)
      if (auto limited = reserve_failure(memory, x)) return *limited;
  } else if (needs == Needs::user) {
    problem.detail = "Requests are counted per user here, and this request has no user name.";
  } else if (needs == Needs::service) {
    problem.detail = "The auth service did not say who is calling.";
  } else if (absent) {
    problem.detail = absent->source->missing;
  }
  if (problem.challenge.empty()) problem.challenge = "Bearer";  // a 401 must have a challenge (RFC 9110 section 11.6.1)
  if (problem.status != 401) problem.challenge = {};
  return problem;
}

}  // namespace headgate::gateway
