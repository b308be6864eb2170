#include "signature.hpp"

#include "openssl.hpp"
#include "rsa_key.hpp"

#include <openssl/core_names.h>
#include <openssl/params.h>

#include <array>
#include <cstddef>

namespace headgate::identity {
namespace {

constexpr std::size_t kSha256 = 32;
using SignatureResult = Result<std::unique_ptr<const Signature>, std::string>;

std::string openssl_failed() { return "OpenSSL cannot set the key up; is its default provider loaded?"; }

/// Holds a context with the key in it and copies it for each token: the source is only read, so threads do not meet.
class Hs256 final : public Signature {
 public:
  explicit Hs256(MacContext keyed) noexcept : keyed_(std::move(keyed)) {}

  bool matches(std::string_view text, std::string_view signature) const noexcept override {
    if (signature.size() != kSha256) return false;
    const QuietErrors quiet;
    const MacContext context(EVP_MAC_CTX_dup(keyed_.get()));
    std::array<unsigned char, kSha256> expected;
    std::size_t size = 0;
    return context && EVP_MAC_update(context.get(), bytes_of(text.data()), text.size()) == 1 &&
           EVP_MAC_final(context.get(), expected.data(), &size, expected.size()) == 1 && size == kSha256 &&
           CRYPTO_memcmp(expected.data(), signature.data(), kSha256) == 0;
  }

 private:
  MacContext keyed_;
};

/// As above: the key and the digest are set up once, and each token gets a copy.
class Rs256 final : public Signature {
 public:
  Rs256(KeyOwner key, DigestContext ready) noexcept
      : key_(std::move(key)),
        ready_(std::move(ready)),
        size_(static_cast<std::size_t>(EVP_PKEY_get_size(key_.get()))) {}

  bool matches(std::string_view text, std::string_view signature) const noexcept override {
    if (signature.size() != size_) return false;
    const QuietErrors quiet;
    const DigestContext context(EVP_MD_CTX_new());
    return context && EVP_MD_CTX_copy_ex(context.get(), ready_.get()) == 1 &&
           EVP_DigestVerify(context.get(), bytes_of(signature.data()), signature.size(), bytes_of(text.data()),
                            text.size()) == 1;
  }

 private:
  KeyOwner key_;
  DigestContext ready_;
  std::size_t size_;
};

}  // namespace

SignatureResult make_hs256(std::string_view secret) {
  if (secret.find("-----BEGIN ") != secret.npos) {
    // Anyone knows a public key; as a secret it would let everyone sign.
    return std::string("the secret for HS256 is a PEM; a key pair goes with RS256, HS256 takes random bytes");
  }
  if (secret.size() < kSha256) {
    return "the secret for HS256 has " + std::to_string(secret.size()) +
           " bytes; it needs at least 32, such as \"openssl rand -base64 48\" prints";
  }
  const QuietErrors quiet;
  const MacOwner mac(EVP_MAC_fetch(nullptr, "HMAC", nullptr));
  MacContext keyed(mac ? EVP_MAC_CTX_new(mac.get()) : nullptr);
  std::array<char, 7> digest{"SHA256"};
  const std::array params{OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest.data(), 0),
                          OSSL_PARAM_construct_end()};
  if (!keyed || EVP_MAC_init(keyed.get(), bytes_of(secret.data()), secret.size(), params.data()) != 1)
    return openssl_failed();
  return std::unique_ptr<const Signature>(std::make_unique<Hs256>(std::move(keyed)));
}

SignatureResult make_rs256(std::string_view pem) {
  auto key = read_rsa_public_key(pem);
  if (!key) return key.error();
  const QuietErrors quiet;
  DigestContext ready(EVP_MD_CTX_new());
  if (!ready || EVP_DigestVerifyInit(ready.get(), nullptr, EVP_sha256(), nullptr, key->get()) != 1)
    return openssl_failed();
  return std::unique_ptr<const Signature>(std::make_unique<Rs256>(std::move(*key), std::move(ready)));
}

}  // namespace headgate::identity
