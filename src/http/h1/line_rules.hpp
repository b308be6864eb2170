#pragma once
// Rules for a complete request or reply head.

#include "headgate/http/h1/parse.hpp"

#include <cstddef>
#include <string_view>

namespace headgate::http::h1 {

/// Returns why these lines are refused: a bare CR or LF, a control character, a folded line (RFC 9112 section 5.2).
/// nullptr if they are valid.
const char* refused_lines(std::string_view bytes) noexcept;

/// The framing given by Transfer-Encoding and Content-Length (RFC 9112 section 6), read strictly. Transfer-Encoding
/// must be a single `chunked`, on HTTP/1.1, without Content-Length; Content-Length must be a single plain number.
struct FramingRules {
  bool chunked = false;
  bool has_length = false;
  std::uint64_t length = 0;
  const char* refused = nullptr;
};
FramingRules framing_rules(const Fields& fields, unsigned version) noexcept;

/// The options in all Connection fields.
struct ConnectionOptions {
  bool close = false;
  bool keep_alive = false;
  bool upgrade = false;
  std::size_t names = 0;  // number of other names, which are hop-by-hop fields
};
ConnectionOptions connection_options(const Fields& fields) noexcept;

}  // namespace headgate::http::h1
