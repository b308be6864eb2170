#pragma once
// Chooses the keys of an issuer for a token.

#include "jws.hpp"

#include "headgate/identity/jwt.hpp"

#include <optional>
#include <string_view>

namespace headgate::identity {

/// Maximum number of keys to try with one token. Each key costs a check, and a token without a kid may match all keys.
constexpr std::size_t kMaxTried = 4;

/// Returns no error if one of `keys` made `signature`, which is decoded, over `text`; otherwise unknown_key or
/// bad_signature. The rules are those of JwtVerifier::verify.
std::optional<JwtError> check_signature(const JwtKeys& keys, const JoseHeader& header, std::string_view text,
                                        std::string_view signature);

}  // namespace headgate::identity
