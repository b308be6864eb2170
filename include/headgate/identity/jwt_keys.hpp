#pragma once
// The keys of one issuer at one moment: from its secret, its PEM, or the JWK Set that it publishes (RFC 7517). Used by
// config and keyring.

#include "headgate/core/result.hpp"
#include "headgate/identity/options.hpp"
#include "headgate/identity/sha256.hpp"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::identity {

class SigningKey;  // one public key or secret, and the algorithms that it may be used with

/// The set of keys. Immutable; any thread.
class JwtKeys {
 public:
  using Made = Result<std::shared_ptr<const JwtKeys>, std::string>;

  /// Returns the keys in the configuration itself: `secret` and `public_key_pem`, if they are set. They have no kid.
  /// The PEM is a public key (SubjectPublicKeyInfo, or PKCS#1 for RSA) or a certificate, of which only the key is used,
  /// not its dates. The error is a sentence without a final dot, and never quotes a key. Errors: a secret that is
  /// shorter than the hash (RFC 7518 section 3.2) or is a PEM; a private key, or no key, in place of a public key; RSA
  /// of less than 2048 or more than 16384 bits; an RSA exponent that is even, 1 or longer than 64 bits; a key that no
  /// algorithm can use; an algorithm without a key, unless the issuer has a JWK Set.
  static Made of_configuration(const JwtIssuer& issuer);

  /// Returns the keys of a JWK Set that `algorithms` can use: RSA, EC (P-256, P-384, P-521), OKP (Ed25519, Ed448) and
  /// oct. Keys for another use are ignored, as RFC 7517 section 5 requires: keys with a `use` other than sig, `key_ops`
  /// without verify, an `alg` that is not listed, an unknown `kty` or curve.
  ///
  /// Invalid keys are ignored as well, and listed in passed_over(), so that one bad key does not block the rotation of
  /// the others. A key is invalid if it breaks a rule of of_configuration(), or if it has a point off its curve or of
  /// small order, a coordinate of wrong length, or another spelling of base64url.
  ///
  /// The error is a sentence without a final dot. Errors: not a JWK Set, a duplicate member, a private key (even for
  /// another use), two keys with the same `kid` and algorithm, more than 1 MiB or 256 keys, or no usable key. Links to
  /// keys (x5c, x5u) are ignored.
  static Made of_jwk_set(std::string_view json, std::span<const JwtAlgorithm> algorithms);

  /// Returns the keys of `one`, followed by those of `other`.
  static std::shared_ptr<const JwtKeys> merged(const JwtKeys& one, const JwtKeys& other);

  ~JwtKeys();
  bool empty() const noexcept { return keys_.empty(); }
  std::size_t size() const noexcept { return keys_.size(); }
  std::span<const std::shared_ptr<const SigningKey>> all() const noexcept { return keys_; }
  /// Returns a sentence for each key of a JWK Set that was ignored because it is invalid.
  const std::vector<std::string>& passed_over() const noexcept { return passed_over_; }
  /// Returns whether this object and `other` were read from JWK Sets with the same keys, whatever their order and
  /// spacing.
  bool same_as(const JwtKeys& other) const noexcept { return !prints_.empty() && prints_ == other.prints_; }

 private:
  explicit JwtKeys(std::vector<std::shared_ptr<const SigningKey>> keys);
  std::vector<std::shared_ptr<const SigningKey>> keys_;
  std::vector<Sha256> prints_;  // digests of the keys, sorted
  std::vector<std::string> passed_over_;
};

}  // namespace headgate::identity
