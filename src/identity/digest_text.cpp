#include "headgate/identity/digest_text.hpp"

#include "headgate/core/hex.hpp"

namespace headgate::identity {

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
