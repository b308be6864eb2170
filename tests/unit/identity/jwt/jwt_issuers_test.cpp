// Several issuers: a token belongs to the issuer that it claims, and only its keys are tried.

#include "jwt_fixture.hpp"

namespace headgate::identity {
namespace {

using namespace test_keys;

const std::string kOtherSecret = "fedcba9876543210fedcba9876543210";

JwtIssuer named(const std::string& name, const std::string& secret) {
  auto issuer = hs256_issuer();
  issuer.issuer = name;
  issuer.keys.secret = secret;
  return issuer;
}

/// Two issuers; "a" has the usual secret, "b" the other one.
JwtOptions two() {
  JwtOptions options;
  options.issuers = {named("a", kSecret), named("b", kOtherSecret)};
  return options;
}

VerifierPtr verifier_of(const JwtOptions& options) {
  std::vector<KeysPtr> keys;
  for (const auto& issuer : options.issuers) keys.push_back(*JwtKeys::of_configuration(issuer));
  return *JwtVerifier::make(options, std::move(keys));
}

std::string objection(const JwtOptions& options) {
  const auto made = JwtVerifier::make(options, {});
  return made ? "" : made.error();
}

TEST(JwtIssuers, SignOnlyForThemselves) {
  const auto verifier = verifier_of(two());
  EXPECT_EQ(outcome(verifier, test::sign_hs256(kSecret, R"({"iss":"a"})")), "ok");
  EXPECT_EQ(outcome(verifier, test::sign_hs256(kOtherSecret, R"({"iss":"b"})")), "ok");
  EXPECT_EQ(outcome(verifier, test::sign_hs256(kSecret, R"({"iss":"b"})")), "bad_signature");
  EXPECT_EQ(outcome(verifier, test::sign_hs256(kOtherSecret, R"({"iss":"a"})")), "bad_signature");
}

TEST(JwtIssuers, AreKnownByNameToTheLetter) {
  const auto verifier = verifier_of(two());
  for (const auto* claims : {"{}", R"({"iss":"c"})", R"({"iss":"A"})", R"({"iss":""})", R"({"iss":["a"]})",
                             R"({"iss":null})", R"({"iss":"a\u0000"})", R"({"sub":"a"})"}) {
    EXPECT_EQ(outcome(verifier, test::sign_hs256(kSecret, claims)), "wrong_issuer") << claims;
  }
  EXPECT_EQ(outcome(verifier, test::sign_hs256(kSecret, R"({"iss":"a","iss":"b"})")), "malformed");
  EXPECT_EQ(outcome(verifier, test::sign_hs256(kSecret, "no claims")), "malformed");
}

TEST(JwtIssuers, HaveRulesOfTheirOwn) {
  auto options = two();
  options.issuers[0].audiences = {"api"};
  options.issuers[1].types = {"at+jwt"};
  options.issuers[1].algorithms = {JwtAlgorithm::HS384, JwtAlgorithm::HS256};
  options.issuers[1].keys.secret = std::string(48, 's');
  const auto verifier = verifier_of(options);
  EXPECT_EQ(outcome(verifier, test::sign_hs256(kSecret, R"({"iss":"a"})")), "wrong_audience");
  EXPECT_EQ(outcome(verifier, test::sign_hs256(std::string(48, 's'), R"({"iss":"b"})")), "wrong_type");
  EXPECT_EQ(outcome(verifier, test::sign(std::string(48, 's'), "HS384", R"({"iss":"b"})")), "ok");
  EXPECT_EQ(outcome(verifier, test::sign(std::string(48, 's'), "HS384", R"({"iss":"a"})")), "unsupported_algorithm");
}

TEST(JwtIssuers, AreToldWithARefusal) {
  const auto options = two();
  const auto verifier = *JwtVerifier::make(options, {*JwtKeys::of_configuration(options.issuers[0]), nullptr});
  const auto refused = verifier->verify(test::sign_hs256(kOtherSecret, R"({"iss":"b"})"), kNow);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().error, JwtError::no_keys);
  EXPECT_EQ(refused.error().issuer, 1U);
  EXPECT_EQ(outcome(verifier, test::sign_hs256(kSecret, R"({"iss":"a"})")), "ok") << "the other one is not held up";
}

TEST(JwtIssuers, WithoutKeysYetRefuseForThatReasonOnly) {
  JwtOptions options;
  options.issuers = {hs256_issuer()};
  const auto verifier = *JwtVerifier::make(options, {});
  EXPECT_EQ(outcome(verifier, test::sign_hs256(kSecret, "{}")), "no_keys");
  EXPECT_EQ(outcome(verifier, test::sign_hs256(kSecret, "{}", R"({"alg":"none"})")), "unsupported_algorithm");
  EXPECT_EQ(outcome(verifier, test::sign_hs256(kSecret, "{}", R"({"alg":"RS256"})")), "unsupported_algorithm");
  EXPECT_EQ(outcome(verifier, "a.b"), "malformed");
}

TEST(JwtIssuers, MustHaveDifferentNames) {
  EXPECT_EQ(objection(JwtOptions{}), "no issuer is named");
  auto options = two();
  EXPECT_EQ(objection(options), "");
  options.issuers[1].issuer = "a";
  EXPECT_EQ(objection(options), R"(two issuers have the same "issuer")");
  options.issuers[1].issuer.clear();
  EXPECT_EQ(objection(options), R"(with several issuers, each needs its "issuer", to tell their tokens apart)");
}

TEST(JwtIssuers, NeedRulesThatCanBeKept) {
  JwtOptions options;
  options.issuers = {hs256_issuer()};
  auto& issuer = options.issuers[0];
  for (const auto& [leeway, good] :
       {std::pair(Duration(-1), false), std::pair(Duration(0), true), std::pair(Duration(std::chrono::hours(24)), true),
        std::pair(Duration(std::chrono::hours(24)) + Duration(1), false)}) {
    issuer.leeway = leeway;
    EXPECT_EQ(objection(options), good ? "" : "the leeway must be between 0 and 1 day");
  }
  issuer.leeway = Duration(0);
  for (const auto& [age, good] : {std::pair(Duration(-1), false), std::pair(Duration(0), false),
                                  std::pair(Duration(1), true), std::pair(Duration::max(), false)}) {
    issuer.max_age = age;
    EXPECT_EQ(objection(options), good ? "" : "the max_age must be above 0 and at most 100 years");
  }
  issuer.max_age.reset();
  issuer.algorithms.clear();
  EXPECT_NE(objection(options).find("no algorithm is allowed"), std::string::npos);
}

}  // namespace
}  // namespace headgate::identity
