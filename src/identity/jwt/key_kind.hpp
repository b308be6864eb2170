#pragma once
// The kinds of public keys, the algorithms of each, and the checks that find weak keys.

#include "openssl.hpp"

#include "headgate/identity/options.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace headgate::identity {

/// A type of public key with its curve. It determines the algorithms of the key.
enum class JwtKeyKind { rsa, p256, p384, p521, ed25519, ed448 };

/// Returns the kind of a key; empty if no algorithm matches the key, such as RSA restricted to PSS, another curve, or a
/// Diffie-Hellman key.
std::optional<JwtKeyKind> kind_of(const EVP_PKEY* key) noexcept;
bool is_for(JwtKeyKind kind, JwtAlgorithm algorithm) noexcept;
std::string_view name_of(JwtKeyKind kind) noexcept;  ///< Returns "RSA", "P-256" or "Ed448", for example.

/// Returns the size in bytes of one coordinate (RFC 7518 section 6.2.1.2), or of an Ed25519 or Ed448 key (RFC 8032); 0
/// for RSA.
std::size_t coordinate_size(JwtKeyKind kind) noexcept;
/// Returns the size in bytes of a signature in JOSE's form.
std::size_t signature_size(const EVP_PKEY* key, JwtKeyKind kind) noexcept;

/// Returns the reason why the key must not be trusted, as a sentence without a final dot, or "". The reasons are: RSA
/// of less than 2048 bits (RFC 7518 section 3.3) or more than OpenSSL's maximum of 16384; an RSA exponent that is even,
/// 1 or longer than 64 bits; a point off its curve, or of an order so small that signatures can be guessed.
std::string objection_to(const EVP_PKEY* key, JwtKeyKind kind);

}  // namespace headgate::identity
