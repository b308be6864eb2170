#pragma once
// Chooses the keys of an issuer for a token.

#include "jws.hpp"

#include "headgate/identity/jwt.hpp"

#include <optional>
#include <string_view>

namespace headgate::identity {

/// Maximum number of keys to try with one token. Each try costs a signature check, and without a kid in the token all
/// keys may be candidates.
constexpr std::size_t kMaxTried = 4;

/// Returns no error if one of `keys` has made the decoded `signature` over `text`; otherwise unknown_key or
/// bad_signature. The rules are those of JwtVerifier::verify.
std::optional<JwtError> check_signature(const JwtKeys& keys, const JoseHeader& header, std::string_view text,
                                        std::string_view signature);

}  // namespace headgate::identity
