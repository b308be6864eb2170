#include "headgate/identity/sha256.hpp"

#include "headgate/core/freed_by.hpp"
#include "headgate/core/hex.hpp"

#include <openssl/evp.h>

#include <memory>

namespace headgate::identity {

Sha256 sha256(std::string_view text) {
  // The context and the algorithm are stored for each thread, because it costs more to fetch them than to compute the
  // hash.
  thread_local const std::unique_ptr<EVP_MD_CTX, FreedBy<EVP_MD_CTX_free>> context(EVP_MD_CTX_new());
  thread_local const std::unique_ptr<EVP_MD, FreedBy<EVP_MD_free>> algorithm(EVP_MD_fetch(nullptr, "SHA256", nullptr));
  Sha256 digest{};
  EVP_DigestInit_ex2(context.get(), algorithm.get(), nullptr);
  EVP_DigestUpdate(context.get(), text.data(), text.size());
  EVP_DigestFinal_ex(context.get(), digest.data(), nullptr);
  return digest;
}

DigestText digest_text(const Sha256& digest) noexcept {
  DigestText out;
  out[0] = '~';
  for (std::size_t i = 1; i < out.size(); i += 2) {
    const auto byte = digest[i / 2];
    out[i] = kHexDigits[byte >> 4U];
    out[i + 1] = kHexDigits[byte & 15U];
  }
  return out;
}

}  // namespace headgate::identity
