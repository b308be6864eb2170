// Each of the thirteen algorithms with its own key, and with the keys of the others.

#include "jwt_fixture.hpp"
#include "support/jwk_writer.hpp"

#include <map>
#include <string>
#include <vector>

namespace headgate::identity {
namespace {

using namespace test_keys;
using test::base64url;
using test::jose_header;
using test::signing_input;

struct AlgorithmCase {
  JwtAlgorithm algorithm;
  const char* name;
  const char* kind;  // "", "RSA" or a curve
  const char* also = "";
};

void PrintTo(const AlgorithmCase& c, std::ostream* out) { *out << c.name << c.also; }

constexpr AlgorithmCase kCases[] = {
    {JwtAlgorithm::HS256, "HS256", ""},        {JwtAlgorithm::HS384, "HS384", ""},
    {JwtAlgorithm::HS512, "HS512", ""},        {JwtAlgorithm::RS256, "RS256", "RSA"},
    {JwtAlgorithm::RS384, "RS384", "RSA"},     {JwtAlgorithm::RS512, "RS512", "RSA"},
    {JwtAlgorithm::PS256, "PS256", "RSA"},     {JwtAlgorithm::PS384, "PS384", "RSA"},
    {JwtAlgorithm::PS512, "PS512", "RSA"},     {JwtAlgorithm::ES256, "ES256", "P-256"},
    {JwtAlgorithm::ES384, "ES384", "P-384"},   {JwtAlgorithm::ES512, "ES512", "P-521"},
    {JwtAlgorithm::EdDSA, "EdDSA", "ED25519"}, {JwtAlgorithm::EdDSA, "EdDSA", "ED448", "_Ed448"},
};

const std::string kLongSecret = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

/// One key of each kind, made once for the program.
EVP_PKEY* key_of(const std::string& kind) {
  static std::map<std::string, test::KeyPair> keys;
  if (kind == "RSA") return rsa_key();
  auto& key = keys[kind];
  if (!key) key = test::make_curve_key(kind);
  return key.get();
}

std::string raw_signature(const AlgorithmCase& c, std::string_view input) {
  if (*c.kind == '\0') return test::hmac(kLongSecret, input, std::string_view(c.name).substr(2));
  return test::jose_signature(key_of(c.kind), c.name, input);
}

std::string jwk_of(const AlgorithmCase& c) {
  return *c.kind == '\0' ? test::secret_jwk(kLongSecret) : test::jwk(key_of(c.kind));
}

class EachAlgorithm : public testing::TestWithParam<AlgorithmCase> {
 protected:
  const std::string input = signing_input(jose_header(GetParam().name), R"({"sub":"ann"})");
  const std::string raw = raw_signature(GetParam(), input);

  /// The result for this signature, if the key comes from a JWK and only this algorithm is listed.
  std::string outcome_of(std::string_view signature) const {
    JwtIssuer issuer;
    issuer.algorithms = {GetParam().algorithm};
    return outcome(verifier_with(issuer, keys_of_set(test::jwk_set({jwk_of(GetParam())}), issuer.algorithms)),
                   input + '.' + base64url(signature));
  }
};
INSTANTIATE_TEST_SUITE_P(Jwt, EachAlgorithm, testing::ValuesIn(kCases),
                         [](const auto& each) { return std::string(each.param.name) + each.param.also; });

TEST_P(EachAlgorithm, TakesItsSignature) { EXPECT_EQ(outcome_of(raw), "ok"); }

TEST_P(EachAlgorithm, TakesItFromAKeyInTheConfigurationToo) {
  JwtIssuer issuer;
  issuer.algorithms = {GetParam().algorithm};
  if (*GetParam().kind == '\0') {
    issuer.keys.secret = kLongSecret;
  } else {
    issuer.keys.public_key_pem = test::public_key_pem(key_of(GetParam().kind));
  }
  EXPECT_EQ(outcome(issuer, input + '.' + base64url(raw)), "ok");
}

TEST_P(EachAlgorithm, RefusesAnyBitOfItChanged) {
  JwtIssuer issuer;
  issuer.algorithms = {GetParam().algorithm};
  const auto verifier = verifier_with(issuer, keys_of_set(test::jwk_set({jwk_of(GetParam())}), issuer.algorithms));
  for (std::size_t i = 0; i < raw.size(); i += 3) {
    auto changed = raw;
    changed[i] = static_cast<char>(changed[i] ^ (1 << (i % 8)));
    EXPECT_EQ(outcome(verifier, input + '.' + base64url(changed)), "bad_signature") << "byte " << i;
  }
}

TEST_P(EachAlgorithm, RefusesAnotherLength) {
  EXPECT_EQ(outcome_of(""), "bad_signature");
  EXPECT_EQ(outcome_of(raw.substr(0, raw.size() - 1)), "bad_signature");
  EXPECT_EQ(outcome_of(raw.substr(1)), "bad_signature");
  EXPECT_EQ(outcome_of(raw + '\0'), "bad_signature");
  EXPECT_EQ(outcome_of('\0' + raw), "bad_signature");
  EXPECT_EQ(outcome_of(raw + raw), "bad_signature");
}

TEST_P(EachAlgorithm, RefusesAllZerosAndAllOnes) {
  EXPECT_EQ(outcome_of(std::string(raw.size(), '\0')), "bad_signature");
  EXPECT_EQ(outcome_of(std::string(raw.size(), '\xff')), "bad_signature");
}

TEST_P(EachAlgorithm, IsOfNoUseUnderAnyOtherName) {
  std::vector<JwtAlgorithm> all;
  for (const auto& c : kCases) all.push_back(c.algorithm);
  JwtIssuer issuer;
  issuer.algorithms = all;
  // Only its own key, for every use of such a key. The names of the other algorithms then find no key, or the signature
  // is wrong.
  const auto verifier = verifier_with(issuer, keys_of_set(test::jwk_set({jwk_of(GetParam())}), all));
  for (const auto& other : kCases) {
    if (other.algorithm == GetParam().algorithm) continue;
    const auto renamed = signing_input(jose_header(other.name), R"({"sub":"ann"})");
    const auto result = outcome(verifier, renamed + '.' + base64url(raw_signature(GetParam(), renamed)));
    const bool same_kind = std::string_view(other.kind) == GetParam().kind;
    EXPECT_EQ(result, same_kind ? "bad_signature" : "unknown_key") << other.name;
  }
}

TEST_P(EachAlgorithm, IsRefusedIfItIsNotListed) {
  for (const auto& other : kCases) {
    if (other.algorithm == GetParam().algorithm || std::string_view(other.kind) != GetParam().kind) continue;
    JwtIssuer issuer;
    issuer.algorithms = {other.algorithm};
    EXPECT_EQ(outcome(verifier_with(issuer, keys_of_set(test::jwk_set({jwk_of(other)}), issuer.algorithms)),
                      input + '.' + base64url(raw)),
              "unsupported_algorithm")
        << other.name;
  }
}

TEST_P(EachAlgorithm, DoesNotUseAKeyThatNamesAnotherAlgorithm) {
  for (const auto& other : kCases) {
    if (other.algorithm == GetParam().algorithm || std::string_view(other.kind) != GetParam().kind) continue;
    JwtIssuer issuer;
    issuer.algorithms = {GetParam().algorithm, other.algorithm};
    const auto alg = test::json_member("alg", other.name);
    const auto jwk = *other.kind == '\0' ? test::secret_jwk(kLongSecret, alg) : test::jwk(key_of(other.kind), alg);
    EXPECT_EQ(outcome(verifier_with(issuer, keys_of_set(test::jwk_set({jwk}), issuer.algorithms)),
                      input + '.' + base64url(raw)),
              "unknown_key")
        << other.name;
  }
}

}  // namespace
}  // namespace headgate::identity
