#include "algorithm.hpp"
#include "ecdsa_der.hpp"
#include "signature.hpp"

#include <openssl/rsa.h>

#include <cstddef>
#include <utility>

namespace headgate::identity {
namespace {

/// A context with a key and a hash, which is set up once. Each check copies it, which takes 0.2 us; a new set-up would
/// take a quarter of the time of an RSA check. The original is only read, so several threads can use it.
class Verification {
 public:
  explicit Verification(DigestContext ready) noexcept : ready_(std::move(ready)) {}

  bool operator()(std::string_view text, std::string_view signature) const noexcept {
    const QuietErrors quiet;
    const DigestContext context(EVP_MD_CTX_new());
    if (!context || EVP_MD_CTX_copy_ex(context.get(), ready_.get()) != 1) return false;
    // Without this flag, OpenSSL would make another copy, so that the context could be used further.
    EVP_MD_CTX_set_flags(context.get(), EVP_MD_CTX_FLAG_FINALISE);
    return EVP_DigestVerify(context.get(), bytes_of(signature.data()), signature.size(), bytes_of(text.data()),
                            text.size()) == 1;
  }

 private:
  DigestContext ready_;
};

/// The signatures of RSA and EdDSA, which have the same form in OpenSSL and in JOSE.
class PlainSignature final : public Signature {
 public:
  PlainSignature(Verification verifies, std::size_t size) noexcept : verifies_(std::move(verifies)), size_(size) {}
  bool matches(std::string_view text, std::string_view signature) const noexcept override {
    return signature.size() == size_ && verifies_(text, signature);
  }

 private:
  Verification verifies_;
  std::size_t size_;
};

/// The signatures of ECDSA. OpenSSL itself checks that r and s are between 0 and the order.
class EcdsaSignature final : public Signature {
 public:
  EcdsaSignature(Verification verifies, std::size_t size) noexcept : verifies_(std::move(verifies)), size_(size) {}
  bool matches(std::string_view text, std::string_view signature) const noexcept override {
    return signature.size() == size_ && verifies_(text, EcdsaDer(signature).bytes());
  }

 private:
  Verification verifies_;
  std::size_t size_;
};

/// Sets PSS as in RFC 7518 section 3.5: the same hash in MGF1, and a salt of the same length as the hash.
bool set_pss(EVP_PKEY_CTX* context, const char* digest) noexcept {
  return EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1 &&
         EVP_PKEY_CTX_set_rsa_mgf1_md_name(context, digest, nullptr) == 1 &&
         EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) == 1;
}

}  // namespace

Signature::Made make_public_key_signature(JwtAlgorithm algorithm, EVP_PKEY* key, JwtKeyKind kind) {
  const auto& form = form_of(algorithm);
  const QuietErrors quiet;
  DigestContext ready(EVP_MD_CTX_new());
  EVP_PKEY_CTX* context = nullptr;  // owned by the digest context
  if (!ready || EVP_DigestVerifyInit_ex(ready.get(), &context, form.digest, nullptr, nullptr, key, nullptr) != 1 ||
      (form.family == AlgorithmFamily::rsa_pss && !set_pss(context, form.digest))) {
    return std::string("OpenSSL cannot set the key up; is its default provider loaded?");
  }
  Verification verifies(std::move(ready));
  const auto size = signature_size(key, kind);
  if (form.family == AlgorithmFamily::ecdsa) {
    return std::unique_ptr<const Signature>(std::make_unique<EcdsaSignature>(std::move(verifies), size));
  }
  return std::unique_ptr<const Signature>(std::make_unique<PlainSignature>(std::move(verifies), size));
}

}  // namespace headgate::identity
