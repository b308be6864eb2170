#include "demands.hpp"

#include <algorithm>

namespace headgate::gateway {
namespace {

using observe::AuthKind;
using observe::AuthStatus;

bool among(const std::vector<std::string>& all, std::string_view one) noexcept {
  return std::find(all.begin(), all.end(), one) != all.end();
}

std::string_view list_of(const identity::VerifiedToken& token, std::string_view claim) noexcept {
  const auto at = token.lists.find(claim);
  return at == token.lists.end() ? std::string_view{} : std::string_view(at->second);
}

/// Returns whether one part of `list` is equal to `one`. Each part ends with `end`; only the last part may lack it.
bool has_part(std::string_view list, char end, std::string_view one) noexcept {
  while (!list.empty()) {
    const auto cut = std::min(list.find(end), list.size());
    if (list.substr(0, cut) == one) return true;
    list.remove_prefix(std::min(cut + 1, list.size()));
  }
  return false;
}

/// Returns the claim as text; "" if there is none, or if it is not a string.
std::string_view text_of_claim(const identity::VerifiedToken& token, std::string_view name) noexcept {
  const auto at = token.claims.find(name);
  return at == token.claims.end() || among(token.literals, name) ? std::string_view{} : std::string_view(at->second);
}

/// Returns whether the claim is this string, or a list of strings that contains it.
bool has_text(const identity::VerifiedToken& token, std::string_view name, std::string_view wanted) noexcept {
  const auto at = token.claims.find(name);
  if (at != token.claims.end()) return at->second == wanted && !among(token.literals, name);
  return has_part(list_of(token, name), '\n', wanted);
}

bool has_value(const identity::VerifiedToken& token, std::string_view name, const ClaimValue& wanted) noexcept {
  if (!wanted.literal) return has_text(token, name, wanted.text);
  const auto at = token.claims.find(name);
  return at != token.claims.end() && at->second == wanted.text && among(token.literals, name);
}

/// Issuers write scopes into the claim `scope` or `scp`, as one text with spaces between them (RFC 8693) or as a list.
bool has_scope(const identity::VerifiedToken& token, std::string_view wanted) noexcept {
  for (const std::string_view name : {"scope", "scp"}) {
    if (has_part(text_of_claim(token, name), ' ', wanted)) return true;
    auto list = list_of(token, name);
    while (!list.empty()) {
      const auto cut = list.find('\n');
      if (has_part(list.substr(0, cut), ' ', wanted)) return true;
      list.remove_prefix(cut + 1);
    }
  }
  return false;
}

/// Returns why the route does not accept this kind of token (issuer, algorithm, audience); ok if it accepts the token.
AuthStatus objection_to(const identity::VerifiedToken& token, const TokenDemands& demands) noexcept {
  if (!demands.issuers.empty() && !among(demands.issuers, text_of_claim(token, "iss"))) return AuthStatus::wrong_issuer;
  const auto& algorithms = demands.algorithms;
  if (!algorithms.empty() && std::find(algorithms.begin(), algorithms.end(), token.algorithm) == algorithms.end())
    return AuthStatus::unsupported_algorithm;
  const auto meant = [&](const std::string& audience) { return has_text(token, "aud", audience); };
  if (!demands.audiences.empty() && std::none_of(demands.audiences.begin(), demands.audiences.end(), meant))
    return AuthStatus::wrong_audience;
  return AuthStatus::ok;
}

bool suffices(const identity::VerifiedToken& token, const TokenDemands& demands) noexcept {
  const auto granted = [&](const std::string& scope) { return has_scope(token, scope); };
  const auto met = [&](const ClaimDemand& claim) {
    return std::any_of(claim.any_of.begin(), claim.any_of.end(),
                       [&](const ClaimValue& value) { return has_value(token, claim.name, value); });
  };
  return std::all_of(demands.scopes.begin(), demands.scopes.end(), granted) &&
         std::all_of(demands.claims.begin(), demands.claims.end(), met);
}

bool suffices(const identity::ApiKeyRecord& key, const KeyDemands& demands) noexcept {
  if (!demands.owners.empty() && !among(demands.owners, key.owner)) return false;
  if (!demands.tiers.empty() && !among(demands.tiers, key.tier)) return false;
  const auto tagged = [&](const std::string& tag) { return among(key.tags, tag); };
  return demands.tags.empty() || std::any_of(demands.tags.begin(), demands.tags.end(), tagged);
}

void note_result(Exchange& x, AuthKind kind, AuthStatus result) noexcept {
  for (auto& auth_result : x.caller.auth_results)
    if (auth_result.kind == kind) auth_result.result = result;
}

/// Returns, for example, "Bearer error="insufficient_scope", scope="orders:read orders:write"".
std::string_view scope_challenge(TextArena& text, const std::vector<std::string>& scopes) {
  constexpr std::string_view kError = R"(Bearer error="insufficient_scope")";
  if (scopes.empty()) return kError;
  auto out = text.join({kError, R"(, scope=")"});
  for (std::size_t i = 0; i < scopes.size(); ++i) out = text.extend(out, {i == 0 ? "" : " ", scopes[i]});
  return text.extend(out, {"\""});
}

}  // namespace

std::optional<Problem> check_demands(Exchange& x) {
  const auto& demands = *x.route->demands;
  if (x.route->require == Require::api_key) {
    if (x.caller.known_key && suffices(*x.caller.known_key, demands.key)) return {};
    note_result(x, AuthKind::api_key, AuthStatus::insufficient);
    return Problem{.status = 403, .ended_by = EndedBy::auth, .detail = "This API key may not be used here."};
  }
  const auto& token = *x.caller.token;
  if (const auto objection = objection_to(token, demands.token); objection != AuthStatus::ok) {
    note_result(x, AuthKind::jwt, objection);
    return Problem{.status = 401,
                   .ended_by = EndedBy::auth,
                   .detail = "The bearer token was not accepted.",
                   .challenge = R"(Bearer error="invalid_token")"};
  }
  if (suffices(token, demands.token)) return {};
  note_result(x, AuthKind::jwt, AuthStatus::insufficient);
  return Problem{.status = 403,
                 .ended_by = EndedBy::auth,
                 .detail = "The bearer token does not grant the access that is required here.",
                 .challenge = scope_challenge(x.text, demands.token.scopes)};
}

}  // namespace headgate::gateway
