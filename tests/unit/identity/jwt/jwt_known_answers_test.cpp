// The examples of the RFCs: they are accepted, and not with a bit changed.

#include "jwt_fixture.hpp"
#include "support/jwk_writer.hpp"

#include <vector>

namespace headgate::identity {
namespace {

using test::jwk_set;

constexpr Instant kBefore{std::chrono::seconds(1300819379)};  // a second before the examples of RFC 7515 expire

const std::string kJoe =
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
const std::string kCookbook =
    "SXTigJlzIGEgZGFuZ2Vyb3VzIGJ1c2luZXNzLCBGcm9kbywgZ29pbmcgb3V0IHlvdXIgZG9vci4gWW91IHN0ZXAgb250byB0aGUgcm9hZCwgYW5k"
    "IGlmIHlvdSBkb24ndCBrZWVwIHlvdXIgZmVldCwgdGhlcmXigJlzIG5vIGtub3dpbmcgd2hlcmUgeW91IG1pZ2h0IGJlIHN3ZXB0IG9mZiB0by4";

struct Example {
  const char* where;
  JwtAlgorithm algorithm;
  std::string key;    // a JWK
  std::string token;  // compact
};

const std::string kA1Secret =
    R"({"kty":"oct","k":"AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"})";

/// Those whose payload is a set of claims.
std::vector<Example> tokens() {
  return {
      {"RFC 7515 A.1, and RFC 7519 section 3.1", JwtAlgorithm::HS256, kA1Secret,
       "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9." + kJoe + ".dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"},
      {"RFC 7515 A.2", JwtAlgorithm::RS256,
       R"({"kty":"RSA","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0)"
       R"(Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e)"
       R"(-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj)"
       R"(8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ","e":"AQAB"})",
       "eyJhbGciOiJSUzI1NiJ9." + kJoe +
           ".cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJd"
           "bF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383"
           "LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWyw"
           "lVmtVrBp0igcN_IoypGlUPQGe77Rw"},
      {"RFC 7515 A.3", JwtAlgorithm::ES256,
       R"({"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",)"
       R"("y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"})",
       "eyJhbGciOiJFUzI1NiJ9." + kJoe +
           ".DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"},
  };
}

/// Those that sign something else: the signature is valid, but the payload has no claims.
std::vector<Example> texts() {
  const std::string hobbit = "bilbo.baggins@hobbiton.example";
  const std::string rsa =
      R"({"kty":"RSA","kid":"bilbo.baggins@hobbiton.example","use":"sig","n":"n4EPtAOCc9AlkeQHPzHStgAbgs7bTZLwUBZdR8_K)"
      R"(uKPEHLd4rHVTeT-O-XV2jRojdNhxJWTDvNd7nqQ0VEiZQHz_AJmSCpMaJMRBSFKrKb2wqVwGU_NsYOYL-QtiWN2lbzcEe6XC0dApr5ydQLrH)"
      R"(qkHHig3RBordaZ6Aj-oBHqFEHYpPe7Tpe-OfVfHd1E6cS6M1FZcD1NNLYD5lFHpPI9bTwJlsde3uhGqC0ZCuEHg8lhzwOHrtIQbS0FVbb9k3)"
      R"(-tVTU4fg_3L_vniUFAKwuCLqKnS2BYwdq_mzSnbLY7h_qixoR7jig3__kRhuaxwUkRz5iaiQkqgc5gHdrNP5zw","e":"AQAB"})";
  const auto cookbook = [&](std::string_view algorithm, std::string_view kid) {
    return test::base64url(test::jose_header(algorithm, kid)) + '.' + kCookbook + '.';
  };
  return {
      {"RFC 7515 A.4", JwtAlgorithm::ES512,
       R"({"kty":"EC","crv":"P-521",)"
       R"("x":"AekpBQ8ST8a8VcfVOTNl353vSrDCLLJXmPk06wTjxrrjcBpXp5EOnYG_NjFZ6OvLFV1jSfS9tsz4qUxcWceqwQGk",)"
       R"("y":"ADSmRA43Z1DSNx_RvcLI87cdL07l6jQyyBXMoxVg_l2Th-x3S1WDhjDly79ajL4Kkd0AZMaZmh9ubmf63e3kyMj2"})",
       "eyJhbGciOiJFUzUxMiJ9.UGF5bG9hZA.AdwMgeerwtHoh-l192l60hp9wAHZFVJbLfD_UxMi70cwnZOYaRI1bKPWROc-mZZqwqT2SI-KGDKB34"
       "XO0aw_7XdtAG8GaSwFKdCAPZgoXD2YBJZCPEX3xKpRwcdOO8KpEHwJjyqOgzDO7iKvU8vcnwNrmxYbSW9ERBXukOXolLzeO_Jn"},
      {"RFC 7520 section 4.1", JwtAlgorithm::RS256, rsa,
       cookbook("RS256", hobbit) +
           "MRjdkly7_-oTPTS3AXP41iQIGKa80A0ZmTuV5MEaHoxnW2e5CZ5NlKtainoFmKZopdHM1O2U4mwzJdQx996ivp83xuglII7PNDi84wnB-BD"
           "koBwA78185hX-Es4JIwmDLJK3lfWRa-XtL0RnltuYv746iYTh_qHRD68BNt1uSNCrUCTJDt5aAE6x8wW1Kt9eRo4QPocSadnHXFxnt8Is9U"
           "zpERV0ePPQdLuW3IS_de3xyIrDaLGdjluPxUAhb6L2aXic1U12podGU0KLUQSE_oI-ZnmKJ3F4uOZDnd6QZWJushZ41Axf_fcIe8u9ipH84"
           "ogoree7vjbU5y18kDquDg"},
      {"RFC 7520 section 4.2", JwtAlgorithm::PS384, rsa,
       cookbook("PS384", hobbit) +
           "cu22eBqkYDKgIlTpzDXGvaFfz6WGoz7fUDcfT0kkOy42miAh2qyBzk1xEsnk2IpN6-tPid6VrklHkqsGqDqHCdP6O8TTB5dDDItllVo6_1O"
           "LPpcbUrhiUSMxbbXUvdvWXzg-UD8biiReQFlfz28zGWVsdiNAUf8ZnyPEgVFn442ZdNqiVJRmBqrYRXe8P_ijQ7p8Vdz0TTrxUeT3lm8d9s"
           "hnr2lfJT8ImUjvAA2Xez2Mlp8cBE5awDzT0qI0n6uiP1aCN_2_jLAeQTlqRHtfa64QQSUmFAAjVKPbByi7xho0uTOcbH510a6GYmJUAfmWj"
           "wZ6oD4ifKo8DYM-X72Eaw"},
      {"RFC 7520 section 4.3", JwtAlgorithm::ES512,
       R"({"kty":"EC","kid":"bilbo.baggins@hobbiton.example","use":"sig","crv":"P-521",)"
       R"("x":"AHKZLLOsCOzz5cY97ewNUajB957y-C-U88c3v13nmGZx6sYl_oJXu9A5RkTKqjqvjyekWF-7ytDyRXYgCF5cj0Kt",)"
       R"("y":"AdymlHvOiLxXkEhayXQnNCvDX4h9htZaCJN34kfmC6pV5OhQHiraVySsUdaQkAgDPrwQrJmbnX9cwlGfP-HqHZR1"})",
       cookbook("ES512", hobbit) +
           "AE_R_YZCChjn4791jSQCrdPZCNYqHXCTZH0-JZGYNlaAjP2kqaluUIIUnC9qvbu9Plon7KRTzoNEuT4Va2cmL1eJAQy3mtPBu_u_sDDyYjn"
           "AMDxXPn7XrT0lw-kvAD890jl8e2puQens_IEKBpHABlsbEPX6sFY8OcGDqoRuBomu9xQ2"},
      {"RFC 7520 section 4.4", JwtAlgorithm::HS256,
       R"({"kty":"oct","kid":"018c0ae5-4d9b-471b-bfd6-eef314bc7037","use":"sig","alg":"HS256",)"
       R"("k":"hJtXIZ2uSN5kbQfbtTNWbpdmhkV8FJG-Onbc6mxCcYg"})",
       cookbook("HS256", "018c0ae5-4d9b-471b-bfd6-eef314bc7037") + "s0h6KThzkfBBBkLspW1h84VsJZFTsPPqMDA7g1Md7p0"},
      {"RFC 8037 A.4 and A.5", JwtAlgorithm::EdDSA,
       R"({"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"})",
       "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4"
       "ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"},
  };
}

VerifierPtr verifier_of(const Example& example) {
  JwtIssuer issuer;
  issuer.algorithms = {example.algorithm};
  return verifier_with(issuer, keys_of_set(jwk_set({example.key}), issuer.algorithms));
}

TEST(RfcExamples, TokensVerify) {
  for (const auto& example : tokens()) {
    const auto verified = verifier_of(example)->verify(example.token, kBefore);
    ASSERT_TRUE(verified) << example.where << ": " << to_text(verified.error().error);
    EXPECT_EQ(verified->claims, (Claims{{"iss", "joe"}, {"exp", "1300819380"}, {"http://example.com/is_root", "true"}}))
        << example.where;
  }
}

TEST(RfcExamples, TokensExpiredIn2011) {
  for (const auto& example : tokens()) EXPECT_EQ(outcome(verifier_of(example), example.token), "expired");
}

TEST(RfcExamples, OtherSignedTextsVerifyButAreNotClaims) {
  for (const auto& example : texts()) {
    EXPECT_EQ(outcome(verifier_of(example), example.token), "malformed") << example.where;
    auto forged = example.token;
    forged[forged.size() - 20] = forged[forged.size() - 20] == 'A' ? 'B' : 'A';
    EXPECT_EQ(outcome(verifier_of(example), forged), "bad_signature") << example.where;
  }
}

TEST(RfcExamples, DoNotSurviveAChangeOfAnyCharacter) {
  for (const auto& example : tokens()) {
    const auto verifier = verifier_of(example);
    for (std::size_t i = 0; i < example.token.size(); ++i) {
      auto changed = example.token;
      changed[i] = changed[i] == 'A' ? 'B' : 'A';
      EXPECT_FALSE(verifier->verify(changed, kBefore)) << example.where << " at " << i;
    }
  }
}

TEST(RfcExamples, WithoutASignatureAreRefused) {
  const auto a5 = "eyJhbGciOiJub25lIn0." + kJoe + '.';  // RFC 7515 A.5
  for (const auto& example : tokens()) EXPECT_EQ(outcome(verifier_of(example), a5, kBefore), "unsupported_algorithm");
}

TEST(RfcExamples, KeysAreAcceptedIfTheyAreForSignatures) {
  const std::string a1 =
      R"({"keys":[{"kty":"EC","crv":"P-256","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",)"
      R"("y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM","use":"enc","kid":"1"},{"kty":"RSA","n":"0vx7agoebGcQSuuPiLJ)"
      R"(XZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5Js)"
      R"(GY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91)"
      R"(CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw",)"
      R"("e":"AQAB","alg":"RS256","kid":"2011-04-29"}]})";
  EXPECT_EQ(keys_of_set(a1, {JwtAlgorithm::ES256, JwtAlgorithm::RS256})->size(), 1U) << "RFC 7517 A.1";
  const std::string a3 = R"({"keys":[{"kty":"oct","alg":"A128KW","k":"GawgguFyGrWKav7AX4VKUg"},)" +
                         kA1Secret.substr(0, kA1Secret.size() - 1) +
                         R"(,"kid":"HMAC key used in JWS spec Appendix A.1 example"}]})";
  EXPECT_EQ(keys_of_set(a3, {JwtAlgorithm::HS256})->size(), 1U) << "RFC 7517 A.3";
}

}  // namespace
}  // namespace headgate::identity
