// Attempts to get past the signature.

#include "jwt_fixture.hpp"

#include <openssl/err.h>

#include <thread>
#include <vector>

namespace headgate::identity {
namespace {

using namespace test_keys;
using test::base64url;

TEST(JwtSignature, IsAcceptedFromTheConfiguredKey) {
  EXPECT_EQ(outcome(hs256_issuer(), test::sign_hs256(kSecret, "{}")), "ok");
  EXPECT_EQ(outcome(rs256_issuer(), test::sign_rs256(rsa_key(), "{}")), "ok");
  EXPECT_EQ(outcome(both_issuer(), test::sign_hs256(kSecret, "{}")), "ok");
  EXPECT_EQ(outcome(both_issuer(), test::sign_rs256(rsa_key(), "{}")), "ok");
}

TEST(JwtSignature, OfAnotherKeyIsRefused) {
  EXPECT_EQ(outcome(hs256_issuer(), test::sign_hs256("another secret of thirty-two bytes", "{}")), "bad_signature");
  const auto other = test::make_rsa_key();
  EXPECT_EQ(outcome(rs256_issuer(), test::sign_rs256(other.get(), "{}")), "bad_signature");
}

TEST(JwtSignature, OverOtherClaimsIsRefused) {
  const auto token = test::sign_hs256(kSecret, R"({"sub":"guest"})");
  const auto first = token.find('.');
  const auto second = token.rfind('.');
  const auto forged = token.substr(0, first + 1) + base64url(R"({"sub":"admin"})") + token.substr(second);
  EXPECT_EQ(outcome(hs256_issuer(), forged), "bad_signature");
}

TEST(JwtSignature, CannotBeDeclaredAbsentByAlgNone) {
  for (const auto* none : {"none", "None", "NONE", "nOnE", "", " none"}) {
    const auto header = std::string(R"({"alg":")") + none + R"("})";
    EXPECT_EQ(outcome(both_issuer(), base64url(header) + '.' + base64url("{}") + '.'), "unsupported_algorithm") << none;
    EXPECT_EQ(outcome_of_header(header), "unsupported_algorithm") << none;
  }
}

TEST(JwtSignature, CannotBeMadeWithThePublicKeyAsSecret) {
  const auto pem = rs256_issuer().keys.public_key_pem;
  const auto token = test::sign_hs256(pem, "{}");
  EXPECT_EQ(outcome(rs256_issuer(), token), "unsupported_algorithm");
  EXPECT_EQ(outcome(both_issuer(), token), "bad_signature");
  const auto trimmed = test::sign_hs256(pem.substr(0, pem.size() - 1), "{}");
  EXPECT_EQ(outcome(both_issuer(), trimmed), "bad_signature");
}

TEST(JwtSignature, OfOneAlgorithmUnderTheNameOfAnotherIsRefused) {
  EXPECT_EQ(outcome(both_issuer(), test::sign_hs256(kSecret, "{}", R"({"alg":"RS256"})")), "bad_signature");
  EXPECT_EQ(outcome(both_issuer(), test::sign_rs256(rsa_key(), "{}", R"({"alg":"HS256"})")), "bad_signature");
}

TEST(JwtSignature, OfAnAlgorithmThatIsNotConfiguredIsRefused) {
  EXPECT_EQ(outcome(hs256_issuer(), test::sign_rs256(rsa_key(), "{}")), "unsupported_algorithm");
  EXPECT_EQ(outcome(rs256_issuer(), test::sign_hs256(kSecret, "{}")), "unsupported_algorithm");
  for (const auto* other :
       {"HS384", "HS512", "RS384", "PS256", "ES256", "EdDSA", "hs256", "Hs256", "HS256 ", "HS2567"}) {
    EXPECT_EQ(outcome_of_header(std::string(R"({"alg":")") + other + R"("})"), "unsupported_algorithm") << other;
  }
}

TEST(JwtSignature, OfTheWrongLengthIsRefused) {
  for (const auto& [issuer, token] : {std::pair(hs256_issuer(), test::sign_hs256(kSecret, "{}")),
                                      std::pair(rs256_issuer(), test::sign_rs256(rsa_key(), "{}"))}) {
    const auto input = token.substr(0, token.rfind('.'));
    const auto is_hs256 = issuer.algorithms.front() == JwtAlgorithm::HS256;
    const auto raw = is_hs256 ? test::hmac(kSecret, input) : test::openssl_signature(rsa_key(), "RS256", input);
    EXPECT_EQ(outcome(issuer, input + '.'), "bad_signature") << "empty";
    EXPECT_EQ(outcome(issuer, input + '.' + base64url(raw.substr(0, 16))), "bad_signature") << "a part";
    EXPECT_EQ(outcome(issuer, input + '.' + base64url(raw.substr(0, raw.size() - 1))), "bad_signature")
        << "one byte less";
    EXPECT_EQ(outcome(issuer, input + '.' + base64url(raw + '\0')), "bad_signature") << "one byte more";
    EXPECT_EQ(outcome(issuer, input + '.' + base64url('\0' + raw)), "bad_signature") << "a zero in front";
    EXPECT_EQ(outcome(issuer, input + '.' + base64url(raw)), "ok") << "the right one";
  }
}

TEST(JwtSignature, OfAllZerosOrAllOnesIsRefused) {
  const auto token = test::sign_rs256(rsa_key(), "{}");
  const auto input = token.substr(0, token.rfind('.'));
  EXPECT_EQ(outcome(rs256_issuer(), input + '.' + base64url(std::string(256, '\0'))), "bad_signature");
  EXPECT_EQ(outcome(rs256_issuer(), input + '.' + base64url(std::string(256, '\xff'))), "bad_signature");
}

TEST(JwtSignature, IsNotCheckedWithAKeyTheTokenBrings) {
  const auto attacker = test::make_rsa_key();
  const std::string_view header =
      R"({"alg":"RS256","kid":"../../dev/null","jku":"http://127.0.0.1/k","x5u":"http://127.0.0.1/c","jwk":{"kty":"RSA","n":"AQ","e":"AQAB"}})";
  EXPECT_EQ(outcome(rs256_issuer(), test::sign_rs256(attacker.get(), "{}", header)), "bad_signature");
  EXPECT_EQ(outcome(rs256_issuer(), test::sign_rs256(rsa_key(), "{}", header)), "ok")
      << "such members are ignored, not refused";
}

TEST(JwtSignature, IsCheckedBeforeTheClaimsAreLookedAt) {
  EXPECT_EQ(outcome(hs256_issuer(), test::sign_hs256("wrong", R"({"exp":1})")), "bad_signature");
  EXPECT_EQ(outcome(hs256_issuer(), test::sign_hs256("wrong", "not json")), "bad_signature");
}

TEST(JwtSignature, RefusalsLeaveNoErrorBehindForOthersOnTheThread) {
  ERR_clear_error();
  outcome(rs256_issuer(), test::sign_rs256(rsa_key(), "{}") + "A");
  const auto token = test::sign_rs256(rsa_key(), "{}");
  outcome(rs256_issuer(), token.substr(0, token.rfind('.')) + '.' + base64url(std::string(256, '\xff')));
  EXPECT_EQ(ERR_peek_error(), 0U);
}

TEST(JwtSignature, IsCheckedByManyThreadsWithOneVerifier) {
  const auto verifier = verifier_for(both_issuer());
  const std::vector<std::string> good{test::sign_hs256(kSecret, "{}"), test::sign_rs256(rsa_key(), "{}")};
  std::vector<std::string> bad = good;
  for (auto& token : bad) token[token.size() - 10] = token[token.size() - 10] == 'A' ? 'B' : 'A';
  std::vector<int> wrong(4, 0);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        for (const auto& token : good) wrong[t] += verifier->verify(token, kNow).has_value() ? 0 : 1;
        for (const auto& token : bad) wrong[t] += verifier->verify(token, kNow).has_value() ? 1 : 0;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

}  // namespace
}  // namespace headgate::identity
