// Forged signatures: the known attacks on JWT libraries.

#include "jwt_fixture.hpp"
#include "support/jwk_writer.hpp"

#include <openssl/ec.h>

namespace headgate::identity {
namespace {

using namespace test_keys;
using test::base64url;
using test::jose_header;
using test::jose_signature;
using test::openssl_signature;
using test::signing_input;

EVP_PKEY* ec_key() {
  static const auto key = test::make_curve_key("P-256");
  return key.get();
}
EVP_PKEY* ed_key() {
  static const auto key = test::make_curve_key("ED25519");
  return key.get();
}

std::string es256_outcome(std::string_view signature) {
  const auto input = signing_input(jose_header("ES256"), "{}");
  return outcome(issuer_with(ec_key(), JwtAlgorithm::ES256), input + '.' + base64url(signature));
}

/// The order of P-256, big-endian.
std::string order() {
  const std::unique_ptr<EC_GROUP, decltype(&EC_GROUP_free)> group(EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1),
                                                                  EC_GROUP_free);
  std::string out(32, '\0');
  BN_bn2binpad(EC_GROUP_get0_order(group.get()), reinterpret_cast<unsigned char*>(out.data()), 32);
  return out;
}

std::string number(char value) { return std::string(31, '\0') + value; }

TEST(EcdsaForgery, WithAnRorSOutsideItsRangeIsRefused) {
  const auto zero = number(0);
  const auto one = number(1);
  const auto n = order();
  for (const auto& [r, s] : {std::pair(zero, zero), std::pair(zero, one), std::pair(one, zero), std::pair(n, one),
                             std::pair(one, n), std::pair(n, n), std::pair(zero, n), std::pair(n, zero),
                             std::pair(one, one), std::pair(std::string(32, '\xff'), one)}) {
    EXPECT_EQ(es256_outcome(r + s), "bad_signature");
  }
}

TEST(EcdsaForgery, WithTheOrderAddedToRIsRefused) {
  // Arithmetic without a range check takes r + n for r; on P-521 such a sum fits into the bytes.
  const auto key = test::make_curve_key("P-521");
  const auto input = signing_input(jose_header("ES512"), "{}");
  const auto raw = jose_signature(key.get(), "ES512", input);
  const std::unique_ptr<EC_GROUP, decltype(&EC_GROUP_free)> group(EC_GROUP_new_by_curve_name(NID_secp521r1),
                                                                  EC_GROUP_free);
  const auto issuer = issuer_with(key.get(), JwtAlgorithm::ES512);
  ASSERT_EQ(outcome(issuer, input + '.' + base64url(raw)), "ok");
  for (const std::size_t half : {0UL, 66UL}) {
    auto* const at = reinterpret_cast<const unsigned char*>(raw.data()) + half;
    const std::unique_ptr<BIGNUM, decltype(&BN_free)> sum(BN_bin2bn(at, 66, nullptr), BN_free);
    BN_add(sum.get(), sum.get(), EC_GROUP_get0_order(group.get()));
    auto forged = raw;
    BN_bn2binpad(sum.get(), reinterpret_cast<unsigned char*>(forged.data()) + half, 66);
    EXPECT_EQ(outcome(issuer, input + '.' + base64url(forged)), "bad_signature");
  }
}

TEST(EcdsaForgery, InDerIsRefused) {
  const auto input = signing_input(jose_header("ES256"), "{}");
  const auto der = openssl_signature(ec_key(), "ES256", input);
  EXPECT_EQ(es256_outcome(der), "bad_signature");
  EXPECT_EQ(es256_outcome(test::raw_ecdsa(der, 32)), "ok") << "the same in JOSE's form";
}

TEST(EcdsaForgery, WithHalvesOfAnotherLengthIsRefused) {
  const auto der = openssl_signature(ec_key(), "ES256", signing_input(jose_header("ES256"), "{}"));
  for (const std::size_t half : {33U, 48U, 66U}) EXPECT_EQ(es256_outcome(test::raw_ecdsa(der, half)), "bad_signature");
}

TEST(EcdsaSignature, IsTakenWithSmallAndLargeNumbersAlike) {
  // DER drops zeros in front and adds one before a high bit; of many signatures some have either.
  const auto verifier = verifier_for(issuer_with(ec_key(), JwtAlgorithm::ES256));
  for (int i = 0; i < 300; ++i) {
    const auto token = test::sign(ec_key(), "ES256", R"({"jti":)" + std::to_string(i) + '}');
    EXPECT_EQ(outcome(verifier, token), "ok") << i;
  }
}

TEST(EcdsaForgery, WithAKeyOnAnotherCurveFindsNoKey) {
  JwtIssuer issuer;
  issuer.algorithms = {JwtAlgorithm::ES256, JwtAlgorithm::ES384};
  const auto p384 = test::make_curve_key("P-384");
  const auto verifier = verifier_with(issuer, keys_of_set(test::jwk_set({test::jwk(p384.get())}), issuer.algorithms));
  EXPECT_EQ(outcome(verifier, test::sign(p384.get(), "ES384", "{}")), "ok");
  EXPECT_EQ(outcome(verifier, test::sign(p384.get(), "ES256", "{}")), "unknown_key") << "P-384 with SHA-256";
}

TEST(PssForgery, WithAnotherSaltIsRefused) {
  auto issuer = issuer_with(rsa_key(), JwtAlgorithm::PS256);
  const auto input = signing_input(jose_header("PS256"), "{}");
  EXPECT_EQ(outcome(issuer, input + '.' + base64url(openssl_signature(rsa_key(), "PS256", input))), "ok");
  for (const int salt : {0, 20, 31, 33, RSA_PSS_SALTLEN_MAX}) {
    EXPECT_EQ(outcome(issuer, input + '.' + base64url(openssl_signature(rsa_key(), "PS256", input, salt))),
              "bad_signature")
        << salt;
  }
}

TEST(EddsaForgery, WithTheOrderAddedToSIsRefused) {
  const auto issuer = issuer_with(ed_key(), JwtAlgorithm::EdDSA);
  const auto input = signing_input(jose_header("EdDSA"), "{}");
  auto raw = jose_signature(ed_key(), "EdDSA", input);
  ASSERT_EQ(outcome(issuer, input + '.' + base64url(raw)), "ok");
  // Arithmetic without a range check takes S + L for S (RFC 8032 section 5.1.7).
  constexpr unsigned char kOrder[32] = {0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7,
                                        0xa2, 0xde, 0xf9, 0xde, 0x14, 0,    0,    0,    0,    0,    0,
                                        0,    0,    0,    0,    0,    0,    0,    0,    0,    0x10};
  unsigned carry = 0;
  for (std::size_t i = 0; i < 32; ++i) {
    carry += static_cast<unsigned char>(raw[32 + i]) + kOrder[i];
    raw[32 + i] = static_cast<char>(carry & 0xff);
    carry >>= 8;
  }
  EXPECT_EQ(outcome(issuer, input + '.' + base64url(raw)), "bad_signature");
}

TEST(HmacForgery, WithAPublicKeyAsSecretIsRefused) {
  for (auto* key : {rsa_key(), ec_key(), ed_key()}) {
    const auto algorithm = key == rsa_key()  ? JwtAlgorithm::RS256
                           : key == ec_key() ? JwtAlgorithm::ES256
                                             : JwtAlgorithm::EdDSA;
    auto issuer = issuer_with(key, algorithm);
    const auto pem = issuer.keys.public_key_pem;
    unsigned char* data = nullptr;
    const int size = i2d_PUBKEY(key, &data);
    const std::string der(reinterpret_cast<char*>(data), static_cast<std::size_t>(size));
    OPENSSL_free(data);
    for (const auto& secret : {pem, pem.substr(0, pem.size() - 1), pem + '\0', der, test::jwk(key)}) {
      const auto token = test::sign_hs256(secret, "{}");
      issuer.algorithms = {algorithm};
      EXPECT_EQ(outcome(issuer, token), "unsupported_algorithm");
      issuer.algorithms = {algorithm, JwtAlgorithm::HS256};
      EXPECT_EQ(outcome(verifier_with(issuer, keys_of_set(test::jwk_set({test::jwk(key)}), issuer.algorithms)), token),
                "unknown_key")
          << "both are listed, and the only key is for one";
    }
  }
}

TEST(EmbeddedKey, IsNeverUsed) {
  const auto attacker = test::make_curve_key("P-256");
  const auto issuer = issuer_with(ec_key(), JwtAlgorithm::ES256);
  const auto jwk = test::jwk(attacker.get());
  for (const auto& member :
       {R"("jwk":)" + jwk, std::string(R"("jku":"http://127.0.0.1:1/keys")"),
        std::string(R"("x5u":"http://127.0.0.1:1/cert")"), std::string(R"("x5c":["MIIB"])"),
        std::string(R"("x5t":"AAAA","x5t#S256":"AAAA")"), R"("jwk":)" + jwk + R"(,"kid":"attacker")"}) {
    const auto input = signing_input(R"({"alg":"ES256",)" + member + '}', "{}");
    EXPECT_EQ(outcome(issuer, input + '.' + base64url(jose_signature(attacker.get(), "ES256", input))), "bad_signature")
        << member;
    EXPECT_EQ(outcome(issuer, input + '.' + base64url(jose_signature(ec_key(), "ES256", input))), "ok")
        << "passed over, not refused: " << member;
  }
}

}  // namespace
}  // namespace headgate::identity
