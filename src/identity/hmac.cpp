#include "headgate/identity/hmac.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

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
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string out;
  unsigned bits = 0;
  unsigned held = 0;
  for (const char each : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(each);
    for (held += 8; held >= 6; held -= 6) out.push_back(kDigits[bits >> (held - 6) & 63]);
  }
  if (held > 0) out.push_back(kDigits[bits << (6 - held) & 63]);
  return out;
}

}  // namespace headgate::identity
