// What a signed token says, and when that counts.

#include "jwt_fixture.hpp"

namespace headgate::identity {
namespace {

using namespace test_keys;
using std::chrono::microseconds;
using std::chrono::seconds;

constexpr auto kSeconds = 1'800'000'000LL;  // kNow

std::string claim(std::string_view name, std::string_view json) {
  return "{\"" + std::string(name) + "\":" + std::string(json) + '}';
}
std::string at(std::string_view name, long long offset) { return claim(name, std::to_string(kSeconds + offset)); }

JwtOptions with_leeway(Duration leeway) {
  auto options = hs256_options();
  options.leeway = leeway;
  return options;
}

TEST(JwtExp, EndsATokenAtThatMoment) {
  const auto strict = with_leeway(Duration::zero());
  EXPECT_EQ(outcome_of_claims(at("exp", 1), strict), "ok");
  EXPECT_EQ(outcome_of_claims(at("exp", 0), strict), "expired");
  EXPECT_EQ(outcome_of_claims(at("exp", 0), strict, kNow - microseconds(1)), "ok");
  EXPECT_EQ(outcome_of_claims(at("exp", -1), strict), "expired");
}

TEST(JwtExp, IsPostponedByTheLeeway) {
  EXPECT_EQ(outcome_of_claims(at("exp", -29)), "ok") << "30 s unless configured";
  EXPECT_EQ(outcome_of_claims(at("exp", -30)), "expired");
  EXPECT_EQ(outcome_of_claims(at("exp", -30), hs256_options(), kNow - microseconds(1)), "ok");
}

TEST(JwtExp, MayHaveFractions) {
  const auto strict = with_leeway(Duration::zero());
  EXPECT_EQ(outcome_of_claims(claim("exp", "1800000000.5"), strict, kNow + microseconds(499'999)), "ok");
  EXPECT_EQ(outcome_of_claims(claim("exp", "1800000000.5"), strict, kNow + microseconds(500'000)), "expired");
  EXPECT_EQ(outcome_of_claims(claim("exp", "1.8e9"), strict), "expired");
  EXPECT_EQ(outcome_of_claims(claim("exp", "1.8e9"), strict, kNow - microseconds(1)), "ok");
}

TEST(JwtExp, MayBeAbsentAndThenTheTokenNeverEnds) {
  EXPECT_EQ(outcome_of_claims(R"({"sub":"a"})"), "ok");
  EXPECT_EQ(outcome_of_claims(R"({"sub":"a"})", hs256_options(), Instant(seconds(250'000'000'000))), "ok");
}

TEST(JwtNbf, BeginsATokenAtThatMoment) {
  const auto strict = with_leeway(Duration::zero());
  EXPECT_EQ(outcome_of_claims(at("nbf", 0), strict), "ok");
  EXPECT_EQ(outcome_of_claims(at("nbf", 1), strict), "not_yet_valid");
  EXPECT_EQ(outcome_of_claims(at("nbf", 0), strict, kNow - microseconds(1)), "not_yet_valid");
}

TEST(JwtNbf, IsBroughtForwardByTheLeeway) {
  EXPECT_EQ(outcome_of_claims(at("nbf", 30)), "ok");
  EXPECT_EQ(outcome_of_claims(at("nbf", 31)), "not_yet_valid");
}

TEST(JwtDates, ThatAreNotDatesAreMalformed) {
  for (const auto* name : {"exp", "nbf"}) {
    for (const auto* value :
         {R"("1900000000")", "null", "true", "[1900000000]", "{}", "-1", "-0.5", "253402300800", "1e300",
          "18446744073709551615", "18446744073709551616", "-9223372036854775808", "1900000000000", R"("")"}) {
      EXPECT_EQ(outcome_of_claims(claim(name, value)), "malformed") << name << ' ' << value;
    }
  }
  EXPECT_EQ(outcome_of_claims(R"({"exp":253402300799})"), "ok") << "the last second of 9999";
  EXPECT_EQ(outcome_of_claims(R"({"nbf":0})"), "ok");
}

TEST(JwtIss, MustBeTheConfiguredIssuerToTheLetter) {
  auto options = hs256_options();
  options.issuer = "https://login.example.com/";
  EXPECT_EQ(outcome_of_claims(R"({"iss":"https://login.example.com/"})", options), "ok");
  for (const auto* claims :
       {"{}", R"({"iss":"https://login.example.com"})", R"({"iss":"HTTPS://login.example.com/"})", R"({"iss":""})",
        R"({"iss":["https://login.example.com/"]})", R"({"iss":null})", R"({"iss":1})",
        R"({"iss":"https://login.example.com/\u0000"})", R"({"ISS":"https://login.example.com/"})"}) {
    EXPECT_EQ(outcome_of_claims(claims, options), "wrong_issuer") << claims;
  }
  EXPECT_EQ(outcome_of_claims(R"({"iss":"anyone"})"), "ok") << "no issuer is configured";
}

TEST(JwtAud, MustBeOrHoldTheConfiguredAudience) {
  auto options = hs256_options();
  options.audience = "api";
  for (const auto* claims : {R"({"aud":"api"})", R"({"aud":["api"]})", R"({"aud":["web","api"]})"}) {
    EXPECT_EQ(outcome_of_claims(claims, options), "ok") << claims;
  }
  for (const auto* claims :
       {"{}", R"({"aud":"web"})", R"({"aud":"API"})", R"({"aud":"api "})", R"({"aud":[]})", R"({"aud":["web"]})",
        R"({"aud":[["api"]]})", R"({"aud":["api",1]})", R"({"aud":[{},"api"]})", R"({"aud":[null,"api"]})",
        R"({"aud":{"api":"api"}})", R"({"aud":null})", R"({"aud":true})", R"({"aud":["web"],"x":["api"]})",
        R"({"aud":["web",["api"]]})"}) {
    EXPECT_EQ(outcome_of_claims(claims, options), "wrong_audience") << claims;
  }
  EXPECT_EQ(outcome_of_claims(R"({"aud":"anyone"})"), "ok") << "no audience is configured";
}

TEST(JwtClaims, AreTakenAsTextWhereTheyCanBeAKey) {
  const auto verifier = *JwtVerifier::make(rs256_options());
  const auto claims = verifier->verify(
      test::sign_rs256(
          rsa_key(), R"({"sub":"Zo\u00eb \ud83d\ude00","org":42,"low":-9223372036854775808,"high":18446744073709551615,
        "admin":true,"trial":false,"empty":"","exp":1900000000})"),
      kNow);
  ASSERT_TRUE(claims) << to_text(claims.error());
  EXPECT_EQ(*claims, (Claims{{"sub", "Zo\xc3\xab \xf0\x9f\x98\x80"},
                             {"org", "42"},
                             {"low", "-9223372036854775808"},
                             {"high", "18446744073709551615"},
                             {"admin", "true"},
                             {"trial", "false"},
                             {"empty", ""},
                             {"exp", "1900000000"}}));
}

TEST(JwtClaims, ThatCannotBeAKeyAreLeftOut) {
  const auto verifier = *JwtVerifier::make(hs256_options());
  const auto claims = verifier->verify(
      test::sign_hs256(kSecret,
                       R"({"object":{"sub":"no"},"array":["no"],"fraction":1.5,"huge":18446744073709551616,"null":null,
        "line":"a\nb","nul":"a\u0000b","delete":"a\u007fb","long":")" +
                           std::string(1025, 'x') + R"(","most":")" + std::string(1024, 'x') + R"(","sub":"yes"})"),
      kNow);
  ASSERT_TRUE(claims) << to_text(claims.error());
  EXPECT_EQ(*claims, (Claims{{"most", std::string(1024, 'x')}, {"sub", "yes"}}));
}

}  // namespace
}  // namespace headgate::identity
