#pragma once
// Parses JSON Web Keys (RFC 7517, RFC 7518 section 6, RFC 8037).

#include "signing_key.hpp"

#include <nlohmann/json_fwd.hpp>

#include <span>

namespace headgate::identity {

/// Returns the key in `jwk`. Its algorithms are its own `alg` or, if it has none, all of `algorithms` that match its
/// type and curve. Null if the key has another use: another `use`, `key_ops` without verify, an `alg` that is not
/// listed, or an unknown `kty` or `crv`. The error is a sentence without a final dot and quotes nothing of the key.
/// There is an error if the key breaks a rule of its kind, or is a private key. Links to keys (x5u, x5c) are ignored.
SigningKey::Made read_jwk(const nlohmann::json& jwk, std::span<const JwtAlgorithm> algorithms);

/// Returns whether `jwk` is the private half of a key pair. If so, no key of the same JWK Set can be trusted.
bool is_private_key(const nlohmann::json& jwk);

}  // namespace headgate::identity
