#pragma once
// Claims without a signature: what a token would be taken for, if it was signed. Only for runs that serve nobody.

#include "headgate/identity/jwt.hpp"

namespace headgate::identity {

/// Checks `claims`, the payload of a token as a JSON object, as JwtVerifier does when the signature is good: `iss`,
/// `aud` and the dates at `now`. What an issuer writes into each token is taken to be there: without `iss` it is of the
/// first issuer, without `aud` it is for the first audience of its issuer, and without `iat` it was made now if the
/// issuer has a max_age. Its algorithm is the first one of its issuer. There must be an issuer. The errors are those of
/// JwtVerifier::verify.
Result<VerifiedToken, RefusedToken> assume_claims(const JwtOptions& options, std::string_view claims, Instant now);

}  // namespace headgate::identity
