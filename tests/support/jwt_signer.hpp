#pragma once
// Makes JSON Web Tokens as an issuer or an attacker would. The header and the claims are signed as they are, without
// any check.

#include <openssl/bio.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace headgate::test {

/// A key pair for tests. Tests share it, because making RSA keys is slow.
using KeyPair = std::shared_ptr<EVP_PKEY>;

/// Makes an RSA key pair. 2048 bits take about 100 ms, so reuse the result. Throws if OpenSSL fails.
inline KeyPair make_rsa_key(unsigned bits = 2048) {
  KeyPair key(EVP_RSA_gen(bits), EVP_PKEY_free);
  if (!key) throw std::runtime_error("no RSA key of " + std::to_string(bits) + " bits");
  return key;
}

/// Makes a key pair on a curve: "P-256", "P-384", "P-521", "ED25519", "ED448" or another curve that OpenSSL knows.
inline KeyPair make_curve_key(const std::string& curve) {
  const bool edwards = curve.starts_with("ED") || curve.starts_with("X");
  KeyPair key(edwards ? EVP_PKEY_Q_keygen(nullptr, nullptr, curve.c_str()) : EVP_EC_gen(curve.c_str()), EVP_PKEY_free);
  if (!key) throw std::runtime_error("no key on " + curve);
  return key;
}

/// Returns the content of a memory BIO, which the PEM writers fill.
inline std::string text_of(BIO* memory) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(memory, &data);
  return {data, static_cast<std::size_t>(size)};
}

/// Returns the public key as SubjectPublicKeyInfo ("-----BEGIN PUBLIC KEY-----"), as `openssl pkey -pubout` writes it.
inline std::string public_key_pem(EVP_PKEY* key) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> memory(BIO_new(BIO_s_mem()), BIO_free);
  if (PEM_write_bio_PUBKEY(memory.get(), key) != 1) throw std::runtime_error("no public PEM of this key");
  return text_of(memory.get());
}

/// Returns the bytes in base64url without padding (RFC 4648 section 5).
inline std::string base64url(std::string_view bytes) {
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string out;
  unsigned bits = 0;
  unsigned held = 0;
  for (const char c : bytes) {
    held = (held << 8) | static_cast<unsigned char>(c);
    for (bits += 8; bits >= 6; bits -= 6) out += kAlphabet[(held >> (bits - 6)) & 63];
    held &= 255;  // keeps the bits that are not written yet, of which there are fewer than 6
  }
  if (bits > 0) out += kAlphabet[(held << (6 - bits)) & 63];
  return out;
}

/// Returns the HMAC with SHA-2 of `bits` bits, as raw bytes.
inline std::string hmac(std::string_view key, std::string_view text, std::string_view bits = "256") {
  const EVP_MD* const digest = EVP_get_digestbyname(("SHA" + std::string(bits)).c_str());
  std::string out(EVP_MAX_MD_SIZE, '\0');
  unsigned size = 0;
  if (!HMAC(digest, key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(text.data()),
            text.size(), reinterpret_cast<unsigned char*>(out.data()), &size)) {
    throw std::runtime_error("no HMAC");
  }
  out.resize(size);
  return out;
}

/// The length of the salt in PSS signatures, unless a test wants another one: that of the hash.
constexpr int kSaltAsHash = RSA_PSS_SALTLEN_DIGEST;

/// Returns the signature that OpenSSL makes for this `alg`; for ECDSA it is in DER.
inline std::string openssl_signature(EVP_PKEY* key, std::string_view alg, std::string_view text,
                                     int salt = kSaltAsHash) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  const std::string digest = "SHA" + std::string(alg.substr(2));
  EVP_PKEY_CTX* pss = nullptr;
  std::string out(static_cast<std::size_t>(EVP_PKEY_get_size(key)), '\0');
  std::size_t size = out.size();
  const bool ready = EVP_DigestSignInit_ex(context.get(), &pss, alg == "EdDSA" ? nullptr : digest.c_str(), nullptr,
                                           nullptr, key, nullptr) == 1 &&
                     (!alg.starts_with("PS") || (EVP_PKEY_CTX_set_rsa_padding(pss, RSA_PKCS1_PSS_PADDING) == 1 &&
                                                 EVP_PKEY_CTX_set_rsa_pss_saltlen(pss, salt) == 1));
  if (!ready || EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(out.data()), &size,
                               reinterpret_cast<const unsigned char*>(text.data()), text.size()) != 1) {
    throw std::runtime_error("no signature under " + std::string(alg));
  }
  out.resize(size);
  return out;
}

/// Returns r and s of an ECDSA signature that is in DER: one after the other, with `half` bytes each.
inline std::string raw_ecdsa(std::string_view der, std::size_t half) {
  const auto* at = reinterpret_cast<const unsigned char*>(der.data());
  const std::unique_ptr<ECDSA_SIG, decltype(&ECDSA_SIG_free)> parts(
      d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size())), ECDSA_SIG_free);
  std::string out(2 * half, '\0');
  auto* const bytes = reinterpret_cast<unsigned char*>(out.data());
  BN_bn2binpad(ECDSA_SIG_get0_r(parts.get()), bytes, static_cast<int>(half));
  BN_bn2binpad(ECDSA_SIG_get0_s(parts.get()), bytes + half, static_cast<int>(half));
  return out;
}

/// Returns a signature in the form of JOSE, as raw bytes.
inline std::string jose_signature(EVP_PKEY* key, std::string_view alg, std::string_view text) {
  auto signature = openssl_signature(key, alg, text);
  if (!alg.starts_with("ES")) return signature;
  return raw_ecdsa(signature, (static_cast<std::size_t>(EVP_PKEY_get_bits(key)) + 7) / 8);
}

/// Returns the encoded header and claims of a token, which its signature covers.
inline std::string signing_input(std::string_view header_json, std::string_view claims_json) {
  return base64url(header_json) + '.' + base64url(claims_json);
}

/// Returns `{"alg":"ES256","kid":"..."}`, without the `kid` if it is "".
inline std::string jose_header(std::string_view alg, std::string_view kid = "") {
  const auto named = kid.empty() ? std::string() : R"(,"kid":")" + std::string(kid) + '"';
  return R"({"alg":")" + std::string(alg) + '"' + named + '}';
}

/// Returns a compact token that is signed with a key pair for `alg`, with the header of jose_header().
inline std::string sign(EVP_PKEY* key, std::string_view alg, std::string_view claims_json, std::string_view kid = "") {
  const auto input = signing_input(jose_header(alg, kid), claims_json);
  return input + '.' + base64url(jose_signature(key, alg, input));
}
/// Returns a token that is signed with a secret and HS*.
inline std::string sign(std::string_view secret, std::string_view alg, std::string_view claims_json,
                        std::string_view kid = "") {
  const auto input = signing_input(jose_header(alg, kid), claims_json);
  return input + '.' + base64url(hmac(secret, input, alg.substr(2)));
}

/// Returns a compact token that is signed with HS256, whatever `header_json` says.
inline std::string sign_hs256(std::string_view secret, std::string_view claims_json,
                              std::string_view header_json = R"({"alg":"HS256","typ":"JWT"})") {
  const auto input = signing_input(header_json, claims_json);
  return input + '.' + base64url(hmac(secret, input));
}

/// Returns a compact token that is signed with RS256, whatever `header_json` says.
inline std::string sign_rs256(EVP_PKEY* key, std::string_view claims_json,
                              std::string_view header_json = R"({"alg":"RS256","typ":"JWT"})") {
  const auto input = signing_input(header_json, claims_json);
  return input + '.' + base64url(openssl_signature(key, "RS256", input));
}

}  // namespace headgate::test
