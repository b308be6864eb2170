// Keys of a JWK Set that break a rule of their own kind.

#include "jwt_fixture.hpp"
#include "support/jwk_writer.hpp"

#include <openssl/core_names.h>

namespace headgate::identity {
namespace {

using test::base64url;
using test::json_member;
using test::jwk;
using test::jwk_set;
using test_keys::rsa_key;

/// The message for a set with only this key; "" if it is used.
std::string refusal(const std::string& key, JwtAlgorithm algorithm) {
  const auto keys = JwtKeys::of_jwk_set(jwk_set({key}), std::vector{algorithm});
  const std::string where = "key 1 of the JWK Set is not valid: ";
  if (keys) return "";
  return keys.error().starts_with(where) ? keys.error().substr(where.size()) : keys.error();
}

std::string rsa(std::string_view modulus, std::string_view exponent) {
  return R"({"kty":"RSA")" + json_member("n", modulus) + json_member("e", exponent) + '}';
}
std::string rsa_refusal(std::string_view modulus, std::string_view exponent) {
  return refusal(rsa(modulus, exponent), JwtAlgorithm::RS256);
}
std::string modulus() { return test::key_number(rsa_key(), OSSL_PKEY_PARAM_RSA_N); }

TEST(RsaJwk, HasAModulusAndAnExponent) {
  const auto n = base64url(modulus());
  EXPECT_EQ(rsa_refusal(n, "AQAB"), "");
  EXPECT_EQ(refusal(R"({"kty":"RSA"})", JwtAlgorithm::RS256), R"(its "n" is missing)");
  EXPECT_EQ(refusal(R"({"kty":"RSA")" + json_member("n", n) + '}', JwtAlgorithm::RS256), R"(its "e" is missing)");
  EXPECT_EQ(refusal(R"({"kty":"RSA","n":1,"e":"AQAB"})", JwtAlgorithm::RS256), R"(its "n" is not a string)");
}

TEST(RsaJwk, IsInStrictBase64url) {
  const auto n = base64url(modulus());
  const std::string objection = R"( is not base64url as RFC 7515 writes it, without padding)";
  for (const auto& spelled : {n + "==", ' ' + n, n + '\n' + 'A', "+" + n.substr(1), "/" + n.substr(1), n + "AAA"}) {
    const auto escaped = spelled.find('\n') == spelled.npos ? spelled : n + "\\n";
    EXPECT_EQ(rsa_refusal(escaped, "AQAB"), "its \"n\"" + objection) << escaped;
  }
  EXPECT_EQ(rsa_refusal(n, "AQAB="), "its \"e\"" + objection);
}

TEST(RsaJwk, WritesNumbersInAsFewBytesAsTheyNeed) {
  const std::string objection = " is not a number without leading zero bytes; remove these";
  EXPECT_EQ(rsa_refusal(base64url('\0' + modulus()), "AQAB"), "its \"n\"" + objection);
  EXPECT_EQ(rsa_refusal(base64url(modulus()), "AAEAAQ"), "its \"e\"" + objection);
  EXPECT_EQ(rsa_refusal("", "AQAB"), "its \"n\"" + objection);
}

TEST(RsaJwk, NeedsAtLeast2048Bits) {
  const auto small = test::make_rsa_key(1024);
  EXPECT_EQ(refusal(jwk(small.get()), JwtAlgorithm::RS256), "the RSA key has 1024 bits; at least 2048 are needed");
  EXPECT_EQ(refusal(jwk(small.get()), JwtAlgorithm::PS256), "the RSA key has 1024 bits; at least 2048 are needed");
  const std::string vast(2049, '\xff');
  EXPECT_EQ(rsa_refusal(base64url(vast), "AQAB"), "the RSA key is larger than any that is supported (16384 bits)");
  EXPECT_EQ(rsa_refusal(base64url(vast.substr(1)), "AQAB"), "");
}

TEST(RsaJwk, NeedsAnOddExponentFromThreeUpTo64Bits) {
  const auto n = base64url(modulus());
  const std::string anyone = "the RSA key has an exponent with which anyone could sign; have the issuer make a new key";
  EXPECT_EQ(rsa_refusal(n, base64url("\x03")), "");
  EXPECT_EQ(rsa_refusal(n, base64url("\x01")), anyone);
  EXPECT_EQ(rsa_refusal(n, base64url("\x02")), anyone);
  EXPECT_EQ(rsa_refusal(n, base64url(std::string("\x01\x00\x00", 3))), anyone);
  EXPECT_EQ(rsa_refusal(n, base64url(std::string(8, '\xff'))), "");
  EXPECT_EQ(rsa_refusal(n, base64url('\x01' + std::string(8, '\xff'))),
            "the RSA key has an exponent of 65 bits; at most 64 are supported, and 65537 is usual");
}

struct Curve {
  const char* name;
  JwtAlgorithm algorithm;
  std::size_t size;
};
constexpr Curve kCurves[] = {
    {"P-256", JwtAlgorithm::ES256, 32}, {"P-384", JwtAlgorithm::ES384, 48}, {"P-521", JwtAlgorithm::ES512, 66}};

std::string ec(const Curve& curve, std::string_view x, std::string_view y) {
  return R"({"kty":"EC")" + json_member("crv", curve.name) + json_member("x", base64url(x)) +
         json_member("y", base64url(y)) + '}';
}

TEST(EcJwk, IsAPointOnItsCurve) {
  for (const auto& curve : kCurves) {
    const auto key = test::make_curve_key(curve.name);
    const auto x = test::key_number(key.get(), OSSL_PKEY_PARAM_EC_PUB_X, curve.size);
    auto y = test::key_number(key.get(), OSSL_PKEY_PARAM_EC_PUB_Y, curve.size);
    EXPECT_EQ(refusal(ec(curve, x, y), curve.algorithm), "") << curve.name;
    const auto off = "the " + std::string(curve.name) + " key is not a point on its curve";
    const std::string zero(curve.size, '\0');
    EXPECT_EQ(refusal(ec(curve, zero, zero), curve.algorithm), off);
    EXPECT_EQ(refusal(ec(curve, std::string(curve.size, '\xff'), y), curve.algorithm), off);
    y.back() = static_cast<char>(y.back() ^ 1);
    EXPECT_EQ(refusal(ec(curve, x, y), curve.algorithm), off);
  }
}

TEST(EcJwk, IsRefusedIfItsPointIsOnAnotherCurve) {
  const auto other = test::make_curve_key("secp256k1");  // as long as P-256
  const auto x = test::key_number(other.get(), OSSL_PKEY_PARAM_EC_PUB_X, 32);
  const auto y = test::key_number(other.get(), OSSL_PKEY_PARAM_EC_PUB_Y, 32);
  EXPECT_EQ(refusal(ec(kCurves[0], x, y), JwtAlgorithm::ES256), "the P-256 key is not a point on its curve");
}

TEST(EcJwk, WritesCoordinatesInFull) {
  for (const auto& curve : kCurves) {
    const auto key = test::make_curve_key(curve.name);
    const auto x = test::key_number(key.get(), OSSL_PKEY_PARAM_EC_PUB_X, curve.size);
    const auto y = test::key_number(key.get(), OSSL_PKEY_PARAM_EC_PUB_Y, curve.size);
    const auto size = std::to_string(curve.size);
    EXPECT_EQ(refusal(ec(curve, x.substr(1), y), curve.algorithm),
              "its \"x\" has " + std::to_string(curve.size - 1) + " bytes; on this curve it has " + size);
    EXPECT_EQ(refusal(ec(curve, x, '\0' + y), curve.algorithm),
              "its \"y\" has " + std::to_string(curve.size + 1) + " bytes; on this curve it has " + size);
    EXPECT_EQ(refusal(ec(curve, x, ""), curve.algorithm), "its \"y\" has 0 bytes; on this curve it has " + size);
  }
}

std::string okp_refusal(const char* curve, const std::string& point) {
  return refusal(R"({"kty":"OKP")" + json_member("crv", curve) + json_member("x", base64url(point)) + '}',
                 JwtAlgorithm::EdDSA);
}
/// A number in so many bytes, least first.
std::string little(std::initializer_list<unsigned char> bytes, std::size_t size) {
  std::string out(bytes.begin(), bytes.end());
  out.resize(size, '\0');
  return out;
}

TEST(OkpJwk, IsAPointOnItsCurve) {
  for (const auto* curve : {"ED25519", "ED448"}) {
    for (int i = 0; i < 20; ++i) {
      EXPECT_EQ(refusal(jwk(test::make_curve_key(curve).get()), JwtAlgorithm::EdDSA), "") << curve;
    }
  }
  EXPECT_EQ(okp_refusal("Ed25519", little({2}, 32)), "the Ed25519 key is not a point on its curve");
  EXPECT_EQ(okp_refusal("Ed25519", std::string(32, '\xff')), "the Ed25519 key is not a point on its curve")
      << "beyond p";
  EXPECT_EQ(okp_refusal("Ed448", little({2}, 57)), "the Ed448 key is not a point on its curve");
  EXPECT_EQ(okp_refusal("Ed448", std::string(57, '\xff')), "the Ed448 key is not a point on its curve");
}

TEST(OkpJwk, OfSmallOrderIsRefused) {
  const std::string of25519 = "the Ed25519 key is one with which anyone could sign; have the issuer make a new key";
  std::string minus_one(32, '\xff');  // p - 1
  minus_one.front() = '\xec';
  minus_one.back() = '\x7f';
  // y of a point of order 8, as in Wycheproof's and RFC 7748's warnings.
  const std::string order8 =
      little({0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0,
              0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05},
             32);
  for (auto point : {little({0}, 32), little({1}, 32), minus_one, order8}) {
    EXPECT_EQ(okp_refusal("Ed25519", point), of25519);
    point.back() = static_cast<char>(point.back() | '\x80');  // its mirror image
    EXPECT_EQ(okp_refusal("Ed25519", point), of25519);
  }
  const std::string of448 = "the Ed448 key is one with which anyone could sign; have the issuer make a new key";
  EXPECT_EQ(okp_refusal("Ed448", little({0}, 57)), of448);
  EXPECT_EQ(okp_refusal("Ed448", little({1}, 57)), of448);
}

TEST(OkpJwk, IsWrittenInFull) {
  EXPECT_EQ(okp_refusal("Ed25519", std::string(31, '\5')), "its \"x\" has 31 bytes; on this curve it has 32");
  EXPECT_EQ(okp_refusal("Ed25519", std::string(57, '\5')), "its \"x\" has 57 bytes; on this curve it has 32");
  EXPECT_EQ(okp_refusal("Ed448", std::string(32, '\5')), "its \"x\" has 32 bytes; on this curve it has 57");
  EXPECT_EQ(refusal(R"({"kty":"OKP","crv":"Ed448"})", JwtAlgorithm::EdDSA), "its \"x\" is missing");
}

TEST(OctJwk, IsAsLongAsTheHash) {
  EXPECT_EQ(refusal(test::secret_jwk(std::string(32, 's')), JwtAlgorithm::HS256), "");
  EXPECT_EQ(refusal(test::secret_jwk(std::string(31, 's')), JwtAlgorithm::HS256),
            R"(the secret has 31 bytes; HS256 needs at least 32, such as "openssl rand -base64 48" prints)");
  EXPECT_NE(refusal(test::secret_jwk(std::string(63, 's')), JwtAlgorithm::HS512), "");
  EXPECT_EQ(refusal(R"({"kty":"oct"})", JwtAlgorithm::HS256), R"(its "k" is missing)");
}

TEST(OctJwk, OfMediumLengthIsOnlyForTheShorterHashes) {
  JwtIssuer issuer;
  issuer.algorithms = {JwtAlgorithm::HS256, JwtAlgorithm::HS512};
  const std::string secret(40, 's');
  const auto verifier = verifier_with(issuer, keys_of_set(jwk_set({test::secret_jwk(secret)}), issuer.algorithms));
  EXPECT_EQ(outcome(verifier, test::sign(secret, "HS256", "{}")), "ok");
  EXPECT_EQ(outcome(verifier, test::sign(secret, "HS512", "{}")), "unknown_key");
}

TEST(OctJwk, IsRefusedIfItIsAPublicKey) {
  EXPECT_EQ(refusal(test::secret_jwk(test::public_key_pem(rsa_key())), JwtAlgorithm::HS256),
            "the secret is a PEM; a key pair goes with RS256 or ES256, HS256 takes random bytes");
}

}  // namespace
}  // namespace headgate::identity
