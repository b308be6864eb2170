// Public keys in PEM: which are accepted, and the messages for the others.

#include "jwt_fixture.hpp"

#include <openssl/x509.h>

#include <utility>

namespace headgate::identity {
namespace {

using namespace test_keys;

std::string refusal_of_pem(std::string pem, JwtAlgorithm algorithm = JwtAlgorithm::RS256) {
  JwtIssuer issuer;
  issuer.algorithms = {algorithm};
  issuer.keys.public_key_pem = std::move(pem);
  const auto keys = JwtKeys::of_configuration(issuer);
  return keys ? "" : keys.error();
}
std::string outcome_with_pem(std::string pem, std::string_view token) {
  auto issuer = rs256_issuer();
  issuer.keys.public_key_pem = std::move(pem);
  return outcome(issuer, token);
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

std::string private_key_pem(EVP_PKEY* key) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> memory(BIO_new(BIO_s_mem()), BIO_free);
  PEM_write_bio_PrivateKey(memory.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
  return test::text_of(memory.get());
}

/// Signed by itself, and long expired.
std::string certificate_pem(EVP_PKEY* key) {
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(X509_new(), X509_free);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
  ASN1_TIME_set_string(X509_getm_notBefore(certificate.get()), "20000101000000Z");
  ASN1_TIME_set_string(X509_getm_notAfter(certificate.get()), "20010101000000Z");
  X509_set_pubkey(certificate.get(), key);
  X509_sign(certificate.get(), key, EVP_sha256());
  const std::unique_ptr<BIO, decltype(&BIO_free)> memory(BIO_new(BIO_s_mem()), BIO_free);
  PEM_write_bio_X509(memory.get(), certificate.get());
  return test::text_of(memory.get());
}

test::KeyPair rsa_pss_key() {
  const std::unique_ptr<EVP_PKEY_CTX, decltype(&EVP_PKEY_CTX_free)> context(
      EVP_PKEY_CTX_new_from_name(nullptr, "RSA-PSS", nullptr), EVP_PKEY_CTX_free);
  EVP_PKEY* key = nullptr;
  EVP_PKEY_keygen_init(context.get());
  EVP_PKEY_generate(context.get(), &key);
  return {key, EVP_PKEY_free};
}

TEST(JwtPem, MayBeEitherFormOfAnRsaPublicKey) {
  const auto token = test::sign_rs256(rsa_key(), "{}");
  EXPECT_EQ(outcome_with_pem(test::public_key_pem(rsa_key()), token), "ok");
  const auto pkcs1 = "subject=made by hand\n\n" + pem_block("RSA PUBLIC KEY", pkcs1_der(rsa_key())) + "\n\n";
  EXPECT_EQ(outcome_with_pem(pkcs1, token), "ok");
}

TEST(JwtPem, MayBeACertificateOfWhichOnlyTheKeyCounts) {
  EXPECT_EQ(outcome_with_pem(certificate_pem(rsa_key()), test::sign_rs256(rsa_key(), "{}")), "ok");
  EXPECT_NE(refusal_of_pem(pem_block("CERTIFICATE", "anything")).find("the PEM is damaged"), std::string::npos);
}

TEST(JwtPem, IsForTheAlgorithmsOfItsTypeAndCurve) {
  const struct {
    test::KeyPair key;
    JwtAlgorithm good, other;
  } cases[] = {
      {test::make_curve_key("P-256"), JwtAlgorithm::ES256, JwtAlgorithm::ES384},
      {test::make_curve_key("P-384"), JwtAlgorithm::ES384, JwtAlgorithm::ES512},
      {test::make_curve_key("P-521"), JwtAlgorithm::ES512, JwtAlgorithm::ES256},
      {test::make_curve_key("ED25519"), JwtAlgorithm::EdDSA, JwtAlgorithm::ES256},
      {test::make_curve_key("ED448"), JwtAlgorithm::EdDSA, JwtAlgorithm::RS256},
  };
  for (const auto& [key, good, other] : cases) {
    const auto pem = test::public_key_pem(key.get());
    EXPECT_EQ(refusal_of_pem(pem, good), "");
    const auto message = refusal_of_pem(pem, other);
    EXPECT_NE(message.find("that none of the algorithms can use"), std::string::npos) << message;
  }
}

TEST(JwtPem, IsRefusedIfNoAlgorithmUsesItsKind) {
  for (const auto* curve : {"secp256k1", "P-224", "brainpoolP256r1", "X25519"}) {
    const auto key = test::make_curve_key(curve);
    EXPECT_EQ(refusal_of_pem(test::public_key_pem(key.get()), JwtAlgorithm::ES256),
              "the PEM holds a public key of a kind or curve that no algorithm here is for")
        << curve;
  }
  EXPECT_NE(refusal_of_pem(test::public_key_pem(rsa_pss_key().get()), JwtAlgorithm::PS256).find("no algorithm here is"),
            std::string::npos)
      << "RSA that is bound to PSS with parameters of its own";
}

TEST(JwtPem, IsRefusedBelowTwoThousandFortyEightBits) {
  const auto small = test::make_rsa_key(1024);
  EXPECT_EQ(refusal_of_pem(test::public_key_pem(small.get())), "the RSA key has 1024 bits; at least 2048 are needed");
}

TEST(JwtPem, OfAPrivateKeyIsRefusedWithTheCommandForThePublicKey) {
  for (const auto& pem : {private_key_pem(rsa_key()), private_key_pem(test::make_curve_key("P-256").get()),
                          pem_block("ENCRYPTED PRIVATE KEY", "x"), pem_block("EC PRIVATE KEY", "x")}) {
    const auto message = refusal_of_pem(pem);
    EXPECT_NE(message.find("holds a private key"), std::string::npos) << message;
    EXPECT_NE(message.find("openssl pkey -in key.pem -pubout"), std::string::npos) << message;
  }
}

TEST(JwtPem, IsRefusedIfItIsMissingOrDamaged) {
  const auto pem = test::public_key_pem(rsa_key());
  EXPECT_NE(refusal_of_pem("keys/issuer.pem").find("this is not PEM"), std::string::npos);
  EXPECT_NE(refusal_of_pem(pem.substr(0, pem.size() / 2)).find("the PEM is damaged"), std::string::npos);
  EXPECT_NE(refusal_of_pem(pem_block("PUBLIC KEY", "not DER")).find("the PEM is damaged"), std::string::npos);
  EXPECT_NE(refusal_of_pem(pem_block("RSA PUBLIC KEY", pkcs1_der(rsa_key()) + "x")).find("the PEM is damaged"),
            std::string::npos);
  EXPECT_NE(refusal_of_pem(pem_block("SSH PUBLIC KEY", "x")).find("the PEM holds something else"), std::string::npos);
  EXPECT_NE(refusal_of_pem(pem + pem).find("more than one block"), std::string::npos);
}

TEST(JwtPem, WithAnExponentThatMakesEverySignatureGoodIsRefused) {
  auto der = pkcs1_der(rsa_key());  // SEQUENCE with a length of two bytes, modulus, INTEGER 65537: 02 03 01 00 01
  ASSERT_EQ(der.substr(0, 2), "\x30\x82");
  ASSERT_EQ(der.substr(der.size() - 5), std::string("\x02\x03\x01\x00\x01", 5));
  der.replace(der.size() - 5, 5, "\x02\x01\x01");
  der[3] = static_cast<char>(der[3] - 2);
  const auto message = refusal_of_pem(pem_block("RSA PUBLIC KEY", der));
  EXPECT_NE(message.find("an exponent with which anyone could sign"), std::string::npos) << message;
}

}  // namespace
}  // namespace headgate::identity
