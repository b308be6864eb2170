#pragma once
// UTF-8 (RFC 3629) and escapes of JSON, a whole character at once.

#include "front.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace headgate::scan {

/// Bytes that must follow `at` for the functions of this file.
inline constexpr std::ptrdiff_t kCharacterBytes = 4;
inline constexpr std::ptrdiff_t kEscapeBytes = 6;

constexpr bool is_ascii(char c) noexcept { return static_cast<unsigned char>(c) < 0x80; }

/// Returns the length of the character of more than one byte at `at`; 0 if there is no valid one. Reads
/// kCharacterBytes.
inline std::ptrdiff_t long_character(const char* at) noexcept {
  const auto byte = [at](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(at[i])); };
  const auto four = byte(0) | byte(1) << 8U | byte(2) << 16U | byte(3) << 24U;
  if ((four & 0xC0C0F0U) == 0x8080E0U) {
    const auto upper = four & 0x200FU;  // 0 in overlong forms, and 0x200D in surrogates
    return upper != 0 && upper != 0x200DU ? 3 : 0;
  }
  if ((four & 0xC0E0U) == 0x80C0U) return (four & 0x1EU) != 0 ? 2 : 0;
  if ((four & 0xC0C0C0F8U) == 0x808080F0U) {
    const auto upper = (four & 0x7U) << 8U | (four >> 8U & 0x30U);  // at most U+10FFFF, and not overlong
    return upper != 0 && upper <= 0x400U ? 4 : 0;
  }
  return 0;
}

/// Returns the end of the valid characters beyond ASCII in front, with single plain bytes between them. Stops before a
/// character that may be cut. For any machine.
inline const char* characters_of_any_machine(const char* at, const char* end) noexcept {
  while (end - at >= kCharacterBytes && !is_ascii(*at)) {
    const auto length = long_character(at);
    if (length == 0) break;
    at += length;
    if (end - at >= kCharacterBytes && Plain::has(*at) && !is_ascii(at[1])) ++at;
  }
  return at;
}

/// Turns the highest bit of each byte, so that signed bytes have the order of unsigned ones.
inline Bytes flipped(Bytes text) noexcept { return text ^ each_byte('\x80'); }

/// Returns which bytes begin no character, or none with the second byte, whatever the others are.
inline Bytes invalid_pairs(Bytes first, Bytes second) noexcept {
  const auto from_a0 = flipped(second) > each_byte(0x1F);
  const auto from_90 = flipped(second) > each_byte(0x0F);
  return ((first == each_byte('\xE0')) & ~from_a0) | ((first == each_byte('\xED')) & from_a0) |
         ((first == each_byte('\xF0')) & ~from_90) | ((first == each_byte('\xF4')) & from_90) |
         ((first & each_byte('\xFE')) == each_byte('\xC0')) | (flipped(first) > each_byte(0x74));
}

/// Does the same as characters_of_any_machine(), but passes over more plain bytes if they are near the characters.
inline const char* characters_end(const char* at, const char* end) noexcept {
#if defined(__SSE2__)
  while (end - at > kBytes) {
    const auto text = load_bytes(at);
    const auto high = mask_of(text);
    if (high == 0) return at;
    const auto shifted = flipped(text);
    const auto special = (text == each_byte('\xE0')) | (text == each_byte('\xED')) | (shifted > each_byte(0x6F)) |
                         ((text & each_byte('\xFE')) == each_byte('\xC0'));
    unsigned four = 0;
    if (mask_of(special) != 0) {
      if (mask_of(invalid_pairs(text, load_bytes(at + 1))) != 0) break;
      four = mask_of(shifted > each_byte(0x6F));
    }
    const auto stops = (mask_of(Plain::of(text)) | high) ^ 0xFFFFU;
    const auto begins = mask_of(text > each_byte('\xBF'));  // ASCII and first bytes
    const auto lead = high & begins;
    const auto follows = begins ^ 0xFFFFU;
    const auto three = mask_of(shifted > each_byte(0x5F));
    const auto expected = lead << 1U | three << 2U | four << 3U;
    // No byte of a character may be at the place of the stop, nor behind it.
    const auto size = stops == 0 ? 15U : static_cast<unsigned>(__builtin_ctz(stops));
    if (((expected ^ follows) & ((2U << size) - 1)) != 0) break;
    if (stops != 0) return at + size;
    // The last character may go on behind these bytes.
    const auto cut = (lead & 0x8000U) != 0 ? 1 : (three & 0x4000U) != 0 ? 2 : (four & 0x2000U) != 0 ? 3 : 0;
    at += kBytes - cut;
  }
#endif
  return characters_of_any_machine(at, end);
}

/// The values of hexadecimal digits; other characters have one that stays beyond 0xFFFF when digits are shifted in.
inline constexpr std::uint32_t kNoHex = 0x10000;
inline constexpr std::array<std::uint32_t, 256> kHexValues = [] {
  std::array<std::uint32_t, 256> out{};
  for (std::uint32_t c = 0; c < 256; ++c) {
    const auto small = c | 0x20U;
    out[c] = c >= '0' && c <= '9' ? c - '0' : small >= 'a' && small <= 'f' ? small - 'a' + 10 : kNoHex;
  }
  return out;
}();
constexpr std::uint32_t hex_value(char c) noexcept { return kHexValues[static_cast<unsigned char>(c)]; }

/// Returns the number of four digits; at least kNoHex if one of them is none.
inline std::uint32_t four_hex(const char* at) noexcept {
  return hex_value(at[0]) << 12U | hex_value(at[1]) << 8U | hex_value(at[2]) << 4U | hex_value(at[3]);
}

/// The characters that a backslash with another one behind it means; 0 if that is no escape, or "u".
inline constexpr std::array<char, 256> kEscaped = [] {
  std::array<char, 256> out{};
  constexpr std::string_view kNames = "\"\\/bfnrt";
  constexpr std::string_view kMeant = "\"\\/\b\f\n\r\t";
  for (std::size_t i = 0; i < kNames.size(); ++i) out[static_cast<unsigned char>(kNames[i])] = kMeant[i];
  return out;
}();
constexpr char escaped(char c) noexcept { return kEscaped[static_cast<unsigned char>(c)]; }

/// Returns the end of the plain bytes and the escapes of two bytes in front, or an earlier place of them. Adds the
/// number of escapes to `escapes`.
inline const char* escapes_end(const char* at, const char* end, std::uint64_t& escapes) noexcept {
#if defined(__SSE2__)
  while (end - at > kBytes) {
    auto stops = mask_of(Plain::of(load_bytes(at))) ^ 0xFFFFU;
    if (stops == 0) return at + kBytes;
    auto passed = kBytes;
    while (stops != 0) {
      const auto place = __builtin_ctz(stops);
      if (at[place] != '\\' || escaped(at[place + 1]) == '\0') return at + place;
      ++escapes;
      stops &= ~(3U << static_cast<unsigned>(place));
      if (place == kBytes - 1) ++passed;
    }
    at += passed;
  }
#endif
  for (; end - at >= 2 && *at == '\\' && escaped(at[1]) != '\0'; at += 2) ++escapes;
  return at;
}

constexpr bool is_high_surrogate(std::uint32_t code) noexcept { return (code & 0xFFFFFC00U) == 0xD800U; }
constexpr bool is_low_surrogate(std::uint32_t code) noexcept { return (code & 0xFFFFFC00U) == 0xDC00U; }
/// Returns whether the character takes three bytes of UTF-8; false for some of those that do.
constexpr bool takes_three_bytes(std::uint32_t code) noexcept { return code >= 0x800U && code < 0xD800U; }

}  // namespace headgate::scan
