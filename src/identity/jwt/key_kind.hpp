#pragma once
// What public keys there are, what each is for, and which ones are too weak to be trusted.

#include "openssl.hpp"

#include "headgate/identity/options.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace headgate::identity {

/// A type of public key together with its curve: what pins its algorithms.
enum class KeyKind { rsa, p256, p384, p521, ed25519, ed448 };

/// Nothing where no algorithm is for such a key: RSA that is bound to PSS, another curve, a Diffie-Hellman key.
std::optional<KeyKind> kind_of(const EVP_PKEY* key) noexcept;
bool is_for(KeyKind kind, JwtAlgorithm algorithm) noexcept;
std::string_view name_of(KeyKind kind) noexcept;  ///< "RSA", "P-256", "Ed448"

/// Bytes of one coordinate (RFC 7518 section 6.2.1.2), or of an Ed25519 or Ed448 key (RFC 8032); 0 for RSA.
std::size_t coordinate_size(KeyKind kind) noexcept;
/// Bytes of a signature as JOSE writes it.
std::size_t signature_size(const EVP_PKEY* key, KeyKind kind) noexcept;

/// Why the key must not be trusted, as a sentence without a dot, or "": RSA of less than 2048 bits (RFC 7518 section
/// 3.3) or more than OpenSSL verifies with (16384), an exponent that is even, 1 or beyond 64 bits, a point that is off
/// its curve or of an order so small that signatures can be guessed.
std::string objection_to(const EVP_PKEY* key, KeyKind kind);

}  // namespace headgate::identity
