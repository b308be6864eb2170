#pragma once
// What a payload claims (RFC 7519 section 4), checked against the clock and what its issuer's tokens must say.

#include "json_object.hpp"

#include "headgate/core/result.hpp"
#include "headgate/identity/jwt.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace headgate::identity {

/// The members of `payload` (encoded); nothing where it is not base64url of a JSON object.
std::optional<std::vector<JsonMember>> read_payload(std::string_view payload);

/// The `iss` of a payload, or "" where it has none that is a string.
std::string_view issuer_of(const std::vector<JsonMember>& claims) noexcept;

/// Takes the claims of a payload whose signature was checked, once they hold: iss and aud, then the dates at `now`.
Result<VerifiedToken, RefusedToken> check_claims(std::vector<JsonMember> claims, const JwtIssuer& issuer, Instant now);

}  // namespace headgate::identity
