#include "auth_refusal.hpp"

#include "gateway/grpc/grpc_call.hpp"

#include "headgate/gateway/answer.hpp"

namespace headgate::gateway {

bool is_auth_refusal(const Exchange& x, const Problem& problem) {
  return x.auth && problem.ended_by == EndedBy::auth && x.auth->outcome == AuthOutcome::refused && !is_grpc(x);
}

Task<void> send_auth_refusal(Exchange& x, const Problem& problem) {
  x.ended_by = problem.ended_by;
  const auto& said = *x.auth;
  x.fields = said.fields;
  // The refusal applies only to this caller at this moment, so it must not be cached even if the service does not say
  // so.
  if (!http::has(x.fields, http::Known::cache_control))
    x.fields.push_back({http::Known::cache_control, "Cache-Control", "no-store"});
  const AnswerStart answer{.start = {.status = problem.status},
                           .limits = x.snapshot->compiled->options().rejection.headers};
  return send_whole<AnswerFrom::gateway>(x, answer, said.body);
}

}  // namespace headgate::gateway
