#pragma once
// The signature algorithms of RFC 7518 section 3.1 and RFC 8037 section 3.1, as rows of one table.

#include "headgate/identity/options.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace headgate::identity {

/// The kind of signature of an algorithm.
enum class AlgorithmFamily { hmac, rsa, rsa_pss, ecdsa, eddsa };

struct AlgorithmForm {
  AlgorithmFamily family;
  const char* digest;  ///< OpenSSL's name of the hash; null if the signature scheme has its own hash
  std::size_t hash;    ///< size of the hash in bytes, which is also the minimum size of a secret for HMAC
};

const AlgorithmForm& form_of(JwtAlgorithm algorithm) noexcept;
std::optional<JwtAlgorithm> algorithm_named(std::string_view name) noexcept;
bool contains(std::span<const JwtAlgorithm> algorithms, JwtAlgorithm algorithm) noexcept;
/// Returns "RS256, ES256", for messages.
std::string names_of(std::span<const JwtAlgorithm> algorithms);

}  // namespace headgate::identity
