#pragma once
// Public keys read from PEM (RFC 7468).

#include "openssl.hpp"

#include "headgate/core/result.hpp"

#include <string>
#include <string_view>

namespace headgate::identity {

/// The public key in `pem`: one block, "PUBLIC KEY" (SubjectPublicKeyInfo), "RSA PUBLIC KEY" (PKCS#1), or
/// "CERTIFICATE", of which only the key is taken: neither its dates nor who signed it matter. The error is a sentence
/// without a final dot that says what is there instead and, where a command makes a public key of it, which. It never
/// quotes the key, and of the key itself nothing is judged.
Result<KeyOwner, std::string> read_public_key(std::string_view pem);

/// Whether the text is meant to be PEM: then it is no secret.
bool looks_like_pem(std::string_view text) noexcept;

}  // namespace headgate::identity
