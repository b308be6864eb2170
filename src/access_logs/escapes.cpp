#include "escapes.hpp"

#include "headgate/core/hex.hpp"

#include <cstdint>
#include <cstring>

namespace headgate::access_logs {
namespace {

constexpr std::uint32_t kNoCode = 0xffff'ffff;

/// Returns the number with `size` hexadecimal digits at `at`; kNoCode if there are other characters.
std::uint32_t hex_number(const char* at, const char* end, std::ptrdiff_t size) noexcept {
  if (end - at < size) return kNoCode;
  std::uint32_t out = 0;
  for (const char* const last = at + size; at != last; ++at) {
    const int digit = hex_value(*at);
    if (digit < 0) return kNoCode;
    out = out * 16 + static_cast<std::uint32_t>(digit);
  }
  return out;
}

/// Writes a code point below U+110000 as UTF-8; a surrogate is allowed. Returns the end of the bytes.
char* write_utf8(char* out, std::uint32_t code) noexcept {
  const auto tail = [&](unsigned shift) { *out++ = static_cast<char>(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) {
    *out++ = static_cast<char>(code);
  } else if (code < 0x800) {
    *out++ = static_cast<char>(0xc0 | code >> 6);
    tail(0);
  } else if (code < 0x10000) {
    *out++ = static_cast<char>(0xe0 | code >> 12);
    tail(6);
    tail(0);
  } else {
    *out++ = static_cast<char>(0xf0 | code >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
  return out;
}

/// Returns the code whose digits begin at `at`, after "\u", and moves `at` past it.
std::uint32_t take_code(const char*& at, const char* end) noexcept {
  const auto first = hex_number(at, end, 4);
  if (first == kNoCode) return kNoCode;
  at += 4;
  if (first < 0xd800 || first > 0xdbff || end - at < 6 || at[0] != '\\' || at[1] != 'u') return first;
  const auto second = hex_number(at + 2, end, 4);
  if (second < 0xdc00 || second > 0xdfff) return first;
  at += 6;
  return 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
}

char short_escape(char letter) noexcept {
  switch (letter) {
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'v':
      return '\v';
    case '"':
    case '\\':
    case '/':
    case '\'':
      return letter;
    default:
      return '\0';
  }
}

}  // namespace

char* unescape(char* begin, char* end) noexcept {
  char* out = static_cast<char*>(std::memchr(begin, '\\', static_cast<std::size_t>(end - begin)));
  if (out == nullptr) return end;
  const char* at = out;
  while (at != end) {
    if (*at != '\\' || end - at < 2) {
      *out++ = *at++;
      continue;
    }
    const char letter = at[1];
    if (letter == 'x') {
      if (const auto byte = hex_number(at + 2, end, 2); byte != kNoCode) {
        *out++ = static_cast<char>(byte);
        at += 4;
        continue;
      }
    } else if (letter == 'u') {
      const char* behind = at + 2;
      if (const auto code = take_code(behind, end); code != kNoCode) {
        out = write_utf8(out, code);
        at = behind;
        continue;
      }
    } else if (const char plain = short_escape(letter); plain != '\0') {
      *out++ = plain;
      at += 2;
      continue;
    }
    *out++ = *at++;
    *out++ = *at++;
  }
  return out;
}

}  // namespace headgate::access_logs
