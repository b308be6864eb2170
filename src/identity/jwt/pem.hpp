#pragma once
// Reads public keys from PEM (RFC 7468).

#include "openssl.hpp"

#include "headgate/core/result.hpp"

#include <string>
#include <string_view>

namespace headgate::identity {

/// Returns the public key in `pem`. There must be one block: "PUBLIC KEY" (SubjectPublicKeyInfo), "RSA PUBLIC KEY"
/// (PKCS#1), or "CERTIFICATE". Only the key of a certificate is used; its dates and its signature do not matter. The
/// error is a sentence without a final dot that says what `pem` contains instead and, if possible, which command makes
/// a public key from it. The error never quotes the key. The strength of the key is not checked here.
Result<KeyOwner, std::string> read_public_key(std::string_view pem);

/// Returns whether the text looks like PEM, so that it cannot be a shared secret.
bool looks_like_pem(std::string_view text) noexcept;

}  // namespace headgate::identity
