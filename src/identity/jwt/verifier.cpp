#include "base64url.hpp"
#include "claims.hpp"
#include "jws.hpp"
#include "limits.hpp"
#include "signature.hpp"

#include "headgate/identity/jwt.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace headgate::identity {
namespace {

using SignatureOwner = std::unique_ptr<const Signature>;

/// One slot an algorithm, filled where it is configured. A token picks a slot by its `alg`, so it can never meet
/// another's key.
class StaticKeyVerifier final : public JwtVerifier {
 public:
  StaticKeyVerifier(JwtOptions rules, SignatureOwner hs256, SignatureOwner rs256) noexcept
      : rules_(std::move(rules)), hs256_(std::move(hs256)), rs256_(std::move(rs256)) {}

  Result<Claims, JwtError> verify(std::string_view token, Instant now) const override {
    if (token.size() > kMaxToken) return JwtError::too_large;
    const auto parts = split_compact(token);
    if (!parts) return JwtError::malformed;
    const auto algorithm = read_header(parts->header);
    if (!algorithm) return algorithm.error();
    const auto& key = slot(*algorithm);
    if (!key) return JwtError::unsupported_algorithm;
    std::array<char, decoded_size(kMaxToken)> buffer;
    const auto signature = decode_base64url(parts->signature, buffer);
    if (!signature) return JwtError::malformed;
    if (!key->matches(parts->signed_text, *signature)) return JwtError::bad_signature;
    return read_claims(parts->payload, rules_, now);
  }

 private:
  const SignatureOwner& slot(JwtAlgorithm algorithm) const noexcept {
    return algorithm == JwtAlgorithm::HS256 ? hs256_ : rs256_;
  }

  JwtOptions rules_;  // without keys
  SignatureOwner hs256_;
  SignatureOwner rs256_;
};

bool lists(const JwtOptions& options, JwtAlgorithm algorithm) noexcept {
  return std::find(options.algorithms.begin(), options.algorithms.end(), algorithm) != options.algorithms.end();
}

/// The part of `options` that checks claims. The keys live on in OpenSSL's contexts alone.
JwtOptions without_keys(const JwtOptions& options) {
  JwtOptions rules;
  rules.issuer = options.issuer;
  rules.audience = options.audience;
  rules.algorithms = options.algorithms;
  rules.leeway = options.leeway;
  return rules;
}

}  // namespace

Result<std::shared_ptr<const JwtVerifier>, std::string> JwtVerifier::make(const JwtOptions& options) {
  if (options.algorithms.empty()) return std::string("no algorithm is allowed; list \"HS256\", \"RS256\" or both");
  if (options.leeway < Duration::zero() || options.leeway > std::chrono::hours(24)) {
    return std::string("the leeway must be between 0 and 1 day");
  }
  SignatureOwner hs256;
  if (lists(options, JwtAlgorithm::HS256)) {
    if (options.secret.empty()) return std::string("HS256 needs a secret of at least 32 bytes, and there is none");
    auto made = make_hs256(options.secret);
    if (!made) return made.error();
    hs256 = std::move(*made);
  }
  SignatureOwner rs256;
  if (lists(options, JwtAlgorithm::RS256)) {
    if (options.public_key_pem.empty()) return std::string("RS256 needs an RSA public key as PEM, and there is none");
    auto made = make_rs256(options.public_key_pem);
    if (!made) return made.error();
    rs256 = std::move(*made);
  }
  std::shared_ptr<const JwtVerifier> verifier =
      std::make_shared<StaticKeyVerifier>(without_keys(options), std::move(hs256), std::move(rs256));
  return verifier;
}

std::string_view to_text(JwtError error) noexcept {
  switch (error) {
    case JwtError::malformed:
      return "malformed";
    case JwtError::unsupported_algorithm:
      return "unsupported_algorithm";
    case JwtError::bad_signature:
      return "bad_signature";
    case JwtError::expired:
      return "expired";
    case JwtError::not_yet_valid:
      return "not_yet_valid";
    case JwtError::wrong_issuer:
      return "wrong_issuer";
    case JwtError::wrong_audience:
      return "wrong_audience";
    case JwtError::too_large:
      return "too_large";
  }
  return "unknown";
}

}  // namespace headgate::identity
