// Checks the credentials: certificate, API key and token. A failed attempt is charged to the caller's address, before a
// signature is checked.

#include "assumed.hpp"
#include "gateway/callers/demands.hpp"
#include "gateway/callers/failures.hpp"
#include "gateway/callers/key_missing.hpp"
#include "gateway/callers/presented.hpp"
#include "gateway/steps/steps.hpp"

#include "headgate/gateway/key_source.hpp"
#include "headgate/identity/assumed_claims.hpp"

#include <boost/smart_ptr/make_local_shared.hpp>

namespace headgate::gateway {
namespace {

using observe::AuthKind;
using observe::AuthStatus;

void note(Exchange& x, AuthKind kind, AuthStatus result) {
  x.caller.auth_results.emplace_back(observe::AuthResult{kind, result});
}

AuthStatus result_of(identity::JwtError error) noexcept {
  using identity::JwtError;
  switch (error) {
    case JwtError::malformed:
      return AuthStatus::malformed;
    case JwtError::unsupported_algorithm:
      return AuthStatus::unsupported_algorithm;
    case JwtError::wrong_type:
      return AuthStatus::wrong_type;
    case JwtError::no_keys:
      return AuthStatus::no_keys;
    case JwtError::unknown_key:
      return AuthStatus::unknown_key;
    case JwtError::bad_signature:
      return AuthStatus::bad_signature;
    case JwtError::expired:
      return AuthStatus::expired;
    case JwtError::not_yet_valid:
      return AuthStatus::not_yet_valid;
    case JwtError::too_old:
      return AuthStatus::too_old;
    case JwtError::wrong_issuer:
      return AuthStatus::wrong_issuer;
    case JwtError::wrong_audience:
      return AuthStatus::wrong_audience;
    case JwtError::too_large:
      return AuthStatus::too_large;
    case JwtError::count:
      break;
  }
  return AuthStatus::malformed;
}

/// Tells the caller only that the token is invalid, or that it has expired, so that an attacker learns nothing more
/// (RFC 6750 section 3.1).
Problem token_refused(identity::JwtError error) {
  if (error == identity::JwtError::no_keys)
    return {.status = 503,
            .ended_by = EndedBy::auth,
            .detail = "Tokens cannot be checked at the moment: the keys of their issuer are not available yet.",
            .retry_after = 1};
  const bool expired = error == identity::JwtError::expired;
  return {.status = 401,
          .ended_by = EndedBy::auth,
          .detail = expired ? "The bearer token has expired." : "The bearer token was not accepted.",
          .challenge = expired ? R"(Bearer error="invalid_token", error_description="the token has expired")"
                               : R"(Bearer error="invalid_token")"};
}

AuthStatus result_of(KeyState state) noexcept {
  switch (state) {
    case KeyState::none:
      return AuthStatus::missing;
    case KeyState::good:
      return AuthStatus::ok;
    case KeyState::unknown:
      return AuthStatus::unknown_key;
    case KeyState::disabled:
      return AuthStatus::disabled;
    case KeyState::expired:
      return AuthStatus::expired;
  }
  return AuthStatus::missing;
}

struct PresentedToken : Presented {
  bool assumed = false;  ///< whether the text is only the payload of a token, without a signature
};

PresentedToken token_of(const Path& path, Exchange& x, const identity::JwtOptions& options) {
  if (const auto* const assumed = assumed_of(path, x); assumed && !assumed->claims.empty())
    return {{.text = assumed->claims}, true};
  return {presented_token(x, options)};
}

/// Verifies the token and remembers the result. The charge for a failed attempt has been reserved already, and is
/// returned if the token is valid.
identity::TokenCache::Known verify(Path& path, Exchange& x, const PresentedToken& shown) {
  const auto token = shown.text;
  const auto now = path.services.clock.wall();
  auto verified = shown.assumed ? identity::assume_claims(*x.snapshot->compiled->identity().jwt, token, now)
                                : x.snapshot->credentials->jwt()->verify(token, now);
  if (verified.has_value()) {
    return_failure(path.services.memory, x);
    if (x.admission.peek)
      return {boost::make_local_shared<const identity::VerifiedToken>(std::move(*verified)), std::nullopt};
    return {path.tokens->put(token, std::move(*verified)), std::nullopt};
  }
  const auto& refused = verified.error();
  if (refused.error == identity::JwtError::no_keys)
    return_failure(path.services.memory, x);  // without keys, the refusal is not the caller's fault
  else if (!x.admission.peek)
    path.tokens->put(token, refused);
  return {nullptr, refused};
}

MaybeProblem check_certificate(Exchange& x) {
  if (x.route->require != Require::mtls) return {};
  note(x, AuthKind::mtls, x.client_certificate ? AuthStatus::ok : AuthStatus::missing);
  if (x.client_certificate) return {};
  return Problem{.status = 403, .ended_by = EndedBy::auth, .detail = "A client certificate is required here."};
}

MaybeProblem check_key(Path& path, Exchange& x) {
  const auto& route = *x.route;
  if (!route.reads.has(Needs::api_key)) return {};
  const auto state = x.caller.key_state;
  note(x, AuthKind::api_key, result_of(state));
  if (state == KeyState::good) return {};
  if (state == KeyState::none) {
    if (route.require != Require::api_key) return {};
    return Problem{
        .status = 401, .ended_by = EndedBy::auth, .detail = "An API key is required here.", .challenge = kKeyChallenge};
  }
  if (route.require != Require::api_key && route.unknown_key == UnknownKey::anonymous) return {};
  if (auto limited = reserve_failure(path.services.memory, x)) return limited;
  return key_refused(state);
}

MaybeProblem check_token(Path& path, Exchange& x) {
  const auto& route = *x.route;
  const auto& options = x.snapshot->compiled->identity().jwt;
  if (!route.reads.has(Needs::token) || !options) return {};
  const auto token = token_of(path, x, *options);
  if (token.twice) {
    note(x, AuthKind::jwt, AuthStatus::ambiguous);
    return Problem{.status = 400,
                   .ended_by = EndedBy::auth,
                   .detail = "There is more than one token in this request.",
                   .challenge = R"(Bearer error="invalid_request")"};
  }
  if (token.text.empty()) {
    note(x, AuthKind::jwt, AuthStatus::missing);
    if (route.require != Require::jwt) return {};
    return Problem{
        .status = 401, .ended_by = EndedBy::auth, .detail = "A bearer token is required here.", .challenge = "Bearer"};
  }
  auto known = path.tokens->get(token.text, path.services.clock.wall());
  if (!known) {
    if (!path.verifies_tokens) return token_refused(identity::JwtError::no_keys);
    if (auto limited = reserve_failure(path.services.memory, x)) {
      note(x, AuthKind::jwt, AuthStatus::limited);
      return limited;
    }
    known = verify(path, x, token);
  }
  if (known->refused) {
    const auto& refused = *known->refused;
    note(x, AuthKind::jwt, result_of(refused.error));
    if (refused.error == identity::JwtError::unknown_key && x.snapshot->missing_key && !x.admission.peek)
      x.snapshot->missing_key(refused.issuer);
    return token_refused(refused.error);
  }
  note(x, AuthKind::jwt, AuthStatus::ok);
  x.caller.token = std::move(known->token);
  if (options->issuers.size() > 1) x.caller.issuer = options->issuers[x.caller.token->issuer].issuer;
  return {};
}

}  // namespace

MaybeProblem authenticate(Path& path, Exchange& x) {
  auto problem = check_certificate(x);
  if (!problem) problem = check_key(path, x);
  if (!problem) problem = check_token(path, x);
  if (!problem && x.route->demands) problem = check_demands(x);
  return problem;
}

}  // namespace headgate::gateway
