#pragma once
// One JSON Web Key (RFC 7517, RFC 7518 section 6, RFC 8037).

#include "signing_key.hpp"

#include <nlohmann/json_fwd.hpp>

#include <span>

namespace headgate::identity {

/// The key that `jwk` is, for those of `algorithms` it may be used for: all that its type and curve are for, or only
/// its own `alg`. Null where it is for something else: another `use`, `key_ops` without verify, an `alg` that is not
/// listed, an unknown `kty` or `crv`. The error is a sentence without a final dot and quotes nothing of the key: it
/// breaks a rule of its kind, or is a private key. Where a key may also be had (x5u, x5c) is not looked at.
SigningKey::Made read_jwk(const nlohmann::json& jwk, std::span<const JwtAlgorithm> algorithms);

/// Whether it is the private half of a key pair: then nothing that stands beside it is to be believed.
bool is_private_key(const nlohmann::json& jwk);

}  // namespace headgate::identity
