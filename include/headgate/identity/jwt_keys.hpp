#pragma once
// The keys of one issuer at one moment: from its secret, its PEM, or the JWK Set it publishes (RFC 7517).

#include "headgate/core/result.hpp"
#include "headgate/identity/options.hpp"

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
  /// neither is. The error is a sentence without a final dot, and quotes nothing of a key.
  static Made of_configuration(const JwtIssuer& issuer);

  /// The keys of a JWK Set that `algorithms` let verify something. Keys that are for something else (`use` other than
  /// sig, `key_ops` without verify, an `alg` not listed, an unknown `kty` or curve) are passed over, as RFC 7517
  /// section 5 asks. The error, a sentence without a final dot, names what is wrong: not a JWK Set, a member named
  /// twice, a key that breaks its own rules (RSA below 2048 bits, a point off its curve, a short secret), two keys of
  /// one `kid` and algorithm, more than 1 MiB or 256 keys, or no key that is of use.
  static Made of_jwk_set(std::string_view json, std::span<const JwtAlgorithm> algorithms);

  /// Both together.
  static std::shared_ptr<const JwtKeys> merged(const JwtKeys& one, const JwtKeys& other);

  ~JwtKeys();
  bool empty() const noexcept { return keys_.empty(); }
  std::size_t size() const noexcept { return keys_.size(); }
  std::span<const std::shared_ptr<const SigningKey>> all() const noexcept { return keys_; }

 private:
  explicit JwtKeys(std::vector<std::shared_ptr<const SigningKey>> keys);
  std::vector<std::shared_ptr<const SigningKey>> keys_;
};

}  // namespace headgate::identity
