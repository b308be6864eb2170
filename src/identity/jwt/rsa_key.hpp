#pragma once
// Public RSA keys read from PEM.

#include "openssl.hpp"

#include "headgate/core/result.hpp"

#include <string>
#include <string_view>

namespace headgate::identity {

/// The RSA public key in `pem`: one block, "PUBLIC KEY" (SubjectPublicKeyInfo) or "RSA PUBLIC KEY" (PKCS#1), of 2048 to
/// 16384 bits. The error says what is there instead and, where a command makes a public key of it, which. It never
/// quotes the key.
Result<KeyOwner, std::string> read_rsa_public_key(std::string_view pem);

}  // namespace headgate::identity
