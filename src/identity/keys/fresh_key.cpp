#include "headgate/identity/fresh_key.hpp"

#include "headgate/core/text.hpp"

#include <openssl/rand.h>

#include <algorithm>
#include <array>

namespace headgate::identity {

std::string fresh_key(std::string_view prefix) {
  constexpr std::string_view kLetters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  constexpr std::size_t kLength = 43;  // 62^43 is slightly more than 2^256
  constexpr std::size_t kFair = 256 / kLetters.size() * kLetters.size();
  std::string key(prefix);
  key += '_';
  const std::size_t whole = key.size() + kLength;
  std::array<unsigned char, 64> bytes{};
  while (key.size() < whole) {
    if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) return {};
    for (const std::size_t byte : bytes) {
      // larger bytes are skipped, because with them the first letters would be more likely than the others
      if (byte >= kFair || key.size() == whole) continue;
      key += kLetters[byte % kLetters.size()];
    }
  }
  return key;
}

bool is_key_prefix(std::string_view text) noexcept {
  return !text.empty() && text.size() <= 32 && all_alnum(text, "_");
}

}  // namespace headgate::identity
