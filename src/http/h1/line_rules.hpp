#pragma once
// Rules that hold for a whole head, in either direction, and why one is refused.

#include "headgate/http/h1/parse.hpp"

#include <cstddef>
#include <string_view>

namespace headgate::http::h1 {

/// nullptr, or why these lines are refused: a bare CR or LF, a NUL or other control byte, a folded line (RFC 9112
/// section 5.2).
const char* refused_lines(std::string_view bytes) noexcept;

/// Message framing from Transfer-Encoding and Content-Length as RFC 9112 section 6 has it, with no leniency:
/// Transfer-Encoding is exactly one `chunked` on HTTP/1.1 and alone; Content-Length is one plain number.
struct FramingRules {
  bool chunked = false;
  bool has_length = false;
  std::uint64_t length = 0;
  const char* refused = nullptr;
};
FramingRules framing_rules(const Fields& fields, unsigned version) noexcept;

/// What the Connection fields say, read once.
struct ConnectionOptions {
  bool close = false;
  bool keep_alive = false;
  bool upgrade = false;
  std::size_t names = 0;  // anything else: fields that are this hop's alone
};
ConnectionOptions connection_options(const Fields& fields) noexcept;

}  // namespace headgate::http::h1
