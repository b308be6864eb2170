// Requires a name and a password if the route has users. docs/basic_auth.md explains it.

#include "assumed.hpp"
#include "gateway/basic/password_calls.hpp"
#include "gateway/callers/failures.hpp"
#include "gateway/exchange/deadline.hpp"
#include "gateway/limits/limit_fields.hpp"
#include "gateway/steps/steps.hpp"

#include "headgate/gateway/explain.hpp"
#include "headgate/http/named_values.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace headgate::gateway {
namespace {

using observe::AuthKind;
using observe::AuthStatus;
using PasswordIs = PasswordCalls::Outcome;

void note_basic(Exchange& x, AuthStatus result) {
  x.caller.auth_results.emplace_back(observe::AuthResult{AuthKind::basic, result});
}

Problem ask_for_password(Exchange& x, AuthStatus result) {
  note_basic(x, result);
  return {.status = 401,
          .ended_by = EndedBy::auth,
          .detail = result == AuthStatus::missing ? "A name and a password are required here."
                                                  : "The name or the password is not right.",
          .challenge = x.route->basic->challenge};
}

MaybeProblem take_user(Exchange& x, std::string_view user) {
  note_basic(x, AuthStatus::ok);
  x.user = x.text.join({user});
  return {};
}

/// The user name and password of the request.
struct ShownUser {
  MaybeProblem problem;  ///< set if it is certain without a check that the name or password is wrong
  bool listed = true;    ///< false if the user file was not read, because only a candidate names it
  std::string user;
  PasswordQuestion question;
};

ShownUser shown_user(const Path& path, Exchange& x) {
  ShownUser out;
  const auto field = http::field_of(x.request.fields, "authorization");
  if (field.twice) {
    note_basic(x, AuthStatus::ambiguous);
    out.problem = Problem{.status = 400,
                          .ended_by = EndedBy::auth,
                          .detail = "There is more than one Authorization field in this request."};
    return out;
  }
  identity::BasicCredentials credentials;
  const auto form = identity::read_basic(field.value, credentials);
  if (form != identity::BasicForm::good) {
    out.problem = ask_for_password(x, form == identity::BasicForm::other ? AuthStatus::missing : AuthStatus::malformed);
    return out;
  }
  const auto& users = x.snapshot->credentials->user_lists()[x.route->basic->options->file];
  if (!users) {
    out.listed = false;
    out.user = credentials.user;
    return out;
  }
  if (users->size() == 0 || credentials.password.view().size() > identity::kLongestPassword) {
    out.problem = ask_for_password(x, AuthStatus::refused);
    return out;
  }
  out.user = credentials.user;
  out.question = path.passwords->question(x, *users, std::move(credentials));
  return out;
}

Duration patience(const Exchange& x) {
  const auto left = time_left(x);
  return left ? std::clamp(*left, Duration(0), PasswordCalls::kPatience) : PasswordCalls::kPatience;
}

Problem not_checked(const Path& path, Exchange& x) {
  note_basic(x, AuthStatus::unavailable);
  if (const auto left = time_left(x); left && *left <= Duration(0))
    return {.status = 504,
            .ended_by = EndedBy::deadline,
            .detail = "The deadline of this request came before its password was checked."};
  const auto wait = std::max(path.passwords->wait(), Duration(std::chrono::seconds(1)));
  return {.status = 503,
          .ended_by = EndedBy::auth,
          .detail = "Too many passwords are being checked at the moment.",
          .retry_after = seconds_up(wait)};
}

}  // namespace

bool password_waits(Path& path, Exchange& x) {
  if (const auto* const assumed = assumed_of(path, x); assumed != nullptr && !assumed->user.empty()) {
    static_cast<void>(take_user(x, assumed->user));
    return false;
  }
  return true;
}

Task<MaybeProblem> check_password(Path& path, Exchange& x) {
  if (x.client_gone) co_return MaybeProblem{};
  auto shown = shown_user(path, x);
  if (shown.problem) co_return shown.problem;
  if (!shown.listed) co_return ask_for_password(x, AuthStatus::refused);
  // A request that joins a running check of the same password takes no attempt. A caller whose address has no attempts
  // left gets no result, not even a remembered one.
  const bool joins = path.passwords->is_asked(shown.question);
  if (auto limited = joins ? MaybeProblem{} : no_failure_left(path.services.memory, x)) {
    note_basic(x, AuthStatus::limited);
    co_return limited;
  }
  auto right = path.passwords->remembered(shown.question);
  if (!right) {
    std::optional<FailureCharge> charge;
    // The attempt is taken before the result is known, so that parallel guesses cost as much as successive ones.
    if (!joins && !reserve_failure(path.services.memory, x)) charge.emplace(path.services.memory, x);
    const auto since = x.clock->steady();
    auto asking = path.passwords->ask(x, std::move(shown.question), std::move(charge), patience(x));
    const auto outcome = co_await asking;
    x.awaited += std::chrono::duration_cast<Duration>(x.clock->steady() - since);
    if (outcome == PasswordIs::gone) co_return MaybeProblem{};  // the step `serve` ends the exchange
    if (outcome == PasswordIs::unknown) co_return not_checked(path, x);
    right = outcome == PasswordIs::right;
  }
  if (!*right) co_return ask_for_password(x, AuthStatus::refused);
  co_return take_user(x, shown.user);
}

// Checks no password. A candidate uses the result of the live request. If the result is not remembered, a question
// about the remaining permits is refused, so that it reveals nothing about the password.
MaybeProblem peek_at_password(Path& path, Exchange& x) {
  if (!password_waits(path, x)) return {};
  auto shown = shown_user(path, x);
  if (shown.problem) return shown.problem;
  if (auto limited = shown.listed ? no_failure_left(path.services.memory, x) : MaybeProblem{}) return limited;
  const auto right = shown.listed ? path.passwords->remembered(shown.question) : std::nullopt;
  if (right) return *right ? take_user(x, shown.user) : MaybeProblem(ask_for_password(x, AuthStatus::refused));
  const bool unknown = shown.listed && !shown.question.known;
  const bool asked = x.admission.peek;  // a question about the caller; otherwise a candidate's request
  if (unknown || (asked && !x.trusts_names)) return ask_for_password(x, AuthStatus::refused);
  x.user = x.text.join({shown.user});
  return {};
}

void explain_password(Exchange& x, Explanation& explanation) {
  const bool checked =
      std::ranges::any_of(x.caller.auth_results, [](const auto& proof) { return proof.kind == AuthKind::basic; });
  if (x.user.empty() || checked) return;
  explanation.besides.push_back({"password_decides_too", "its password is not checked"});
}

}  // namespace headgate::gateway
