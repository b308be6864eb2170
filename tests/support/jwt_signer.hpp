#pragma once
// Makes JSON Web Tokens as an issuer would, and as an attacker would: header and claims are signed as given, unchecked.

#include <openssl/bio.h>
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

/// A key pair made for one test. Shared, so that a test program makes its RSA keys once.
using KeyPair = std::shared_ptr<EVP_PKEY>;

/// A fresh RSA key pair; 2048 bits take about 100 ms, so keep it. Throws where OpenSSL cannot.
inline KeyPair make_rsa_key(unsigned bits = 2048) {
  KeyPair key(EVP_RSA_gen(bits), EVP_PKEY_free);
  if (!key) throw std::runtime_error("no RSA key of " + std::to_string(bits) + " bits");
  return key;
}

/// What a BIO of memory holds; used by the PEM writers.
inline std::string text_of(BIO* memory) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(memory, &data);
  return {data, static_cast<std::size_t>(size)};
}

/// The public half as SubjectPublicKeyInfo ("-----BEGIN PUBLIC KEY-----"), what `openssl pkey -pubout` writes.
inline std::string public_key_pem(EVP_PKEY* key) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> memory(BIO_new(BIO_s_mem()), BIO_free);
  if (PEM_write_bio_PUBKEY(memory.get(), key) != 1) throw std::runtime_error("no public PEM of this key");
  return text_of(memory.get());
}

/// Unpadded base64url (RFC 4648 section 5) of any bytes.
inline std::string base64url(std::string_view bytes) {
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string out;
  unsigned bits = 0;
  unsigned held = 0;
  for (const char c : bytes) {
    held = (held << 8) | static_cast<unsigned char>(c);
    for (bits += 8; bits >= 6; bits -= 6) out += kAlphabet[(held >> (bits - 6)) & 63];
    held &= 255;  // fewer than 6 of these bits are still to be written
  }
  if (bits > 0) out += kAlphabet[(held << (6 - bits)) & 63];
  return out;
}

/// HMAC-SHA-256, raw bytes.
inline std::string hmac_sha256(std::string_view key, std::string_view text) {
  std::string out(EVP_MAX_MD_SIZE, '\0');
  unsigned size = 0;
  if (!HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(text.data()),
            text.size(), reinterpret_cast<unsigned char*>(out.data()), &size)) {
    throw std::runtime_error("no HMAC");
  }
  out.resize(size);
  return out;
}

/// RSASSA-PKCS1-v1_5 with SHA-256, raw bytes.
inline std::string rsa_sha256(EVP_PKEY* key, std::string_view text) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  std::string out(static_cast<std::size_t>(EVP_PKEY_get_size(key)), '\0');
  std::size_t size = out.size();
  if (EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key) != 1 ||
      EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(out.data()), &size,
                     reinterpret_cast<const unsigned char*>(text.data()), text.size()) != 1) {
    throw std::runtime_error("no RSA signature");
  }
  out.resize(size);
  return out;
}

/// A compact token signed with HS256; `header_json` may say anything else.
inline std::string sign_hs256(std::string_view secret, std::string_view claims_json,
                              std::string_view header_json = R"({"alg":"HS256","typ":"JWT"})") {
  const std::string input = base64url(header_json) + '.' + base64url(claims_json);
  return input + '.' + base64url(hmac_sha256(secret, input));
}

/// A compact token signed with RS256; `header_json` may say anything else.
inline std::string sign_rs256(EVP_PKEY* key, std::string_view claims_json,
                              std::string_view header_json = R"({"alg":"RS256","typ":"JWT"})") {
  const std::string input = base64url(header_json) + '.' + base64url(claims_json);
  return input + '.' + base64url(rsa_sha256(key, input));
}

}  // namespace headgate::test
