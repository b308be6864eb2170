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

/// Returns the number of bytes in front of the first one that is 0 in the result of a comparison; kBytes if none is 0.
/// For any machine.
inline std::ptrdiff_t front_of_any_machine(Bytes holds) noexcept {
  std::array<unsigned char, kBytes> bytes;
  std::memcpy(bytes.data(), &holds, sizeof holds);
  std::array<std::uint64_t, 2> halves;
  std::memcpy(halves.data(), &holds, sizeof holds);
  if ((halves[0] & halves[1]) == ~std::uint64_t{0}) return kBytes;
  std::ptrdiff_t place = 0;
  while (bytes[static_cast<std::size_t>(place)] != 0) ++place;
  return place;
}

#if defined(__SSE2__)
inline unsigned mask_of(Bytes holds) noexcept {
  __m128i bits;
  std::memcpy(&bits, &holds, sizeof holds);
  return static_cast<unsigned>(_mm_movemask_epi8(bits));
}
inline bool all_of(Bytes holds) noexcept { return mask_of(holds) == 0xFFFFU; }
/// The same as front_of_any_machine() for a result in which not all holds.
inline std::ptrdiff_t front_of(Bytes holds) noexcept { return __builtin_ctz(mask_of(holds) ^ 0xFFFFU); }
#else
inline bool all_of(Bytes holds) noexcept { return front_of_any_machine(holds) == kBytes; }
inline std::ptrdiff_t front_of(Bytes holds) noexcept { return front_of_any_machine(holds); }
#endif

/// Bytes that stand for themselves in a string of JSON, whatever surrounds them: ASCII without controls, '"' and '\'.
struct Plain {
  static Bytes of(Bytes text) noexcept {
    // Bytes beyond ASCII are negative here.
    return (text > each_byte(0x1F)) & ~((text == each_byte('"')) | (text == each_byte('\\')));
  }
  static bool has(char c) noexcept { return static_cast<signed char>(c) >= ' ' && c != '"' && c != '\\'; }
};

/// The characters of base64 (RFC 4648) in both alphabets, without "=".
struct Base64 {
  static Bytes of(Bytes text) noexcept {
    const auto small = text | each_byte(0x20);
    const auto letter = (small > each_byte('a' - 1)) & ~(small > each_byte('z'));
    const auto digit = (text > each_byte('/' - 1)) & ~(text > each_byte('9'));  // "/" stands before the digits
    return letter | digit | (text == each_byte('+')) | (text == each_byte('-')) | (text == each_byte('_'));
  }
  static bool has(char c) noexcept {
    const char small = static_cast<char>(c | 0x20);
    return (small >= 'a' && small <= 'z') || (c >= '/' && c <= '9') || c == '+' || c == '-' || c == '_';
  }
};

struct Digit {
  static Bytes of(Bytes text) noexcept { return (text > each_byte('0' - 1)) & ~(text > each_byte('9')); }
  static bool has(char c) noexcept { return c >= '0' && c <= '9'; }
};

/// The blanks of JSON.
struct Blank {
  static Bytes of(Bytes text) noexcept {
    return (text == each_byte(' ')) | (text == each_byte('\n')) | (text == each_byte('\r')) | (text == each_byte('\t'));
  }
  static bool has(char c) noexcept { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
};

/// All bytes but the ends of lines.
struct OfLine {
  static Bytes of(Bytes text) noexcept { return ~((text == each_byte('\n')) | (text == each_byte('\r'))); }
  static bool has(char c) noexcept { return c != '\n' && c != '\r'; }
};

/// All bytes but those that end a value of a form.
struct OfField {
  static Bytes of(Bytes text) noexcept { return ~((text == each_byte('&')) | (text == each_byte(';'))); }
  static bool has(char c) noexcept { return c != '&' && c != ';'; }
};

/// Does front_end() behind the first sixteen bytes.
template <class Kind>
const char* far_front_end(const char* at, const char* end) noexcept {
  while (end - at >= 2 * kBytes) {
    const auto one = Kind::of(load_bytes(at));
    const auto two = Kind::of(load_bytes(at + kBytes));
    if (!all_of(one & two)) return all_of(one) ? at + kBytes + front_of(two) : at + front_of(one);
    at += 2 * kBytes;
  }
  if (end - at >= kBytes) {
    const auto last = Kind::of(load_bytes(at));
    if (!all_of(last)) return at + front_of(last);
    at += kBytes;
  }
  while (at != end && Kind::has(*at)) ++at;
  return at;
}

/// Returns the first byte that is not of the kind, or `end`.
template <class Kind>
inline const char* front_end(const char* at, const char* end) noexcept {
  if (end - at < kBytes) return far_front_end<Kind>(at, end);
  const auto first = Kind::of(load_bytes(at));
  return all_of(first) ? far_front_end<Kind>(at + kBytes, end) : at + front_of(first);
}

}  // namespace headgate::scan
