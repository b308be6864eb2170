#pragma once
// The keys of one issuer at one moment: from its secret, its PEM, or the JWK Set it publishes (RFC 7517).

#include "headgate/core/result.hpp"
#include "headgate/identity/options.hpp"
#include "headgate/identity/sha256.hpp"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::identity {

class SigningKey;  // one public key or secret, with the only algorithms it is for

/// Immutable; any thread.
class JwtKeys {
 public:
  using Made = Result<std::shared_ptr<const JwtKeys>, std::string>;

  /// The keys that stand in the configuration itself: `secret` and `public_key_pem`, whichever are given; none where
  /// neither is. They have no kid. The PEM is a public key (SubjectPublicKeyInfo, or PKCS#1 for RSA) or a certificate,
  /// of which only the key counts, not its dates. The error is a sentence without a final dot, and quotes nothing of a
  /// key: a secret shorter than the hash (RFC 7518 section 3.2) or one that is a PEM, a private key or none at all
  /// where a public one should be, RSA of less than 2048 or more than 16384 bits or with an exponent that is even, 1 or
  /// beyond 64 bits, a key that none of the algorithms is for; and, where no JWK Set is to come, an algorithm without a
  /// key.
  static Made of_configuration(const JwtIssuer& issuer);

  /// The keys of a JWK Set that `algorithms` let verify something: RSA, EC (P-256, P-384, P-521), OKP (Ed25519, Ed448)
  /// and oct. Keys that are for something else (`use` other than sig, `key_ops` without verify, an `alg` not listed, an
  /// unknown `kty` or curve) are passed over, as RFC 7517 section 5 asks; so are, and told of in passed_over(), keys
  /// that break a rule of their own (as above; a point off its curve or of small order, a coordinate of another length,
  /// base64url in another spelling), for one bad key must not hold up the rotation of the others. The error, a sentence
  /// without a final dot, names what is wrong: not a JWK Set, a member named twice, a private key, though it be for
  /// something else, two keys of one `kid` and algorithm, more than 1 MiB or 256 keys, or no key that is of use. Where
  /// a key may also be had (x5c, x5u) is not looked at.
  static Made of_jwk_set(std::string_view json, std::span<const JwtAlgorithm> algorithms);

  /// Both together, those of `one` in front.
  static std::shared_ptr<const JwtKeys> merged(const JwtKeys& one, const JwtKeys& other);

  ~JwtKeys();
  bool empty() const noexcept { return keys_.empty(); }
  std::size_t size() const noexcept { return keys_.size(); }
  std::span<const std::shared_ptr<const SigningKey>> all() const noexcept { return keys_; }
  /// Of a JWK Set: a sentence for each key that was passed over because it breaks a rule of its own.
  const std::vector<std::string>& passed_over() const noexcept { return passed_over_; }
  /// Whether both were read from JWK Sets of the same keys, in whatever order and however spaced.
  bool same_as(const JwtKeys& other) const noexcept { return !prints_.empty() && prints_ == other.prints_; }

 private:
  explicit JwtKeys(std::vector<std::shared_ptr<const SigningKey>> keys);
  std::vector<std::shared_ptr<const SigningKey>> keys_;
  std::vector<Sha256> prints_;  // sorted
  std::vector<std::string> passed_over_;
};

}  // namespace headgate::identity
