#pragma once
// Shared by the tests of tokens: two keys, a moment, and an issuer for each way of configuring one.

#include "support/jwt_signer.hpp"

#include "headgate/identity/jwt.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::identity {

inline void PrintTo(JwtError error, std::ostream* out) { *out << to_text(error); }

namespace test_keys {

inline const std::string kSecret = "0123456789abcdef0123456789abcdef";
inline constexpr Instant kNow{std::chrono::seconds(1'800'000'000)};

/// The issuer's RSA key, made once for the program.
inline EVP_PKEY* rsa_key() {
  static const auto key = test::make_rsa_key();
  return key.get();
}

inline JwtIssuer hs256_issuer() {
  JwtIssuer issuer;
  issuer.algorithms = {JwtAlgorithm::HS256};
  issuer.keys.secret = kSecret;
  return issuer;
}

/// One that signs with `key` under `algorithm`, known by its PEM.
inline JwtIssuer issuer_with(EVP_PKEY* key, JwtAlgorithm algorithm) {
  JwtIssuer issuer;
  issuer.algorithms = {algorithm};
  issuer.keys.public_key_pem = test::public_key_pem(key);
  return issuer;
}

inline JwtIssuer rs256_issuer() { return issuer_with(rsa_key(), JwtAlgorithm::RS256); }

inline JwtIssuer both_issuer() {
  auto issuer = rs256_issuer();
  issuer.algorithms = {JwtAlgorithm::HS256, JwtAlgorithm::RS256};
  issuer.keys.secret = kSecret;
  return issuer;
}

}  // namespace test_keys

using VerifierPtr = std::shared_ptr<const JwtVerifier>;
using KeysPtr = std::shared_ptr<const JwtKeys>;

/// A verifier for one issuer with these keys. Null, and a failed test, if they are invalid.
inline VerifierPtr verifier_with(const JwtIssuer& issuer, KeysPtr keys) {
  JwtOptions options;
  options.issuers = {issuer};
  auto made = JwtVerifier::make(options, {std::move(keys)});
  EXPECT_TRUE(made) << made.error();
  return made ? *made : nullptr;
}
/// A verifier for one issuer with the keys of its configuration.
inline VerifierPtr verifier_for(const JwtIssuer& issuer) {
  auto keys = JwtKeys::of_configuration(issuer);
  EXPECT_TRUE(keys) << keys.error();
  return keys ? verifier_with(issuer, *keys) : nullptr;
}
/// The keys of a valid set.
inline KeysPtr keys_of_set(std::string_view json, const std::vector<JwtAlgorithm>& algorithms) {
  auto keys = JwtKeys::of_jwk_set(json, algorithms);
  EXPECT_TRUE(keys) << keys.error();
  return keys ? *keys : nullptr;
}

/// "ok", or the reason for the refusal.
inline std::string outcome(const VerifierPtr& verifier, std::string_view token, Instant now = test_keys::kNow) {
  if (!verifier) return "no verifier";
  const auto verified = verifier->verify(token, now);
  return verified ? "ok" : std::string(to_text(verified.error().error));
}
inline std::string outcome(const JwtIssuer& issuer, std::string_view token, Instant now = test_keys::kNow) {
  return outcome(verifier_for(issuer), token, now);
}

/// The result for a token signed with the secret, so that only its header or claims can be wrong.
inline std::string outcome_of_claims(std::string_view claims_json, const JwtIssuer& issuer = test_keys::hs256_issuer(),
                                     Instant now = test_keys::kNow) {
  return outcome(issuer, test::sign_hs256(test_keys::kSecret, claims_json), now);
}
inline std::string outcome_of_header(std::string_view header_json) {
  return outcome(test_keys::hs256_issuer(), test::sign_hs256(test_keys::kSecret, "{}", header_json));
}

}  // namespace headgate::identity
