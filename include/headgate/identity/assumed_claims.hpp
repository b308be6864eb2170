#pragma once
// Accepts claims without a signature, as if a token with these claims were signed. Only for runs that serve no clients.
// Used by gateway.

#include "headgate/identity/jwt.hpp"

namespace headgate::identity {

/// Checks `claims`, the payload of a token as a JSON object, as JwtVerifier does after a valid signature: `iss`, `aud`
/// and the dates at `now`. Claims that every issuer sets are assumed if they are missing: `iss` is the first issuer,
/// and `aud` is the first audience of that issuer. `iat` is now, if the issuer has a max_age. The algorithm is the
/// first one of the issuer. There must be an issuer. Errors are those of JwtVerifier::verify.
Result<VerifiedToken, RefusedToken> assume_claims(const JwtOptions& options, std::string_view claims, Instant now);

}  // namespace headgate::identity
