#pragma once
// A key with all its permitted algorithms.

#include "algorithm.hpp"
#include "openssl.hpp"
#include "signature.hpp"

#include "headgate/core/per_enum.hpp"
#include "headgate/core/result.hpp"
#include "headgate/identity/jwt_keys.hpp"

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace headgate::identity {

/// A public key or secret, its kid, and a Signature for each of its algorithms. The algorithms are fixed at
/// construction; they follow from the key's type, its curve, its own `alg` and the issuer's list. So a token cannot use
/// the key with another algorithm (RFC 8725 section 3.1). Immutable; any thread.
class SigningKey {
 public:
  using Name = std::optional<std::string>;
  /// The pointer is null if none of the algorithms matches the key.
  using Made = Result<std::shared_ptr<const SigningKey>, std::string>;

  /// Creates a key for those of `algorithms` that are HS* and whose hash is not longer than `secret`. There is an error
  /// if the secret is a PEM, or too short for all of them. The error is a sentence without a final dot that quotes
  /// nothing of the secret.
  static Made of_secret(std::string_view secret, Name kid, std::span<const JwtAlgorithm> algorithms);
  /// Creates a key for those of `algorithms` that match its type and curve. There is an error if an algorithm matches
  /// and objection_to() finds a fault in the key; the error is that fault.
  static Made of_public_key(EVP_PKEY* key, Name kid, std::span<const JwtAlgorithm> algorithms);

  const Name& kid() const noexcept { return kid_; }
  /// Returns null if the key cannot be used with `algorithm`.
  const Signature* signature(JwtAlgorithm algorithm) const noexcept {
    return signatures_[static_cast<std::size_t>(algorithm)].get();
  }
  /// Returns whether the two keys have an algorithm in common.
  bool overlaps(const SigningKey& other) const noexcept;

 private:
  explicit SigningKey(Name kid) noexcept : kid_(std::move(kid)) {}
  /// Returns an error if OpenSSL fails.
  std::optional<std::string> take(JwtAlgorithm algorithm, Signature::Made made);

  Name kid_;
  std::array<std::unique_ptr<const Signature>, kCountOf<JwtAlgorithm>> signatures_;
};

}  // namespace headgate::identity
