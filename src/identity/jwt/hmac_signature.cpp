#include "algorithm.hpp"
#include "openssl.hpp"
#include "signature.hpp"

#include <openssl/core_names.h>
#include <openssl/params.h>

#include <array>
#include <cstddef>
#include <utility>

namespace headgate::identity {
namespace {

/// An HMAC context with the key. Each check copies the context and only reads the original, so several threads can use
/// the object.
class HmacSignature final : public Signature {
 public:
  HmacSignature(MacContext keyed, std::size_t size) noexcept : keyed_(std::move(keyed)), size_(size) {}

  bool matches(std::string_view text, std::string_view signature) const noexcept override {
    if (signature.size() != size_) return false;
    const QuietErrors quiet;
    const MacContext context(EVP_MAC_CTX_dup(keyed_.get()));
    std::array<unsigned char, EVP_MAX_MD_SIZE> expected;
    std::size_t size = 0;
    return context && EVP_MAC_update(context.get(), bytes_of(text.data()), text.size()) == 1 &&
           EVP_MAC_final(context.get(), expected.data(), &size, expected.size()) == 1 && size == size_ &&
           CRYPTO_memcmp(expected.data(), signature.data(), size_) == 0;
  }

 private:
  MacContext keyed_;
  std::size_t size_;
};

}  // namespace

Signature::Made make_hmac_signature(JwtAlgorithm algorithm, std::string_view secret) {
  const auto& form = form_of(algorithm);
  const QuietErrors quiet;
  const MacOwner mac(EVP_MAC_fetch(nullptr, "HMAC", nullptr));
  MacContext keyed(mac ? EVP_MAC_CTX_new(mac.get()) : nullptr);
  // OpenSSL needs a non-const pointer here, but does not change the text.
  const std::array params{OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, const_cast<char*>(form.digest), 0),
                          OSSL_PARAM_construct_end()};
  if (!keyed || EVP_MAC_init(keyed.get(), bytes_of(secret.data()), secret.size(), params.data()) != 1) {
    return std::string("OpenSSL cannot set the secret up; is its default provider loaded?");
  }
  return std::unique_ptr<const Signature>(std::make_unique<HmacSignature>(std::move(keyed), form.hash));
}

}  // namespace headgate::identity
