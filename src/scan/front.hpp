#pragma once
// Finds the end of a run of bytes, sixteen at once. GCC and clang make SSE2 or NEON of it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace headgate::scan {

/// Sixteen bytes of a text. A comparison has the result 0xFF in each byte where it holds, else 0.
using Bytes = signed char __attribute__((vector_size(16)));
inline constexpr std::ptrdiff_t kBytes = 16;

inline Bytes load_bytes(const char* at) noexcept {
  Bytes out;
  std::memcpy(&out, at, sizeof out);
  return out;
}
constexpr Bytes each_byte(char c) noexcept {
  const auto b = static_cast<signed char>(c);
  return Bytes{b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b};
}

/// Returns the place of the first byte that is not 0 in the result of a comparison; kBytes if all are 0. For any
/// machine.
inline std::ptrdiff_t first_of_any_machine(Bytes found) noexcept {
  std::array<unsigned char, kBytes> bytes;
  std::memcpy(bytes.data(), &found, sizeof found);
  std::array<std::uint64_t, 2> halves;
  std::memcpy(halves.data(), &found, sizeof found);
  if ((halves[0] | halves[1]) == 0) return kBytes;
  std::ptrdiff_t place = 0;
  while (bytes[static_cast<std::size_t>(place)] == 0) ++place;
  return place;
}
inline std::ptrdiff_t first_of(Bytes found) noexcept {
#if defined(__SSE2__)
  __m128i bits;
  std::memcpy(&bits, &found, sizeof found);
  const auto mask = static_cast<unsigned>(_mm_movemask_epi8(bits));
  return mask == 0 ? kBytes : __builtin_ctz(mask);
#else
  return first_of_any_machine(found);
#endif
}

/// Bytes that stand for themselves in a string of JSON, whatever surrounds them: ASCII without controls, '"' and '\'.
struct Plain {
  static Bytes stops(Bytes text) noexcept {
    // Bytes beyond ASCII are negative here.
    return (text < each_byte(' ')) | (text == each_byte('"')) | (text == each_byte('\\'));
  }
  static bool has(char c) noexcept { return static_cast<signed char>(c) >= ' ' && c != '"' && c != '\\'; }
};

/// The characters of base64 (RFC 4648) in both alphabets, without "=".
struct Base64 {
  static Bytes stops(Bytes text) noexcept {
    const auto small = text | each_byte(0x20);
    const auto letter = (small >= each_byte('a')) & (small <= each_byte('z'));
    const auto digit = (text >= each_byte('/')) & (text <= each_byte('9'));  // "/" stands before the digits
    return ~(letter | digit | (text == each_byte('+')) | (text == each_byte('-')) | (text == each_byte('_')));
  }
  static bool has(char c) noexcept {
    const char small = static_cast<char>(c | 0x20);
    return (small >= 'a' && small <= 'z') || (c >= '/' && c <= '9') || c == '+' || c == '-' || c == '_';
  }
};

/// All but the ends of lines.
struct OfLine {
  static Bytes stops(Bytes text) noexcept { return (text == each_byte('\n')) | (text == each_byte('\r')); }
  static bool has(char c) noexcept { return c != '\n' && c != '\r'; }
};

/// All but what ends a value of a form.
struct OfField {
  static Bytes stops(Bytes text) noexcept { return (text == each_byte('&')) | (text == each_byte(';')); }
  static bool has(char c) noexcept { return c != '&' && c != ';'; }
};

/// Returns the first byte that is not of the kind, or `end`.
template <class Kind>
const char* front_end(const char* at, const char* end) noexcept {
  while (end - at >= kBytes) {
    const auto place = first_of(Kind::stops(load_bytes(at)));
    at += place;
    if (place != kBytes) return at;
  }
  while (at != end && Kind::has(*at)) ++at;
  return at;
}

}  // namespace headgate::scan
