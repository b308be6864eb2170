// JWK Sets: which keys are used, which are ignored, and when the whole set is refused.

#include "jwt_fixture.hpp"
#include "support/jwk_writer.hpp"

namespace headgate::identity {
namespace {

using test::json_member;
using test::jwk;
using test::jwk_set;
using test::named_jwk;
using test_keys::rsa_key;

const std::vector<JwtAlgorithm> kRsaAndEc{JwtAlgorithm::RS256, JwtAlgorithm::ES256};

EVP_PKEY* curve_key() {
  static const auto key = test::make_curve_key("P-256");
  return key.get();
}

std::string refusal(std::string_view set, const std::vector<JwtAlgorithm>& algorithms = kRsaAndEc) {
  const auto keys = JwtKeys::of_jwk_set(set, algorithms);
  return keys ? "" : keys.error();
}
/// How many keys are used of a valid one and `more`.
std::size_t taken_beside(const std::string& more) {
  return keys_of_set(jwk_set({jwk(curve_key()), more}), kRsaAndEc)->size();
}

TEST(JwkSet, PassesOverKeysThatAreForSomethingElse) {
  EXPECT_EQ(taken_beside(jwk(rsa_key())), 2U);
  for (const auto& more :
       {jwk(rsa_key(), json_member("use", "enc")), jwk(rsa_key(), R"(,"key_ops":["encrypt"])"),
        jwk(rsa_key(), R"(,"key_ops":[])"), jwk(rsa_key(), json_member("alg", "RS512")),
        jwk(rsa_key(), json_member("alg", "RSA-OAEP")), jwk(rsa_key(), json_member("alg", "none")),
        std::string(R"({"kty":"AKP","alg":"ML-DSA-44","pub":"AAAA"})"), std::string(R"({"kty":"rsa"})"),
        std::string(R"({"kty":"EC","crv":"secp256k1","x":"AA","y":"AA"})"),
        std::string(R"({"kty":"EC","crv":"P-384","x":"AA","y":"AA"})"), std::string(R"({"kty":"EC"})"),
        std::string(R"({"kty":"OKP","crv":"X25519","x":"AA"})"), std::string(R"({"kty":"oct","k":"AA"})")}) {
    EXPECT_EQ(taken_beside(more), 1U) << more;
  }
}

TEST(JwkSet, TakesKeysThatSayTheyAreForSignatures) {
  for (const auto& more : {jwk(rsa_key(), json_member("use", "sig")), jwk(rsa_key(), R"(,"key_ops":["sign","verify"])"),
                           jwk(rsa_key(), json_member("alg", "RS256")), named_jwk(rsa_key(), "r"),
                           jwk(rsa_key(), R"(,"x5c":["not looked at"],"x5u":"http://127.0.0.1:1/","exp":1)")}) {
    EXPECT_EQ(taken_beside(more), 2U) << more;
  }
}

TEST(JwkSet, WithABadKeyStillRotatesTheOthers) {
  for (const auto& more :
       {std::string(R"({"kty":"RSA","kid":"old","n":"AAAA","e":"AQAB"})"), std::string(R"({"kid":"x"})"),
        std::string(R"({"kty":"EC","crv":"P-256","x":"AA","y":"AA"})")}) {
    const auto keys = keys_of_set(jwk_set({jwk(curve_key()), more}), kRsaAndEc);
    EXPECT_EQ(keys->size(), 1U) << more;
    ASSERT_EQ(keys->passed_over().size(), 1U) << more;
    EXPECT_TRUE(keys->passed_over()[0].starts_with("key 2 of the JWK Set is not valid: ")) << keys->passed_over()[0];
  }
}

TEST(JwkSet, IsTheSameWhateverTheOrderOfItsKeys) {
  const auto one = named_jwk(rsa_key(), "1");
  const auto two = named_jwk(curve_key(), "2");
  const auto set = keys_of_set(jwk_set({one, two}), kRsaAndEc);
  EXPECT_TRUE(set->same_as(*keys_of_set(" {\"at\":1,\"keys\":[" + two + " , " + one + "]}", kRsaAndEc)));
  EXPECT_FALSE(set->same_as(*keys_of_set(jwk_set({one}), kRsaAndEc)));
  EXPECT_FALSE(set->same_as(*keys_of_set(jwk_set({one, named_jwk(curve_key(), "3")}), kRsaAndEc)));
}

TEST(JwkSet, IsRefusedWithoutAUsableKey) {
  EXPECT_EQ(refusal(R"({"keys":[]})"), "no key of the JWK Set can be used: none of its 0 is for RS256, ES256");
  EXPECT_EQ(refusal(jwk_set({jwk(rsa_key(), json_member("use", "enc"))})),
            "no key of the JWK Set can be used: none of its 1 is for RS256, ES256");
}

TEST(JwkSet, IsAnObjectWithAListOfKeys) {
  for (const auto* set :
       {"", "null", "[]", "{", "{}", R"({"keys":null})", R"({"keys":{}})", R"({"Keys":[]})", R"({"kty":"RSA"})",
        "<html></html>", "{\"keys\":[]}x", "\xef\xbb\xbf{\"keys\":[]}", "{\"keys\":[],\"a\":\"\xff\"}"}) {
    EXPECT_NE(refusal(set).find("this is not a JWK Set"), std::string::npos) << set << ": " << refusal(set);
  }
  EXPECT_NE(refusal(std::string_view("{\"keys\":[]}\0", 12)).find("this is not a JWK Set"), std::string::npos);
  EXPECT_EQ(refusal(R"({"keys":[)" + jwk(curve_key()) + R"(],"issued":1,"more":{"a":[null]}})"), "");
}

TEST(JwkSet, NamesNothingTwiceAtAnyLevel) {
  const auto key = jwk(curve_key());
  for (const auto& set :
       {R"({"keys":[],"keys":[)" + key + "]}", jwk_set({jwk(curve_key(), R"(,"kid":"a","kid":"a")")}),
        jwk_set({jwk(curve_key(), R"(,"kid":"a","\u006bid":"b")")}),
        jwk_set({jwk(curve_key(), R"(,"oth":{"a":1,"a":1})")}), R"({"a":1,"keys":[)" + key + R"(],"a":1})"}) {
    EXPECT_NE(refusal(set).find("names a member twice"), std::string::npos) << refusal(set);
  }
  EXPECT_EQ(refusal(jwk_set({named_jwk(curve_key(), "a"), named_jwk(rsa_key(), "b")})), "") << "in two keys it may";
}

TEST(JwkSet, NestsSixteenDeepAndNoFurther) {
  const auto nested = [](std::size_t depth) {
    return jwk_set({jwk(curve_key(), R"(,"deep":)" + std::string(depth, '[') + std::string(depth, ']'))});
  };
  const auto with = [](std::size_t depth) {
    return R"({"a":)" + std::string(depth - 1, '[') + std::string(depth - 1, ']') + R"(,"keys":[)" + jwk(curve_key()) +
           "]}";
  };
  EXPECT_EQ(refusal(with(16)), "");
  EXPECT_NE(refusal(with(17)).find("nests deeper than 16"), std::string::npos);
  EXPECT_NE(refusal(nested(100'000)).find("nests deeper than 16"), std::string::npos);
}

TEST(JwkSet, IsBoundedInSizeAndInKeys) {
  EXPECT_EQ(refusal(std::string(1024UL * 1024 + 1, ' ')), "the JWK Set is larger than 1 MiB");
  const auto filled = [](std::size_t count) {
    std::string list = jwk(curve_key());
    for (std::size_t i = 1; i < count; ++i) list += R"(,{"kty":"other"})";
    return R"({"keys":[)" + list + "]}";
  };
  EXPECT_EQ(refusal(filled(256)), "");
  EXPECT_EQ(refusal(filled(257)), "the JWK Set has more than 256 keys");
}

TEST(JwkSet, IsRefusedIfTwoKeysOfAnAlgorithmHaveTheSameKid) {
  const auto other = test::make_curve_key("P-256");
  EXPECT_EQ(refusal(jwk_set({named_jwk(curve_key(), "a"), named_jwk(other.get(), "a")})),
            "key 2 of the JWK Set is not valid: another has the same \"kid\" and is for the same algorithm");
  EXPECT_EQ(refusal(jwk_set({named_jwk(curve_key(), "a"), named_jwk(rsa_key(), "a")})), "");
  EXPECT_EQ(refusal(jwk_set({jwk(curve_key()), jwk(other.get())})), "") << "without names they are all tried";
}

TEST(JwkSet, WithAPrivateKeyIsRefusedWithoutQuotingIt) {
  const std::string hidden = "c2VjcmV0";
  for (const auto* member : {"d", "p", "q", "dp", "dq", "qi", "oth"}) {
    for (const auto& published :
         {jwk(rsa_key(), json_member(member, hidden)), jwk(curve_key(), json_member(member, hidden)),
          jwk(rsa_key(), json_member("use", "enc") + json_member(member, hidden)),
          R"({"kty":"OKP","crv":"X25519","x":"AA")" + json_member(member, hidden) + '}'}) {
      const auto message = refusal(jwk_set({jwk(curve_key()), published}));
      EXPECT_NE(message.find("key 2 of the JWK Set is not valid: it publishes a private key"), std::string::npos)
          << message;
      EXPECT_EQ(message.find(hidden), std::string::npos);
    }
  }
}

TEST(JwkSet, HasMembersOfTheRightKind) {
  for (const auto& [key, objection] : {
           std::pair(std::string("1"), "it is not an object"),
           std::pair(std::string("{}"), "its \"kty\" is missing"),
           std::pair(std::string(R"({"kty":1})"), "its \"kty\" is not a string"),
           std::pair(jwk(curve_key(), R"(,"kid":1)"), "its \"kid\" is not a string"),
           std::pair(jwk(curve_key(), R"(,"kid":null)"), "its \"kid\" is not a string"),
           std::pair(jwk(curve_key(), R"(,"use":["sig"])"), "its \"use\" is not a string"),
           std::pair(jwk(curve_key(), R"(,"alg":256)"), "its \"alg\" is not a string"),
           std::pair(jwk(curve_key(), R"(,"key_ops":"verify")"), "its \"key_ops\" is not a list of strings"),
           std::pair(jwk(curve_key(), R"(,"key_ops":["verify",1])"), "its \"key_ops\" is not a list of strings"),
           std::pair(std::string(R"({"kty":"EC","crv":1})"), "its \"crv\" is not a string"),
       }) {
    EXPECT_EQ(refusal(jwk_set({key})), std::string("key 1 of the JWK Set is not valid: ") + objection) << key;
  }
}

}  // namespace
}  // namespace headgate::identity
