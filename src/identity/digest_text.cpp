#include "headgate/identity/digest_text.hpp"

namespace headgate::identity {

DigestText digest_text(const Sha256& digest) noexcept {
  constexpr std::string_view kDigits = "0123456789abcdef";
  DigestText out;
  out[0] = '~';
  for (std::size_t i = 1; i < out.size(); i += 2) {
    const auto byte = digest[i / 2];
    out[i] = kDigits[byte >> 4U];
    out[i + 1] = kDigits[byte & 15U];
  }
  return out;
}

}  // namespace headgate::identity
