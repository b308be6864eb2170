#pragma once
// A key together with all it may be used for.

#include "algorithm.hpp"
#include "openssl.hpp"
#include "signature.hpp"

#include "headgate/core/result.hpp"
#include "headgate/identity/jwt_keys.hpp"

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace headgate::identity {

/// One public key or secret, its name, and a Signature for each algorithm it is for. What it is for is fixed when it is
/// made, by its type, its curve, its own `alg` and the issuer's list, so that no token can have it used for another
/// (RFC 8725 section 3.1). Immutable; any thread.
class SigningKey {
 public:
  using Name = std::optional<std::string>;
  /// Null where none of the algorithms is for such a key.
  using Made = Result<std::shared_ptr<const SigningKey>, std::string>;

  /// The key of those of `algorithms` that are HS* and whose hash is no longer than `secret`. The error, a sentence
  /// without a final dot that quotes nothing of the secret: it is a PEM, or too short for any of them.
  static Made of_secret(std::string_view secret, Name kid, std::span<const JwtAlgorithm> algorithms);
  /// The key of those of `algorithms` that its type and curve are for. The error: objection_to(key), where it would be
  /// used.
  static Made of_public_key(EVP_PKEY* key, Name kid, std::span<const JwtAlgorithm> algorithms);

  const Name& kid() const noexcept { return kid_; }
  /// Null where the key is not for `algorithm`.
  const Signature* signature(JwtAlgorithm algorithm) const noexcept {
    return signatures_[static_cast<std::size_t>(algorithm)].get();
  }
  /// Whether both are for one algorithm.
  bool overlaps(const SigningKey& other) const noexcept;

 private:
  explicit SigningKey(Name kid) noexcept : kid_(std::move(kid)) {}
  /// An error where OpenSSL fails.
  std::optional<std::string> take(JwtAlgorithm algorithm, Signature::Made made);

  Name kid_;
  std::array<std::unique_ptr<const Signature>, kJwtAlgorithms> signatures_;
};

}  // namespace headgate::identity
