#pragma once
// Bytes as hexadecimal digits. Used by most modules.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace headgate {

inline constexpr std::string_view kHexDigits = "0123456789abcdef";

/// Returns the value of a digit of either case, or -1 if `c` is not a digit.
constexpr int hex_value(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// Returns the byte whose two digits are at the front of `text`, or -1 if there are none.
constexpr int hex_byte(std::string_view text) noexcept {
  const int high = text.size() < 2 ? -1 : hex_value(text[0]);
  const int low = text.size() < 2 ? -1 : hex_value(text[1]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

/// Appends two digits in lower case.
inline void append_hex(std::string& out, unsigned char byte) {
  out += kHexDigits[byte >> 4U];
  out += kHexDigits[byte & 15U];
}

/// Returns two lower-case digits for each byte.
inline std::string hex(std::span<const unsigned char> bytes) {
  std::string out;
  for (const auto byte : bytes) append_hex(out, byte);
  return out;
}

/// Reads the digits of as many bytes as `out` has. Returns whether `text` consists of exactly those digits.
inline bool read_hex(std::string_view text, std::span<unsigned char> out) noexcept {
  if (text.size() != 2 * out.size()) return false;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const int byte = hex_byte(text.substr(2 * i));
    if (byte < 0) return false;
    out[i] = static_cast<unsigned char>(byte);
  }
  return true;
}

}  // namespace headgate
