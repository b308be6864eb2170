#pragma once
// Hexadecimal digits of percent-encoding (RFC 3986 section 2.1).

namespace headgate::http {

/// The value of `c`, or -1 where it is no digit.
constexpr int hex(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace headgate::http
