#pragma once
// Which of an issuer's keys a token is checked with.

#include "jws.hpp"

#include "headgate/identity/jwt.hpp"

#include <optional>
#include <string_view>

namespace headgate::identity {

/// Keys that one token is tried with, at most: each costs a check, and a token that names none asks for all.
constexpr std::size_t kMostTried = 4;

/// Nothing where `signature` (raw) over `text` is by one of `keys`; else unknown_key or bad_signature. The rules are
/// those of JwtVerifier::verify.
std::optional<JwtError> check_signature(const JwtKeys& keys, const JoseHeader& header, std::string_view text,
                                        std::string_view signature);

}  // namespace headgate::identity
