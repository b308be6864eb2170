#pragma once
// The id that stands for a key where the key itself must not be shown: in the access log and in the views of operators.

#include "headgate/core/hash.hpp"
#include "headgate/core/hex.hpp"

#include <array>
#include <cstddef>
#include <string_view>

namespace headgate::observe {

/// "k_" and 16 hexadecimal digits. The same key has the same id wherever the secret is the same. Without the secret the
/// key cannot be found from its id.
class KeyId {
 public:
  static constexpr std::size_t kSize = 18;

  KeyId(std::string_view key, const Hash& secret) noexcept {
    auto digest = keyed_digest(key, secret);
    for (std::size_t i = text_.size(); i > 2; --i, digest >>= 4) text_[i - 1] = kHexDigits[digest & 15];
  }
  /// Returns the id as text, which is valid as long as this object.
  std::string_view text() const noexcept { return {text_.data(), text_.size()}; }

 private:
  std::array<char, kSize> text_{'k', '_'};
};

}  // namespace headgate::observe
