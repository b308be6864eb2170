// Tokens that break RFC 7515 are refused, signed or not.

#include "jwt_fixture.hpp"

namespace headgate::identity {
namespace {

using namespace test_keys;
using test::base64url;

std::string good() { return test::sign_hs256(kSecret, R"({"sub":"a"})"); }

/// A token of these parts as they are, signed.
std::string signed_parts(const std::string& header, const std::string& payload) {
  const auto input = header + '.' + payload;
  return input + '.' + base64url(test::hmac(kSecret, input));
}
const std::string kHeader = base64url(R"({"alg":"HS256"})");

TEST(JwtForm, IsExactlyThreeParts) {
  const auto token = good();
  EXPECT_EQ(outcome(hs256_issuer(), token), "ok");
  EXPECT_EQ(outcome(hs256_issuer(), ""), "malformed");
  EXPECT_EQ(outcome(hs256_issuer(), "."), "malformed");
  EXPECT_EQ(outcome(hs256_issuer(), ".."), "malformed");
  EXPECT_EQ(outcome(hs256_issuer(), token.substr(0, token.rfind('.'))), "malformed");
  EXPECT_EQ(outcome(hs256_issuer(), token + '.'), "malformed");
  EXPECT_EQ(outcome(hs256_issuer(), '.' + token), "malformed");
  EXPECT_EQ(outcome(hs256_issuer(), token + ".e30"), "malformed");
  EXPECT_EQ(outcome(hs256_issuer(), token + ".e30.e30"), "malformed") << "five parts are an encrypted token";
}

TEST(JwtForm, CutShortAtAnyPlaceIsRefused) {
  const auto token = good();
  for (std::size_t size = 0; size < token.size(); ++size)
    EXPECT_NE(outcome(hs256_issuer(), token.substr(0, size)), "ok") << size;
}

TEST(JwtForm, HasNoPaddingSpaceOrForeignCharacter) {
  const auto token = good();
  for (const auto* text : {"=", "==", " ", "\n", "\t", "+", "/", "%3D", "\xc3\xa9"}) {
    const std::string tail = text;
    EXPECT_EQ(outcome(hs256_issuer(), token + tail), "malformed") << '"' << tail << '"';
    EXPECT_EQ(outcome(hs256_issuer(), tail + token), "malformed") << '"' << tail << '"';
  }
  EXPECT_EQ(outcome(hs256_issuer(), token + std::string(1, '\0')), "malformed");
  EXPECT_EQ(outcome(hs256_issuer(), signed_parts(kHeader, base64url("{}") + "=")), "malformed")
      << "although it was signed so";
  EXPECT_EQ(outcome(hs256_issuer(), signed_parts(kHeader + "=", base64url("{}"))), "malformed")
      << "although it was signed so";
}

TEST(JwtForm, HasOneSpellingForEachSignature) {
  auto token = good();  // 32 bytes end in four used bits and two unused
  const std::string alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const auto last = alphabet.find(token.back());
  ASSERT_EQ(last % 4, 0U);
  for (std::size_t unused = 1; unused < 4; ++unused) {
    token.back() = alphabet[last + unused];
    EXPECT_EQ(outcome(hs256_issuer(), token), "malformed");
  }
}

TEST(JwtForm, IsRefusedWithALengthThatNoEncoderMakes) {
  EXPECT_EQ(outcome(hs256_issuer(), good() + "AA"), "malformed") << "43 and 2 characters leave one over";
  EXPECT_EQ(outcome(hs256_issuer(), signed_parts(kHeader, "A")), "malformed");
}

TEST(JwtForm, ReachesEightKibibytesAndNoFurther) {
  const auto sized = [](std::size_t size) {
    std::string payload;
    for (std::size_t fill = size * 3 / 4 - 100; payload.size() < size; ++fill) {
      payload = test::sign_hs256(kSecret, R"({"a":")" + std::string(fill, 'x') + R"("})");
    }
    return payload;
  };
  EXPECT_EQ(sized(8192).size(), 8192U);
  EXPECT_EQ(outcome(hs256_issuer(), sized(8192)), "ok");
  EXPECT_EQ(outcome(hs256_issuer(), sized(8193)), "too_large");
  EXPECT_EQ(outcome(hs256_issuer(), std::string(1 << 20, '.')), "too_large") << "before anything else is looked at";
}

TEST(JwtHeader, IsOneJsonObjectWithAnAlg) {
  for (const auto* header :
       {"", "{", "[]", "null", "\"HS256\"", "1", "{}", R"({"typ":"JWT"})", R"({"alg":null})", R"({"alg":256})",
        R"({"alg":["HS256"]})", R"({"alg":{"a":"HS256"}})", R"({"alg":"HS256"}{})", R"({"alg":"HS256"} x)",
        R"({"alg":"HS256",})", R"({'alg':'HS256'})", R"({"Alg":"HS256"})", R"(/**/{"alg":"HS256"})",
        "\xef\xbb\xbf{\"alg\":\"HS256\"}"}) {
    EXPECT_EQ(outcome_of_header(header), "malformed") << header;
  }
  EXPECT_EQ(outcome_of_header(std::string_view("{\"alg\":\"HS256\"}\0trailing", 24)), "malformed")
      << "a NUL ends nothing";
  EXPECT_EQ(outcome_of_header(" {\r\n\t\"alg\" : \"HS256\" } "), "ok");
}

TEST(JwtHeader, NamesNothingTwice) {
  EXPECT_EQ(outcome_of_header(R"({"alg":"HS256","alg":"HS256"})"), "malformed");
  EXPECT_EQ(outcome_of_header(R"({"alg":"none","alg":"HS256"})"), "malformed");
  EXPECT_EQ(outcome_of_header(R"({"alg":"HS256","\u0061lg":"none"})"), "malformed") << "an escape is the same name";
}

TEST(JwtHeader, WithAnExtensionWeMustUnderstandIsRefused) {
  for (const auto* header :
       {R"({"alg":"HS256","crit":["b64"],"b64":false})", R"({"alg":"HS256","crit":["exp"],"exp":1})",
        R"({"alg":"HS256","crit":[]})", R"({"alg":"HS256","crit":null})", R"({"alg":"HS256","b64":false})",
        R"({"alg":"HS256","b64":true})"}) {
    EXPECT_EQ(outcome_of_header(header), "malformed") << header;
  }
}

TEST(JwtHeader, NeedsAnAcceptedType) {
  for (const auto* type : {"JWT", "jwt", "at+jwt", "AT+JWT", "application/jwt", "Application/at+JWT"}) {
    EXPECT_EQ(outcome_of_header(std::string(R"({"alg":"HS256","typ":")") + type + R"("})"), "ok") << type;
  }
  for (const auto* type : {"", "JWS", "JOSE", "dpop+jwt", "logout+jwt", "application/", "application/application/jwt",
                           "JWT ", "x/jwt", "JWT\\u0000"}) {
    EXPECT_EQ(outcome_of_header(std::string(R"({"alg":"HS256","typ":")") + type + R"("})"), "wrong_type") << type;
  }
  EXPECT_EQ(outcome_of_header(R"({"alg":"HS256","typ":1})"), "malformed");
  EXPECT_EQ(outcome_of_header(R"({"alg":"HS256","typ":null})"), "malformed");
}

TEST(JwtHeader, NeedsATypeThatItsIssuerLists) {
  auto issuer = hs256_issuer();
  issuer.demands_type = true;
  issuer.types = {"application/vnd.acme+jwt"};
  const auto typed = [&](std::string_view header) { return outcome(issuer, test::sign_hs256(kSecret, "{}", header)); };
  EXPECT_EQ(typed(R"({"alg":"HS256"})"), "wrong_type") << "whoever lists types wants one";
  EXPECT_EQ(typed(R"({"alg":"HS256","typ":"vnd.acme+jwt"})"), "ok");
  EXPECT_EQ(typed(R"({"alg":"HS256","typ":"application/VND.acme+JWT"})"), "ok");
  EXPECT_EQ(typed(R"({"alg":"HS256","typ":"JWT"})"), "wrong_type");
  issuer.types.clear();
  EXPECT_EQ(typed(R"({"alg":"HS256","typ":"JWT"})"), "wrong_type");
  EXPECT_EQ(typed(R"({"alg":"HS256"})"), "wrong_type");
}

TEST(JwtHeader, NamesItsKeyWithAString) {
  for (const auto* kid : {"1", "null", "[\"a\"]", "{}", "true"}) {
    EXPECT_EQ(outcome_of_header(std::string(R"({"alg":"HS256","kid":)") + kid + '}'), "malformed") << kid;
  }
  EXPECT_EQ(outcome_of_header(R"({"alg":"HS256","kid":"a","kid":"a"})"), "malformed");
}

TEST(JwtPayload, IsOneJsonObject) {
  for (const auto* payload : {"",
                              "[]",
                              "null",
                              "\"a\"",
                              "1",
                              "{",
                              "{}{}",
                              "{}x",
                              R"({"a":1,})",
                              R"({"a":01})",
                              R"({"a":+1})",
                              R"({"a":NaN})",
                              R"({"a":1e999})",
                              R"({"a":"\x"})",
                              R"({"a":"\ud800"})",
                              "{\"a\":\"\xff\"}",
                              "{\"a\":\"\xc0\x80\"}",
                              "{\"a\":\"\xed\xa0\x80\"}",
                              "{\"a\":\"\n\"}",
                              "\xef\xbb\xbf{}"}) {
    EXPECT_EQ(outcome_of_claims(payload), "malformed") << payload;
  }
  EXPECT_EQ(outcome_of_claims(std::string_view("{}\0{\"a\":1}", 10)), "malformed");
}

TEST(JwtPayload, NamesNothingTwice) {
  EXPECT_EQ(outcome_of_claims(R"({"sub":"a","sub":"b"})"), "malformed");
  EXPECT_EQ(outcome_of_claims(R"({"sub":"a","x":1,"s\u0075b":"a"})"), "malformed");
  EXPECT_EQ(outcome_of_claims(R"({"sub":"a","SUB":"b","act":{"sub":"c"}})"), "ok") << "other names, other objects";
}

TEST(JwtPayload, NestsSixteenDeepAndNoFurther) {
  const auto nested = [](std::size_t depth) {  // the object itself is one
    return R"({"a":)" + std::string(depth - 1, '[') + std::string(depth - 1, ']') + '}';
  };
  EXPECT_EQ(outcome_of_claims(nested(16)), "ok");
  EXPECT_EQ(outcome_of_claims(nested(17)), "malformed");
  EXPECT_EQ(outcome_of_claims(nested(2500)), "malformed");
  std::string objects;
  for (int i = 0; i < 900; ++i) objects += R"({"a":)";
  EXPECT_EQ(outcome_of_claims(objects), "malformed");
}

}  // namespace
}  // namespace headgate::identity
