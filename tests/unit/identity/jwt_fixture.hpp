#pragma once
// What the tests of tokens share: two keys, a moment, and a verifier for each way of configuring them.

#include "support/jwt_signer.hpp"

#include "headgate/identity/jwt.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <string>
#include <string_view>

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

inline JwtOptions hs256_options() {
  JwtOptions options;
  options.algorithms = {JwtAlgorithm::HS256};
  options.secret = kSecret;
  return options;
}

inline JwtOptions rs256_options() {
  JwtOptions options;
  options.algorithms = {JwtAlgorithm::RS256};
  options.public_key_pem = test::public_key_pem(rsa_key());
  return options;
}

inline JwtOptions both_options() {
  auto options = rs256_options();
  options.algorithms = {JwtAlgorithm::HS256, JwtAlgorithm::RS256};
  options.secret = kSecret;
  return options;
}

}  // namespace test_keys

/// "ok", or the reason for the refusal.
inline std::string outcome(const JwtOptions& options, std::string_view token, Instant now = test_keys::kNow) {
  const auto verifier = JwtVerifier::make(options);
  if (!verifier) return "no verifier: " + verifier.error();
  const auto claims = (*verifier)->verify(token, now);
  return claims ? "ok" : std::string(to_text(claims.error()));
}

/// The outcome for a token signed with the secret, so that only its header or claims can be at fault.
inline std::string outcome_of_claims(std::string_view claims_json,
                                     const JwtOptions& options = test_keys::hs256_options(),
                                     Instant now = test_keys::kNow) {
  return outcome(options, test::sign_hs256(test_keys::kSecret, claims_json), now);
}
inline std::string outcome_of_header(std::string_view header_json) {
  return outcome(test_keys::hs256_options(), test::sign_hs256(test_keys::kSecret, "{}", header_json));
}

}  // namespace headgate::identity
