#include "headgate/core/utf8.hpp"

namespace headgate {

std::size_t character_length(std::string_view text, std::size_t at) noexcept {
  if (at >= text.size()) return 0;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() - at < length) return 0;
  // The second byte reveals overlong forms, surrogates and code points beyond U+10FFFF.
  const unsigned least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const unsigned most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  if (byte(1) < least || byte(1) > most) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
  }
  return length;
}

std::string_view whole_characters(std::string_view text, std::size_t most) noexcept {
  if (text.size() <= most) return text;
  for (std::size_t back = 1; back < 4 && back <= most; ++back) {
    const auto length = character_length(text, most - back);
    if (length == 0) continue;
    return text.substr(0, length > back ? most - back : most);
  }
  return text.substr(0, most);
}

void append_utf8(std::uint32_t value, std::string& out) {
  const auto put = [&](std::uint32_t bits) { out += static_cast<char>(static_cast<unsigned char>(bits)); };
  const auto follow = [&](unsigned shift) { put(0x80U | ((value >> shift) & 0x3FU)); };
  if (value < 0x80) {
    put(value);
  } else if (value < 0x800) {
    put(0xC0U | (value >> 6U));
    follow(0);
  } else if (value < 0x10000) {
    put(0xE0U | (value >> 12U));
    follow(6);
    follow(0);
  } else {
    put(0xF0U | (value >> 18U));
    follow(12);
    follow(6);
    follow(0);
  }
}

}  // namespace headgate
