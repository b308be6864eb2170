#include "headgate/identity/hmac.hpp"

#include "headgate/core/base64.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>

namespace headgate::identity {

Sha256 hmac_sha256(std::string_view secret, std::string_view text) {
  Sha256 out{};
  unsigned size = 0;
  HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), out.data(), &size);
  return out;
}

bool equal_in_constant_time(std::string_view a, std::string_view b) noexcept {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string base64url(std::string_view bytes) {
  auto out = base64(bytes);
  std::replace(out.begin(), out.end(), '+', '-');
  std::replace(out.begin(), out.end(), '/', '_');
  out.resize(out.find_last_not_of('=') + 1);
  return out;
}

}  // namespace headgate::identity
