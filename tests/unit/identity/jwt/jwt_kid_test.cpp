// Which of an issuer's keys a token is checked with.

#include "jwt_fixture.hpp"
#include "support/jwk_writer.hpp"

namespace headgate::identity {
namespace {

using test::jwk;
using test::jwk_set;
using test::named_jwk;
using test::sign;

/// Six key pairs on P-256, made once for the program.
EVP_PKEY* curve_key(std::size_t i) {
  static const std::vector<test::KeyPair> keys = [] {
    std::vector<test::KeyPair> made;
    for (int count = 0; count < 6; ++count) made.push_back(test::make_curve_key("P-256"));
    return made;
  }();
  return keys.at(i).get();
}

VerifierPtr with_set(std::initializer_list<std::string> keys) {
  JwtIssuer issuer;
  issuer.algorithms = {JwtAlgorithm::ES256};
  return verifier_with(issuer, keys_of_set(jwk_set(keys), issuer.algorithms));
}

/// The PEM of key 0, which has no name, together with a set.
VerifierPtr with_pem_and_set(std::initializer_list<std::string> keys) {
  auto issuer = test_keys::issuer_with(curve_key(0), JwtAlgorithm::ES256);
  const auto own = JwtKeys::of_configuration(issuer);
  EXPECT_TRUE(own) << own.error();
  return verifier_with(issuer, JwtKeys::merged(**own, *keys_of_set(jwk_set(keys), issuer.algorithms)));
}

TEST(JwtKid, ChoosesAmongTheKeysOfTheSet) {
  const auto verifier = with_set({named_jwk(curve_key(0), "a"), named_jwk(curve_key(1), "b")});
  EXPECT_EQ(outcome(verifier, sign(curve_key(0), "ES256", "{}", "a")), "ok");
  EXPECT_EQ(outcome(verifier, sign(curve_key(1), "ES256", "{}", "b")), "ok");
  EXPECT_EQ(outcome(verifier, sign(curve_key(0), "ES256", "{}", "b")), "bad_signature")
      << "only the named one is tried";
}

TEST(JwtKid, OfNoKnownKeyIsAnUnknownKey) {
  const auto verifier = with_set({named_jwk(curve_key(0), "a")});
  for (const auto* kid :
       {"b", "A", "a ", "a/../a", "../../etc/passwd", "' OR '1'='1", "http://127.0.0.1/a", "%61", "*"})
    EXPECT_EQ(outcome(verifier, sign(curve_key(0), "ES256", "{}", kid)), "unknown_key") << kid;
  const auto input = test::signing_input(R"({"alg":"ES256","kid":"a\u0000"})", "{}");
  EXPECT_EQ(outcome(verifier, input + '.' + test::base64url(test::jose_signature(curve_key(0), "ES256", input))),
            "unknown_key");
}

TEST(JwtKid, MayBeEmptyAndIsThenAName) {
  const auto verifier = with_set({named_jwk(curve_key(0), "")});
  const auto input = test::signing_input(R"({"alg":"ES256","kid":""})", "{}");
  EXPECT_EQ(outcome(verifier, input + '.' + test::base64url(test::jose_signature(curve_key(0), "ES256", input))), "ok");
}

TEST(JwtKid, OfAKeyForAnotherAlgorithmIsAnUnknownKey) {
  JwtIssuer issuer;
  issuer.algorithms = {JwtAlgorithm::ES256, JwtAlgorithm::RS256};
  const auto verifier = verifier_with(
      issuer,
      keys_of_set(jwk_set({named_jwk(curve_key(0), "a"), named_jwk(test_keys::rsa_key(), "r")}), issuer.algorithms));
  EXPECT_EQ(outcome(verifier, sign(curve_key(0), "ES256", "{}", "r")), "unknown_key");
  EXPECT_EQ(outcome(verifier, sign(test_keys::rsa_key(), "RS256", "{}", "a")), "unknown_key");
  EXPECT_EQ(outcome(verifier, sign(test_keys::rsa_key(), "RS256", "{}", "r")), "ok");
}

TEST(JwtKid, MayBeSharedByKeysForDifferentAlgorithms) {
  JwtIssuer issuer;
  issuer.algorithms = {JwtAlgorithm::ES256, JwtAlgorithm::RS256};
  const auto verifier = verifier_with(
      issuer,
      keys_of_set(jwk_set({named_jwk(curve_key(0), "a"), named_jwk(test_keys::rsa_key(), "a")}), issuer.algorithms));
  EXPECT_EQ(outcome(verifier, sign(curve_key(0), "ES256", "{}", "a")), "ok");
  EXPECT_EQ(outcome(verifier, sign(test_keys::rsa_key(), "RS256", "{}", "a")), "ok");
}

TEST(JwtKid, IsNotNeededIfThereAreFewKeys) {
  const auto four = with_set({named_jwk(curve_key(0), "a"), named_jwk(curve_key(1), "b"), named_jwk(curve_key(2), "c"),
                              named_jwk(curve_key(3), "d")});
  EXPECT_EQ(outcome(four, sign(curve_key(3), "ES256", "{}")), "ok");
  EXPECT_EQ(outcome(four, sign(curve_key(4), "ES256", "{}")), "bad_signature");
  const auto five = with_set({named_jwk(curve_key(0), "a"), named_jwk(curve_key(1), "b"), named_jwk(curve_key(2), "c"),
                              named_jwk(curve_key(3), "d"), named_jwk(curve_key(4), "e")});
  EXPECT_EQ(outcome(five, sign(curve_key(0), "ES256", "{}")), "unknown_key") << "a check each, for any token at all";
  EXPECT_EQ(outcome(five, sign(curve_key(4), "ES256", "{}", "e")), "ok");
}

TEST(JwtKid, MeansNothingIfNoKeyHasOne) {
  const auto verifier = with_set({jwk(curve_key(0)), jwk(curve_key(1))});
  EXPECT_EQ(outcome(verifier, sign(curve_key(1), "ES256", "{}", "whatever")), "ok");
  EXPECT_EQ(outcome(verifier, sign(curve_key(2), "ES256", "{}", "whatever")), "bad_signature");
}

TEST(JwtKid, OfNoKnownKeyMayBelongToAKeyWithoutAKid) {
  const auto verifier = with_pem_and_set({named_jwk(curve_key(1), "b")});
  EXPECT_EQ(outcome(verifier, sign(curve_key(0), "ES256", "{}", "the issuer's own name for it")), "ok");
  EXPECT_EQ(outcome(verifier, sign(curve_key(1), "ES256", "{}", "b")), "ok");
  EXPECT_EQ(outcome(verifier, sign(curve_key(0), "ES256", "{}", "b")), "bad_signature") << "that name is taken";
  EXPECT_EQ(outcome(verifier, sign(curve_key(2), "ES256", "{}", "c")), "unknown_key") << "a newer set may have it";
  EXPECT_EQ(outcome(verifier, sign(curve_key(0), "ES256", "{}")), "ok");
  EXPECT_EQ(outcome(verifier, sign(curve_key(1), "ES256", "{}")), "ok");
}

}  // namespace
}  // namespace headgate::identity
