// Asks the auth service of the route whether the request may pass. docs/forward_auth.md explains it.

#include "gateway/auth/auth_calls.hpp"
#include "gateway/auth/auth_guesses.hpp"
#include "gateway/auth/auth_question.hpp"
#include "gateway/exchange/deadline.hpp"
#include "gateway/grpc/grpc_call.hpp"
#include "gateway/record/trace.hpp"
#include "gateway/steps/steps.hpp"

#include "headgate/gateway/explain.hpp"

#include <chrono>

namespace headgate::gateway {
namespace {

using observe::AuthKind;
using observe::AuthStatus;

void note_service(Exchange& x, AuthStatus result) {
  x.caller.auth_results.emplace_back(observe::AuthResult{AuthKind::service, result});
}

/// Returns the first field of the service's refusal with this id.
std::string_view field_of(const AuthAnswer& answer, http::Known id) noexcept {
  return http::value_of(answer.fields, id);
}

Problem refusal(Exchange& x, const AuthAnswer& answer) {
  // A gRPC client does not follow redirects; it would report the status 3xx as an error.
  const bool redirects = answer.status / 100 == 3;
  const bool grpc = is_grpc(x);
  return {.status = redirects && grpc ? 401U : answer.status,
          .ended_by = EndedBy::auth,
          .detail = answer.status == 403 ? "The auth service refused this request."
                                         : "The service that decides about requests here wants to know who is calling.",
          .challenge = field_of(answer, http::Known::www_authenticate),
          .location = redirects && !grpc ? field_of(answer, http::Known::location) : std::string_view{}};
}

Problem nobody_decides(Exchange& x, const AuthAnswer& answer) {
  x.reason = x.text.join({"the auth service: ", answer.why});
  return {.status = 503,
          .ended_by = EndedBy::auth,
          .detail = "The auth service is not available at the moment.",
          .retry_after = 1};
}

Problem too_late() {
  return {.status = 504,
          .ended_by = EndedBy::deadline,
          .detail = "The deadline of this request came before the answer of the auth service."};
}

/// Admits or refuses the request according to the service's answer.
MaybeProblem follow(Exchange& x, const AuthAnswer& answer) {
  const bool decided = answer.outcome == AuthOutcome::allowed || answer.outcome == AuthOutcome::refused;
  note_service(x, answer.outcome == AuthOutcome::allowed ? AuthStatus::ok
                  : decided                              ? AuthStatus::refused
                                                         : AuthStatus::unavailable);
  if (answer.passes) return {};
  return decided ? refusal(x, answer) : nobody_decides(x, answer);
}

/// Returns the judgement of the auth service on the request's credential.
AuthGuesses::Said said_of(const Exchange& x) noexcept {
  using Said = AuthGuesses::Said;
  if (x.unanswered) return Said::avoided;
  if (x.auth == nullptr) return Said::nothing;
  if (x.auth->outcome == AuthOutcome::allowed) return Said::right;
  return x.auth->status == 401 ? Said::wrong : Said::nothing;
}

/// Records the span of the call to the service. The service gets this span as its parent.
class Traced {
 public:
  explicit Traced(Exchange& x) : x_(x) {
    if (x.trace) begin_attempt(x);
  }
  void end(const AuthAnswer* answer) {
    if (!x_.trace) return;
    x_.server = x_.route->auth->options->url;
    const bool failed =
        answer == nullptr || answer->outcome == AuthOutcome::down || answer->outcome == AuthOutcome::unclear;
    end_attempt(x_, answer == nullptr ? 0 : answer->status, failed ? "auth" : "");
    x_.server = {};
  }

 private:
  Exchange& x_;
};

}  // namespace

Task<MaybeProblem> ask_auth(Path& path, Exchange& x) {
  if (x.client_gone) co_return MaybeProblem{};
  AuthGuesses::Guess guess;
  if (auto limited = path.guesses->begin(path.services.memory, x, shown_credential(x), guess)) {
    note_service(x, AuthStatus::limited);
    co_return limited;
  }
  const auto since = x.clock->steady();
  Traced traced(x);
  auto asking = path.auth->ask(x);
  x.auth = co_await asking;
  traced.end(x.auth.get());
  x.awaited += std::chrono::duration_cast<Duration>(x.clock->steady() - since);
  guess.end(path.services.memory, x, said_of(x));
  if (x.auth != nullptr && x.auth->outcome == AuthOutcome::down)
    if (const auto left = time_left(x); left && *left <= Duration(0)) co_return too_late();
  // null means that the client has left, so the step `serve` ends the exchange
  if (x.auth == nullptr) co_return MaybeProblem{};
  co_return follow(x, *x.auth);
}

// Decides without a call. A candidate uses the service's answer to the live request.
MaybeProblem peek_at_auth(Path& path, Exchange& x) {
  if (!x.auth) x.auth = path.auth->remembered(x);
  return x.auth ? follow(x, *x.auth) : MaybeProblem{};
}

void explain_auth(Exchange& x, Explanation& explanation) {
  if (x.auth) return;
  explanation.besides.push_back(
      {"auth_service_decides_too", "its auth service is not asked", x.route->auth->options->url});
}

}  // namespace headgate::gateway
