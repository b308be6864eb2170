// Keys in a configuration: which are accepted, and the messages for the others.

#include "jwt_fixture.hpp"

#include "headgate/core/per_enum.hpp"

namespace headgate::identity {
namespace {

using namespace test_keys;

std::string refusal(const JwtIssuer& issuer) {
  const auto keys = JwtKeys::of_configuration(issuer);
  return keys ? "" : keys.error();
}
std::string refusal_of_secret(std::string secret) {
  auto issuer = hs256_issuer();
  issuer.keys.secret = std::move(secret);
  return refusal(issuer);
}

TEST(JwtKeys, AreEmptyIfNoneAreConfigured) {
  const auto keys = JwtKeys::of_configuration(JwtIssuer{});
  ASSERT_TRUE(keys) << keys.error();
  EXPECT_TRUE((*keys)->empty());
}

TEST(JwtKeys, AreOneForEachSource) {
  const auto keys = JwtKeys::of_configuration(both_issuer());
  ASSERT_TRUE(keys) << keys.error();
  EXPECT_EQ((*keys)->size(), 2U);
  const auto merged = JwtKeys::merged(**keys, **keys);
  EXPECT_EQ(merged->size(), 4U);
  EXPECT_EQ(merged->all()[2], (*keys)->all()[0]) << "shared, not made again";
}

TEST(JwtKeys, NeedOneForEachAlgorithm) {
  auto issuer = both_issuer();
  EXPECT_EQ(refusal(issuer), "");
  issuer.keys.secret.clear();
  EXPECT_EQ(refusal(issuer), "HS256 has no key; it needs a secret of at least 32 bytes");
  issuer = both_issuer();
  issuer.keys.public_key_pem.clear();
  EXPECT_EQ(refusal(issuer), "RS256 has no key; it needs a public key of its kind");
}

TEST(JwtKeys, MayBeToComeFromASet) {
  auto issuer = both_issuer();
  issuer.keys.secret.clear();
  issuer.keys.jwks_url = "https://login.example.com/keys";
  EXPECT_EQ(refusal(issuer), "");
}

TEST(JwtKeys, RefuseAKeyThatNoAlgorithmCanUse) {
  auto issuer = both_issuer();
  issuer.algorithms = {JwtAlgorithm::RS256};
  EXPECT_EQ(refusal(issuer), "there is a secret, but none of the algorithms can use it: RS256");
  issuer = both_issuer();
  issuer.algorithms = {JwtAlgorithm::HS256, JwtAlgorithm::ES256};
  EXPECT_EQ(refusal(issuer), "the PEM holds a public key (RSA) that none of the algorithms can use: HS256, ES256");
}

TEST(JwtKeys, TakeASecretAsLongAsItsHash) {
  EXPECT_EQ(refusal_of_secret(std::string(32, 's')), "");
  EXPECT_EQ(refusal_of_secret(std::string(4096, 's')), "");
  EXPECT_EQ(refusal_of_secret(std::string(32, '\0')), "") << "bytes, not text";
  for (const auto& [algorithm, least] : {std::pair(JwtAlgorithm::HS384, 48UL), std::pair(JwtAlgorithm::HS512, 64UL)}) {
    auto issuer = hs256_issuer();
    issuer.algorithms = {algorithm};
    issuer.keys.secret = std::string(least, 's');
    EXPECT_EQ(refusal(issuer), "");
    issuer.keys.secret.pop_back();
    EXPECT_NE(refusal(issuer).find("needs at least " + std::to_string(least)), std::string::npos) << refusal(issuer);
  }
}

TEST(JwtKeys, NeedASecretLongEnoughForEachAlgorithm) {
  auto issuer = hs256_issuer();
  issuer.algorithms = {JwtAlgorithm::HS256, JwtAlgorithm::HS512};
  EXPECT_EQ(refusal(issuer), "HS512 has no key; it needs a secret of at least 64 bytes");
}

TEST(JwtKeys, RefuseAShortSecretWithoutRepeatingIt) {
  EXPECT_EQ(refusal_of_secret("hunter2hunter2hunter2hunter2hun"),
            R"(the secret has 31 bytes; HS256 needs at least 32, such as "openssl rand -base64 48" prints)");
}

TEST(JwtKeys, RefuseAPublicKeyAsSecret) {
  EXPECT_EQ(refusal_of_secret(rs256_issuer().keys.public_key_pem),
            "the secret is a PEM; a key pair goes with RS256 or ES256, HS256 takes random bytes");
}

TEST(JwtError, HasANameForEachValue) {
  std::string names;
  for (std::size_t i = 0; i < kCountOf<JwtError>; ++i) names += std::string(to_text(static_cast<JwtError>(i))) + ' ';
  EXPECT_EQ(
      names,
      "malformed unsupported_algorithm wrong_type no_keys unknown_key bad_signature expired not_yet_valid too_old "
      "wrong_issuer wrong_audience too_large ");
}

}  // namespace
}  // namespace headgate::identity
