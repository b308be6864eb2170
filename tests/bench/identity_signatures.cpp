// A token seen for the first time, beside OpenSSL's check of the same signature with the same key.
#include "identity_issuer.hpp"
#include "identity_rows.hpp"

#include <openssl/core_names.h>
#include <openssl/params.h>

#include <array>
#include <utility>

namespace headgate::bench {
namespace {

using DigestContext = std::shared_ptr<EVP_MD_CTX>;
using MacContext = std::shared_ptr<EVP_MAC_CTX>;

const unsigned char* bytes_of(const std::string& text) { return reinterpret_cast<const unsigned char*>(text.data()); }

[[noreturn]] void fail(std::string_view alg) {
  throw std::runtime_error("OpenSSL does not verify " + std::string(alg) + " as it should");
}

/// What the gateway does with `token`: form, signature, claims.
Contender whole(std::shared_ptr<const identity::JwtVerifier> verifier, std::string token) {
  return [verifier = std::move(verifier), token = std::move(token)](std::size_t times) {
    for (std::size_t i = 0; i < times; ++i) {
      const auto verified = verifier->verify(token, kNow);
      if (!verified) throw std::runtime_error("a token refused as " + std::string(to_text(verified.error().error)));
    }
  };
}

/// A context with key, hash and padding in place.
DigestContext prepared(EVP_PKEY* key, std::string_view alg) {
  DigestContext context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  EVP_PKEY_CTX* pss = nullptr;
  const char* const digest = alg == "EdDSA" ? nullptr : "SHA256";
  if (EVP_DigestVerifyInit_ex(context.get(), &pss, digest, nullptr, nullptr, key, nullptr) != 1) fail(alg);
  if (alg.starts_with("PS") && (EVP_PKEY_CTX_set_rsa_padding(pss, RSA_PKCS1_PSS_PADDING) != 1 ||
                                EVP_PKEY_CTX_set_rsa_pss_saltlen(pss, RSA_PSS_SALTLEN_DIGEST) != 1)) {
    fail(alg);
  }
  return context;
}

/// OpenSSL alone, on `signature` as it reads it, over `text`. A copy of a prepared context that is told to be the
/// last is the fastest that it offers: initialised again, even without naming the key, each check takes 1 us more, and
/// afresh 3 to 7.
Contender bare(const DigestContext& ready, std::string text, std::string signature, std::string_view alg) {
  return [=, text = std::move(text), signature = std::move(signature)](std::size_t times) {
    for (std::size_t i = 0; i < times; ++i) {
      EVP_MD_CTX* const context = EVP_MD_CTX_new();
      bool good = EVP_MD_CTX_copy_ex(context, ready.get()) == 1;
      EVP_MD_CTX_set_flags(context, EVP_MD_CTX_FLAG_FINALISE);
      good = good && EVP_DigestVerify(context, bytes_of(signature), signature.size(), bytes_of(text), text.size()) == 1;
      EVP_MD_CTX_free(context);
      if (!good) fail(alg);
    }
  };
}

/// HMAC goes through another interface, which lets a key be used again.
Contender bare_hmac(const std::string& secret, std::string text, std::string signature) {
  EVP_MAC* const hmac = EVP_MAC_fetch(nullptr, "HMAC", nullptr);
  const MacContext keyed(EVP_MAC_CTX_new(hmac), EVP_MAC_CTX_free);
  EVP_MAC_free(hmac);
  std::string digest = "SHA256";
  const std::array params{OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest.data(), 0),
                          OSSL_PARAM_construct_end()};
  if (EVP_MAC_init(keyed.get(), bytes_of(secret), secret.size(), params.data()) != 1) fail("HS256");
  return [=, text = std::move(text), signature = std::move(signature)](std::size_t times) {
    for (std::size_t i = 0; i < times; ++i) {
      std::array<unsigned char, EVP_MAX_MD_SIZE> out;
      std::size_t size = 0;
      const bool good = EVP_MAC_init(keyed.get(), nullptr, 0, nullptr) == 1 &&
                        EVP_MAC_update(keyed.get(), bytes_of(text), text.size()) == 1 &&
                        EVP_MAC_final(keyed.get(), out.data(), &size, out.size()) == 1 && size == signature.size() &&
                        CRYPTO_memcmp(out.data(), signature.data(), size) == 0;
      if (!good) fail("HS256");
    }
  };
}

/// The whole and the bare check of one token, in this order.
using Pair = std::pair<Contender, Contender>;

Pair with_key(const test::KeyPair& key, identity::JwtAlgorithm algorithm, const std::string& alg) {
  auto text = test::signing_input(test::jose_header(alg), claims_of(1));
  auto signature = test::openssl_signature(key.get(), alg, text);
  constexpr std::size_t kCoordinate = 32;
  const auto jose = alg == "ES256" ? test::raw_ecdsa(signature, kCoordinate) : signature;
  auto verifier = make_verifier(algorithm, public_half(key.get()));
  auto ours = whole(std::move(verifier), text + '.' + test::base64url(jose));
  return {std::move(ours), bare(prepared(key.get(), alg), std::move(text), std::move(signature), alg)};
}

Pair with_secret() {
  const std::string secret = "0123456789abcdef0123456789abcdef";
  auto text = test::signing_input(test::jose_header("HS256"), claims_of(1));
  auto signature = test::hmac(secret, text);
  auto verifier = make_verifier(identity::JwtAlgorithm::HS256, shared_secret(secret));
  auto ours = whole(std::move(verifier), text + '.' + test::base64url(signature));
  return {std::move(ours), bare_hmac(secret, std::move(text), std::move(signature))};
}

Row row(const std::string& alg, const Costs& whole, const Costs& bare, std::optional<double> most) {
  const auto microseconds = [](const Costs& costs) { return number(spread(costs).middle / 1000, 1); };
  const auto ratio = share(whole, bare);
  return {.what = alg + " for the first time, as a share of OpenSSL alone",
          .target = most ? "<= " + number(*most, 1) : "",
          .result = number(ratio.middle, 2) + " (" + number(ratio.low, 2) + "–" + number(ratio.high, 2) + "), " +
                    microseconds(whole) + " µs of " + microseconds(bare) + " µs",
          .reached = most ? std::optional(ratio.middle <= *most) : std::nullopt};
}

}  // namespace

Rows signature_rows(const Rounds& rounds) {
  constexpr double kMax = 1.2;
  struct Case {
    std::string alg;
    Pair pair;
    std::optional<double> most;
  };
  using identity::JwtAlgorithm;
  const auto rsa = test::make_rsa_key();
  const Case cases[] = {
      {"ES256", with_key(test::make_curve_key("P-256"), JwtAlgorithm::ES256, "ES256"), kMax},
      {"RS256", with_key(rsa, JwtAlgorithm::RS256, "RS256"), kMax},
      {"PS256", with_key(rsa, JwtAlgorithm::PS256, "PS256"), std::nullopt},
      {"EdDSA", with_key(test::make_curve_key("ED25519"), JwtAlgorithm::EdDSA, "EdDSA"), std::nullopt},
      {"HS256", with_secret(), std::nullopt},
  };
  std::vector<Contender> contenders;
  contenders.reserve(2 * std::size(cases));
  for (const Case& each : cases) {
    contenders.push_back(each.pair.first);
    contenders.push_back(each.pair.second);
  }
  const auto costs = measure(contenders, rounds);
  Rows rows;
  rows.reserve(std::size(cases));
  for (std::size_t i = 0; i < std::size(cases); ++i)
    rows.push_back(row(cases[i].alg, costs[2 * i], costs[2 * i + 1], cases[i].most));
  return rows;
}

}  // namespace headgate::bench
