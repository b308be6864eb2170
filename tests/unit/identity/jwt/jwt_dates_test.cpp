// When a token is valid, and how long a result stays true.

#include "jwt_fixture.hpp"

#include <optional>
#include <utility>

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

JwtIssuer with_leeway(Duration leeway) {
  auto issuer = hs256_issuer();
  issuer.leeway = leeway;
  return issuer;
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
  EXPECT_EQ(outcome_of_claims(at("exp", -30), hs256_issuer(), kNow - microseconds(1)), "ok");
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
  EXPECT_EQ(outcome_of_claims(R"({"sub":"a"})", hs256_issuer(), Instant(seconds(250'000'000'000))), "ok");
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

TEST(JwtDates, AreMalformedIfTheyAreNotDates) {
  for (const auto* name : {"exp", "nbf", "iat"}) {
    for (const auto* value :
         {R"("1900000000")", "null", "true", "[1900000000]", "{}", "-1", "-0.5", "253402300800", "1e300",
          "18446744073709551615", "18446744073709551616", "-9223372036854775808", "1900000000000", R"("")"}) {
      EXPECT_EQ(outcome_of_claims(claim(name, value)), "malformed") << name << ' ' << value;
    }
  }
  EXPECT_EQ(outcome_of_claims(R"({"exp":253402300799})"), "ok") << "the last second of 9999";
  EXPECT_EQ(outcome_of_claims(R"({"nbf":0})"), "ok");
}

TEST(JwtIat, LiesNoFurtherAheadThanTheLeeway) {
  EXPECT_EQ(outcome_of_claims(at("iat", 30)), "ok");
  EXPECT_EQ(outcome_of_claims(at("iat", 31)), "not_yet_valid");
  EXPECT_EQ(outcome_of_claims(at("iat", -1'000'000'000)), "ok") << "no max_age is configured";
}

TEST(JwtMaxAge, EndsATokenWithoutExp) {
  auto issuer = with_leeway(Duration::zero());
  issuer.max_age = std::chrono::minutes(1);
  EXPECT_EQ(outcome_of_claims(at("iat", -59), issuer), "ok");
  EXPECT_EQ(outcome_of_claims(at("iat", -60), issuer), "too_old");
  EXPECT_EQ(outcome_of_claims(at("iat", -60), issuer, kNow - microseconds(1)), "ok");
  issuer.leeway = seconds(5);
  EXPECT_EQ(outcome_of_claims(at("iat", -64), issuer), "ok");
  EXPECT_EQ(outcome_of_claims(at("iat", -65), issuer), "too_old");
}

TEST(JwtMaxAge, NeedsAnIat) {
  auto issuer = with_leeway(Duration::zero());
  issuer.max_age = std::chrono::minutes(1);
  EXPECT_EQ(outcome_of_claims(at("exp", 10), issuer), "too_old");
  EXPECT_EQ(outcome_of_claims(R"({"exp":1900000000,"nbf":0})", issuer), "too_old");
}

/// Claims of dates relative to now; "" leaves one out.
std::string dates(std::string_view exp, std::string_view nbf, std::string_view iat) {
  std::string out = R"({"sub":"a")";
  const auto add = [&](std::string_view name, std::string_view offset) {
    if (!offset.empty())
      out += ",\"" + std::string(name) + "\":" + std::to_string(kSeconds + std::stoll(std::string(offset)));
  };
  add("exp", exp);
  add("nbf", nbf);
  add("iat", iat);
  return out + '}';
}

struct Span {
  const char *exp, *nbf, *iat;  // relative to now
  std::optional<seconds> max_age;
  Instant from, until;
};

TEST(JwtLifetime, IsReturnedWithAVerifiedToken) {
  const auto leeway = seconds(10);
  for (const auto& [exp, nbf, iat, max_age, from, until] : {
           Span{"", "", "", {}, Instant{}, Instant::max()},
           Span{"60", "", "", {}, Instant{}, kNow + seconds(70)},
           Span{"", "-60", "", {}, kNow - seconds(70), Instant::max()},
           Span{"60", "-60", "-50", {}, kNow - seconds(60), kNow + seconds(70)},
           Span{"60", "-40", "-50", {}, kNow - seconds(50), kNow + seconds(70)},
           Span{"60", "", "-50", seconds(100), kNow - seconds(60), kNow + seconds(60)},
           Span{"30", "", "-50", seconds(100), kNow - seconds(60), kNow + seconds(40)},
       }) {
    auto issuer = with_leeway(leeway);
    issuer.max_age = max_age;
    const auto token = test::sign_hs256(kSecret, dates(exp, nbf, iat));
    const auto verifier = verifier_for(issuer);
    const auto verified = verifier->verify(token, kNow);
    ASSERT_TRUE(verified) << dates(exp, nbf, iat) << ": " << to_text(verified.error().error);
    EXPECT_EQ(verified->good_from, from) << dates(exp, nbf, iat);
    EXPECT_EQ(verified->good_until, until) << dates(exp, nbf, iat);
    EXPECT_EQ(outcome(verifier, token, from), "ok");
    if (until == Instant::max()) continue;
    EXPECT_EQ(outcome(verifier, token, until - microseconds(1)), "ok");
    EXPECT_NE(outcome(verifier, token, until), "ok");
  }
}

TEST(JwtLifetime, TellsWhenATokenThatIsNotYetGoodWillBe) {
  const auto token = test::sign_hs256(kSecret, dates("200", "100", "50"));
  const auto verifier = verifier_for(with_leeway(seconds(10)));
  const auto early = verifier->verify(token, kNow);
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().error, JwtError::not_yet_valid);
  EXPECT_EQ(early.error().until, kNow + seconds(90));
  EXPECT_EQ(outcome(verifier, token, early.error().until - microseconds(1)), "not_yet_valid");
  EXPECT_EQ(outcome(verifier, token, early.error().until), "ok");
}

TEST(JwtLifetime, MayEndBeforeItBegins) {
  const auto token = test::sign_hs256(kSecret, dates("100", "200", ""));
  const auto verifier = verifier_for(with_leeway(Duration::zero()));
  const auto early = verifier->verify(token, kNow);
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().error, JwtError::not_yet_valid);
  EXPECT_EQ(early.error().until, kNow + seconds(100));
  EXPECT_EQ(outcome(verifier, token, early.error().until), "expired");
}

TEST(JwtLifetime, MakesEveryOtherRefusalLastForEver) {
  auto issuer = hs256_issuer();
  issuer.issuer = "joe";
  issuer.audiences = {"api"};
  issuer.max_age = std::chrono::hours(1);
  const auto verifier = verifier_for(issuer);
  const auto good = std::string(R"("iss":"joe","aud":"api","iat":)") + std::to_string(kSeconds);
  EXPECT_EQ(outcome(verifier, test::sign_hs256(kSecret, '{' + good + '}')), "ok");
  for (const auto& [claims, error] : {
           std::pair('{' + good + R"(,"exp":1})", JwtError::expired),
           std::pair(std::string(R"({"iss":"joe","aud":"api","iat":1})"), JwtError::too_old),
           std::pair(std::string(R"({"iss":"joe","aud":"api"})"), JwtError::too_old),
           std::pair(std::string(R"({"iss":"jim","nbf":1900000000})"), JwtError::wrong_issuer),
           std::pair(std::string(R"({"iss":"joe","nbf":1900000000})"), JwtError::wrong_audience),
           std::pair('{' + good + R"(,"exp":"never"})", JwtError::malformed),
       }) {
    const auto refused = verifier->verify(test::sign_hs256(kSecret, claims), kNow);
    ASSERT_FALSE(refused) << claims;
    EXPECT_EQ(refused.error().error, error) << claims;
    EXPECT_EQ(refused.error().until, Instant::max()) << claims;
  }
  const auto forged = verifier->verify(test::sign_hs256("another", '{' + good + '}'), kNow);
  ASSERT_FALSE(forged);
  EXPECT_EQ(forged.error().until, Instant::max());
}

}  // namespace
}  // namespace headgate::identity
