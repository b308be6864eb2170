// The claims of a signed token, without its dates.

#include "jwt_fixture.hpp"

namespace headgate::identity {
namespace {

using namespace test_keys;
TEST(JwtIss, MustBeTheConfiguredIssuerToTheLetter) {
  auto issuer = hs256_issuer();
  issuer.issuer = "https://login.example.com/";
  EXPECT_EQ(outcome_of_claims(R"({"iss":"https://login.example.com/"})", issuer), "ok");
  for (const auto* claims :
       {"{}", R"({"iss":"https://login.example.com"})", R"({"iss":"HTTPS://login.example.com/"})", R"({"iss":""})",
        R"({"iss":["https://login.example.com/"]})", R"({"iss":null})", R"({"iss":1})",
        R"({"iss":"https://login.example.com/\u0000"})", R"({"ISS":"https://login.example.com/"})"}) {
    EXPECT_EQ(outcome_of_claims(claims, issuer), "wrong_issuer") << claims;
  }
  EXPECT_EQ(outcome_of_claims(R"({"iss":"anyone"})"), "ok") << "no issuer is configured";
}

TEST(JwtAud, MustBeOrHoldTheConfiguredAudience) {
  auto issuer = hs256_issuer();
  issuer.audiences = {"api"};
  for (const auto* claims : {R"({"aud":"api"})", R"({"aud":["api"]})", R"({"aud":["web","api"]})"}) {
    EXPECT_EQ(outcome_of_claims(claims, issuer), "ok") << claims;
  }
  for (const auto* claims :
       {"{}", R"({"aud":"web"})", R"({"aud":"API"})", R"({"aud":"api "})", R"({"aud":[]})", R"({"aud":["web"]})",
        R"({"aud":[["api"]]})", R"({"aud":["api",1]})", R"({"aud":[{},"api"]})", R"({"aud":[null,"api"]})",
        R"({"aud":{"api":"api"}})", R"({"aud":null})", R"({"aud":true})", R"({"aud":["web"],"x":["api"]})",
        R"({"aud":["web",["api"]]})"}) {
    EXPECT_EQ(outcome_of_claims(claims, issuer), "wrong_audience") << claims;
  }
  EXPECT_EQ(outcome_of_claims(R"({"aud":"anyone"})"), "ok") << "no audience is configured";
}

TEST(JwtAud, MayBeAnyOfSeveral) {
  auto issuer = hs256_issuer();
  issuer.audiences = {"api", "https://api.example.com"};
  EXPECT_EQ(outcome_of_claims(R"({"aud":"api"})", issuer), "ok");
  EXPECT_EQ(outcome_of_claims(R"({"aud":["web","https://api.example.com"]})", issuer), "ok");
  EXPECT_EQ(outcome_of_claims(R"({"aud":["web","https://api.example.com/"]})", issuer), "wrong_audience");
}

TEST(JwtClaims, AreKeptWithTheirTypesForRoutesThatDemandThem) {
  const auto verifier = verifier_for(rs256_issuer());
  const std::string scopes(2000, 's');
  const auto verified = verifier->verify(
      test::sign_rs256(rsa_key(),
                       R"({"sub":"5","org":5,"admin":true,"part":5.5,"none":null,"mixed":["a",1],"scp":["a b","c"],
        "groups":["x\u000ay","ok"],"empty":[],"scope":")" +
                           scopes + R"(","exp":1900000000})"),
      kNow);
  ASSERT_TRUE(verified) << to_text(verified.error().error);
  EXPECT_EQ(verified->literals, (std::vector<std::string>{"org", "admin", "exp"}));
  EXPECT_EQ(verified->lists, (Claims{{"scp", "a b\nc\n"}, {"groups", "ok\n"}, {"scope", scopes + "\n"}}));
  EXPECT_EQ(verified->algorithm, JwtAlgorithm::RS256);
}

TEST(JwtClaims, AreReadAsTextIfTheyCanBeAKey) {
  const auto verifier = verifier_for(rs256_issuer());
  const auto verified = verifier->verify(
      test::sign_rs256(
          rsa_key(), R"({"sub":"Zo\u00eb \ud83d\ude00","org":42,"low":-9223372036854775808,"high":18446744073709551615,
        "admin":true,"trial":false,"empty":"","exp":1900000000})"),
      kNow);
  ASSERT_TRUE(verified) << to_text(verified.error().error);
  EXPECT_EQ(verified->claims, (Claims{{"sub", "Zo\xc3\xab \xf0\x9f\x98\x80"},
                                      {"org", "42"},
                                      {"low", "-9223372036854775808"},
                                      {"high", "18446744073709551615"},
                                      {"admin", "true"},
                                      {"trial", "false"},
                                      {"empty", ""},
                                      {"exp", "1900000000"}}));
}

TEST(JwtClaims, AreLeftOutIfTheyCannotBeAKey) {
  const auto verifier = verifier_for(hs256_issuer());
  const auto verified = verifier->verify(
      test::sign_hs256(kSecret,
                       R"({"object":{"sub":"no"},"array":["no"],"fraction":1.5,"huge":18446744073709551616,"null":null,
        "line":"a\nb","nul":"a\u0000b","delete":"a\u007fb","long":")" +
                           std::string(1025, 'x') + R"(","most":")" + std::string(1024, 'x') + R"(","sub":"yes"})"),
      kNow);
  ASSERT_TRUE(verified) << to_text(verified.error().error);
  EXPECT_EQ(verified->claims, (Claims{{"most", std::string(1024, 'x')}, {"sub", "yes"}, {"object.sub", "no"}}));
  // They tell callers apart all the same.
  std::vector<std::string> digested;
  for (const auto& [name, digest] : verified->digests) {
    digested.push_back(name);
    EXPECT_EQ(digest.size(), 33U) << name;
    EXPECT_EQ(digest.front(), '~');
  }
  EXPECT_EQ(digested, (std::vector<std::string>{"array", "delete", "fraction", "huge", "line", "long", "nul"}));
}

TEST(JwtClaims, WithOneDigestHaveOneValue) {
  const auto verifier = verifier_for(hs256_issuer());
  const auto digest = [&](const std::string& claims) {
    const auto verified = verifier->verify(test::sign_hs256(kSecret, claims), kNow);
    return verified ? verified->digests.find("n")->second : std::string("refused");
  };
  const std::string long_text(2000, 'x');
  EXPECT_EQ(digest(R"({"n":")" + long_text + R"("})"), digest(R"({"a":1,"n":")" + long_text + R"("})"));
  EXPECT_NE(digest(R"({"n":")" + long_text + R"("})"), digest(R"({"n":")" + long_text + R"(x"})"));
  EXPECT_NE(digest(R"({"n":["ab"]})"), digest(R"({"n":["a","b"]})"));
  EXPECT_NE(digest(R"({"n":[1,{"a":2}]})"), digest(R"({"n":[1,{"a":3}]})"));
  EXPECT_NE(digest(R"({"n":1.5})"), digest(R"({"n":2.5})"));
}

TEST(JwtClaims, InObjectsAreFoundByTheirPaths) {
  const auto verifier = verifier_for(hs256_issuer());
  const auto verified = verifier->verify(
      test::sign_hs256(kSecret,
                       R"({"realm_access":{"roles":["user","admin"],"org":{"id":42,"name":"acme"}},"a.b":"own",
        "a":{"b":"nested","c":"x"},"https://example.com/roles":["r"],")" +
                           std::string(100, 'l') + R"(":{")" + std::string(28, 'l') + R"(":1}})"),
      kNow);
  ASSERT_TRUE(verified) << to_text(verified.error().error);
  EXPECT_EQ(verified->claims,
            (Claims{{"realm_access.org.id", "42"}, {"realm_access.org.name", "acme"}, {"a.b", "own"}, {"a.c", "x"}}));
  EXPECT_EQ(verified->literals, (std::vector<std::string>{"realm_access.org.id"}));
  EXPECT_EQ(verified->lists, (Claims{{"realm_access.roles", "user\nadmin\n"}, {"https://example.com/roles", "r\n"}}));
  for (const auto* twice :
       {R"({"a":{"b":1,"b":2}})", R"({"a":{"b.c":1,"b":{"c":2}}})", R"({"a":{"b":{"c":1},"b":{}}})"}) {
    const auto refused = verifier->verify(test::sign_hs256(kSecret, twice), kNow);
    EXPECT_EQ(refused.has_value(), std::string_view(twice).ends_with("{}}})")) << twice;
  }
}

}  // namespace
}  // namespace headgate::identity
