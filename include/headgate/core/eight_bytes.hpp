#pragma once
// Examines eight bytes of a text at once, in one register. Used by json_plain and http.

#include <cstdint>
#include <cstring>

namespace headgate {

constexpr std::uint64_t eight_of(std::uint8_t byte) noexcept { return 0x0101'0101'0101'0101U * byte; }

inline std::uint64_t load_eight(const char* bytes) noexcept {
  std::uint64_t out = 0;
  std::memcpy(&out, bytes, sizeof out);
  return out;
}

/// Returns whether one of the bytes is `byte`.
constexpr bool has_byte(std::uint64_t eight, std::uint8_t byte) noexcept {
  const auto none = eight ^ eight_of(byte);
  return ((none - eight_of(1)) & ~none & eight_of(0x80)) != 0;
}

/// Returns whether one of the bytes is a control character of ASCII (RFC 20), including HTAB and DEL.
constexpr bool has_control(std::uint64_t eight) noexcept {
  return ((eight - eight_of(0x20)) & ~eight & eight_of(0x80)) != 0 || has_byte(eight, 0x7f);
}

}  // namespace headgate
