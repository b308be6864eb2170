#pragma once
// Checks the claims of a payload (RFC 7519 section 4) against the clock and the rules of its issuer.

#include "identity/json/json_object.hpp"

#include "headgate/core/result.hpp"
#include "headgate/identity/jwt.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace headgate::identity {

/// Returns the members of the encoded `payload`; empty if `payload` is not base64url of a JSON object.
std::optional<std::vector<JsonMember>> read_payload(std::string_view payload);

/// Returns the `iss` of a payload; "" if there is none or it is not a string.
std::string_view issuer_of(const std::vector<JsonMember>& claims) noexcept;

/// Checks the claims of a payload with a verified signature: iss and aud, then the dates at `now`.
Result<VerifiedToken, RefusedToken> check_claims(std::vector<JsonMember> claims, const JwtIssuer& issuer, Instant now);

}  // namespace headgate::identity
