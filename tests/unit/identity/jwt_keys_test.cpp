// Keys that a verifier takes, and what it says of the others.

#include "jwt_fixture.hpp"

#include <openssl/x509.h>

namespace headgate::identity {
namespace {

using namespace test_keys;

std::string refusal(const JwtOptions& options) {
  const auto verifier = JwtVerifier::make(options);
  return verifier ? "" : verifier.error();
}
std::string refusal_of_secret(std::string secret) {
  auto options = hs256_options();
  options.secret = std::move(secret);
  return refusal(options);
}
std::string refusal_of_pem(std::string pem) {
  auto options = rs256_options();
  options.public_key_pem = std::move(pem);
  return refusal(options);
}

/// `der` under this PEM name.
std::string pem_block(const char* name, const std::string& der) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> memory(BIO_new(BIO_s_mem()), BIO_free);
  PEM_write_bio(memory.get(), name, "", reinterpret_cast<const unsigned char*>(der.data()),
                static_cast<long>(der.size()));
  return test::text_of(memory.get());
}

/// The public half in DER: the bare PKCS#1 key.
std::string pkcs1_der(EVP_PKEY* key) {
  unsigned char* data = nullptr;
  const int size = i2d_PublicKey(key, &data);
  std::string der(reinterpret_cast<char*>(data), static_cast<std::size_t>(size));
  OPENSSL_free(data);
  return der;
}

TEST(JwtKeys, RefuseNoAlgorithmAtAll) {
  EXPECT_EQ(refusal(JwtOptions{}), R"(no algorithm is allowed; list "HS256", "RS256" or both)");
}

TEST(JwtKeys, NeedOneForEachAlgorithm) {
  auto options = both_options();
  EXPECT_EQ(refusal(options), "");
  options.secret.clear();
  EXPECT_EQ(refusal(options), "HS256 needs a secret of at least 32 bytes, and there is none");
  options = both_options();
  options.public_key_pem.clear();
  EXPECT_EQ(refusal(options), "RS256 needs an RSA public key as PEM, and there is none");
}

TEST(JwtKeys, TakeASecretOfThirtyTwoBytesAndMore) {
  EXPECT_EQ(refusal_of_secret(std::string(32, 's')), "");
  EXPECT_EQ(refusal_of_secret(std::string(4096, 's')), "");
  EXPECT_EQ(refusal_of_secret(std::string(32, '\0')), "") << "bytes, not text";
}

TEST(JwtKeys, RefuseAShortSecretWithoutRepeatingIt) {
  const auto message = refusal_of_secret("hunter2hunter2hunter2hunter2hun");
  EXPECT_EQ(message,
            R"(the secret for HS256 has 31 bytes; it needs at least 32, such as "openssl rand -base64 48" prints)");
}

TEST(JwtKeys, RefuseAPublicKeyAsSecret) {
  EXPECT_EQ(refusal_of_secret(rs256_options().public_key_pem),
            "the secret for HS256 is a PEM; a key pair goes with RS256, HS256 takes random bytes");
}

TEST(JwtKeys, TakeBothPemFormsOfAnRsaPublicKey) {
  const auto token = test::sign_rs256(rsa_key(), "{}");
  auto options = rs256_options();
  EXPECT_EQ(outcome(options, token), "ok");
  options.public_key_pem = "subject=made by hand\n\n" + pem_block("RSA PUBLIC KEY", pkcs1_der(rsa_key())) + "\n\n";
  EXPECT_EQ(outcome(options, token), "ok");
}

TEST(JwtKeys, RefuseAnRsaKeyBelowTwoThousandFortyEightBits) {
  const auto small = test::make_rsa_key(1024);
  EXPECT_EQ(refusal_of_pem(test::public_key_pem(small.get())), "the RSA key has 1024 bits; RS256 needs at least 2048");
}

TEST(JwtKeys, RefuseAKeyOfAnotherKind) {
  const test::KeyPair curve(EVP_EC_gen("P-256"), EVP_PKEY_free);
  ASSERT_TRUE(curve);
  EXPECT_EQ(refusal_of_pem(test::public_key_pem(curve.get())),
            "the PEM holds a public key that is not RSA; RS256 needs an RSA key");
}

TEST(JwtKeys, RefuseAPrivateKeyAndSayHowToMakeThePublicOne) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> memory(BIO_new(BIO_s_mem()), BIO_free);
  ASSERT_EQ(PEM_write_bio_PrivateKey(memory.get(), rsa_key(), nullptr, nullptr, 0, nullptr, nullptr), 1);
  const auto message = refusal_of_pem(test::text_of(memory.get()));
  EXPECT_NE(message.find("holds a private key"), std::string::npos) << message;
  EXPECT_NE(message.find("openssl pkey -in key.pem -pubout"), std::string::npos) << message;
}

TEST(JwtKeys, RefuseACertificateAndSayHowToTakeTheKeyOut) {
  const auto message = refusal_of_pem(pem_block("CERTIFICATE", "anything"));
  EXPECT_NE(message.find("holds a certificate"), std::string::npos) << message;
  EXPECT_NE(message.find("openssl x509 -in cert.pem -noout -pubkey"), std::string::npos) << message;
}

TEST(JwtKeys, RefuseWhatIsNoPemOrADamagedOne) {
  const auto pem = rs256_options().public_key_pem;
  EXPECT_NE(refusal_of_pem("keys/issuer.pem").find("this is not PEM"), std::string::npos);
  EXPECT_NE(refusal_of_pem(pem.substr(0, pem.size() / 2)).find("the PEM is damaged"), std::string::npos);
  EXPECT_NE(refusal_of_pem(pem_block("PUBLIC KEY", "not DER")).find("the PEM is damaged"), std::string::npos);
  EXPECT_NE(refusal_of_pem(pem_block("RSA PUBLIC KEY", pkcs1_der(rsa_key()) + "x")).find("the PEM is damaged"),
            std::string::npos);
  EXPECT_NE(refusal_of_pem(pem_block("SSH PUBLIC KEY", "x")).find("the PEM holds something else"), std::string::npos);
  EXPECT_NE(refusal_of_pem(pem + pem).find("more than one block"), std::string::npos);
}

TEST(JwtKeys, RefuseAnExponentThatMakesEverySignatureGood) {
  auto der = pkcs1_der(rsa_key());  // SEQUENCE with a length of two bytes, modulus, INTEGER 65537: 02 03 01 00 01
  ASSERT_EQ(der.substr(0, 2), "\x30\x82");
  ASSERT_EQ(der.substr(der.size() - 5), std::string("\x02\x03\x01\x00\x01", 5));
  der.replace(der.size() - 5, 5, "\x02\x01\x01");
  der[3] = static_cast<char>(der[3] - 2);
  const auto message = refusal_of_pem(pem_block("RSA PUBLIC KEY", der));
  EXPECT_NE(message.find("an exponent with which anyone could sign"), std::string::npos) << message;
}

TEST(JwtKeys, RefuseALeewayThatIsNone) {
  auto options = hs256_options();
  options.leeway = Duration(-1);
  EXPECT_EQ(refusal(options), "the leeway must be between 0 and 1 day");
  options.leeway = std::chrono::hours(24) + Duration(1);
  EXPECT_EQ(refusal(options), "the leeway must be between 0 and 1 day");
  options.leeway = std::chrono::hours(24);
  EXPECT_EQ(refusal(options), "");
}

TEST(JwtError, HasANameForEach) {
  EXPECT_EQ(to_text(JwtError::malformed), "malformed");
  EXPECT_EQ(to_text(JwtError::unsupported_algorithm), "unsupported_algorithm");
  EXPECT_EQ(to_text(JwtError::bad_signature), "bad_signature");
  EXPECT_EQ(to_text(JwtError::expired), "expired");
  EXPECT_EQ(to_text(JwtError::not_yet_valid), "not_yet_valid");
  EXPECT_EQ(to_text(JwtError::wrong_issuer), "wrong_issuer");
  EXPECT_EQ(to_text(JwtError::wrong_audience), "wrong_audience");
  EXPECT_EQ(to_text(JwtError::too_large), "too_large");
}

}  // namespace
}  // namespace headgate::identity
