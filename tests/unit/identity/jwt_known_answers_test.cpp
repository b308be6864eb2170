// The examples of RFC 7515 appendix A.1 and A.2: what others sign, we accept, and not with a bit changed.

#include "jwt_fixture.hpp"

#include <openssl/core_names.h>
#include <openssl/param_build.h>

#include <algorithm>

namespace headgate::identity {
namespace {

using namespace test_keys;

constexpr std::string_view kPayload =
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
constexpr Instant kBefore{std::chrono::seconds(1300819379)};

std::string decoded(std::string text) {
  std::replace(text.begin(), text.end(), '-', '+');
  std::replace(text.begin(), text.end(), '_', '/');
  const std::size_t padding = (4 - text.size() % 4) % 4;
  text.append(padding, '=');
  std::string out(text.size() / 4 * 3, '\0');
  EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()), reinterpret_cast<const unsigned char*>(text.data()),
                  static_cast<int>(text.size()));
  out.resize(out.size() - padding);
  return out;
}

JwtOptions a1_options() {
  JwtOptions options;
  options.algorithms = {JwtAlgorithm::HS256};
  options.secret = decoded("AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow");
  return options;
}

std::string a1_token() {
  return "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9." + std::string(kPayload) +
         ".dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
}

std::string a2_public_key_pem() {
  const auto modulus = decoded(
      "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-"
      "pCgNMsD1W_"
      "YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-"
      "UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uD"
      "Zlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ");
  const std::unique_ptr<BIGNUM, decltype(&BN_free)> n(
      BN_bin2bn(reinterpret_cast<const unsigned char*>(modulus.data()), static_cast<int>(modulus.size()), nullptr),
      BN_free);
  const std::unique_ptr<OSSL_PARAM_BLD, decltype(&OSSL_PARAM_BLD_free)> parts(OSSL_PARAM_BLD_new(),
                                                                              OSSL_PARAM_BLD_free);
  OSSL_PARAM_BLD_push_BN(parts.get(), OSSL_PKEY_PARAM_RSA_N, n.get());
  OSSL_PARAM_BLD_push_ulong(parts.get(), OSSL_PKEY_PARAM_RSA_E, 65537);
  const std::unique_ptr<OSSL_PARAM, decltype(&OSSL_PARAM_free)> params(OSSL_PARAM_BLD_to_param(parts.get()),
                                                                       OSSL_PARAM_free);
  const std::unique_ptr<EVP_PKEY_CTX, decltype(&EVP_PKEY_CTX_free)> context(
      EVP_PKEY_CTX_new_from_name(nullptr, "RSA", nullptr), EVP_PKEY_CTX_free);
  EVP_PKEY* raw = nullptr;
  EVP_PKEY_fromdata_init(context.get());
  EVP_PKEY_fromdata(context.get(), &raw, EVP_PKEY_PUBLIC_KEY, params.get());
  const test::KeyPair key(raw, EVP_PKEY_free);
  return test::public_key_pem(key.get());
}

JwtOptions a2_options() {
  JwtOptions options;
  options.algorithms = {JwtAlgorithm::RS256};
  options.public_key_pem = a2_public_key_pem();
  return options;
}

std::string a2_token() {
  return "eyJhbGciOiJSUzI1NiJ9." + std::string(kPayload) +
         ".cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_"
         "O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQ"
         "jbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--"
         "xi12jzDwusC-eOkHWEsqtFZ"
         "ESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw";
}

void expect_the_claims_of_the_rfc(const JwtOptions& options, const std::string& token) {
  const auto verifier = JwtVerifier::make(options);
  ASSERT_TRUE(verifier) << verifier.error();
  const auto claims = (*verifier)->verify(token, kBefore);
  ASSERT_TRUE(claims) << to_text(claims.error());
  EXPECT_EQ(*claims, (Claims{{"iss", "joe"}, {"exp", "1300819380"}, {"http://example.com/is_root", "true"}}));
}

TEST(Rfc7515, AppendixA1VerifiesWithHs256) { expect_the_claims_of_the_rfc(a1_options(), a1_token()); }

TEST(Rfc7515, AppendixA2VerifiesWithRs256) { expect_the_claims_of_the_rfc(a2_options(), a2_token()); }

TEST(Rfc7515, TheExamplesExpiredInTwentyEleven) {
  EXPECT_EQ(outcome(a1_options(), a1_token()), "expired");
  EXPECT_EQ(outcome(a2_options(), a2_token()), "expired");
}

TEST(Rfc7515, NeitherExampleSurvivesAChangeOfAnyCharacter) {
  for (const auto& [options, token] : {std::pair(a1_options(), a1_token()), std::pair(a2_options(), a2_token())}) {
    const auto verifier = JwtVerifier::make(options);
    ASSERT_TRUE(verifier) << verifier.error();
    for (std::size_t i = 0; i < token.size(); ++i) {
      auto changed = token;
      changed[i] = changed[i] == 'A' ? 'B' : 'A';
      EXPECT_FALSE((*verifier)->verify(changed, kBefore)) << "at " << i;
    }
  }
}

}  // namespace
}  // namespace headgate::identity
