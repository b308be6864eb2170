#pragma once
// What a signed payload claims (RFC 7519 section 4), checked against the clock and the configuration.

#include "headgate/core/result.hpp"
#include "headgate/identity/jwt.hpp"

#include <string_view>

namespace headgate::identity {

/// The claims of `payload` (encoded), once they hold at `now`: exp and nbf with the leeway, then iss, then aud.
/// Not to be called before the signature was checked.
Result<Claims, JwtError> read_claims(std::string_view payload, const JwtIssuer& options, Instant now);

}  // namespace headgate::identity
