#pragma once
// Writes HTTP/1.1 heads, each in place of what its buffer held. No errors; any thread.

#include "headgate/core/text_buffer.hpp"
#include "headgate/http/head.hpp"

#include <string_view>

namespace headgate::http::h1 {

/// What the reply says in its Connection field.
enum class ConnectionOption { keep, close, upgrade };

/// The request line, `fields` in order, the framing field, and the empty line. `fields` contain no framing fields.
/// `query` is empty or begins with "?".
std::string_view write_request_head(TextBuffer& room, std::string_view method, std::string_view path,
                                    std::string_view query, const Fields& fields, const Framing& framing);

/// The first line of a reply, and how its head ends.
struct ReplyLine {
  unsigned status = 200;
  std::string_view reason;       ///< empty: the standard reason of the status
  unsigned client_version = 11;  ///< 10 or 11
  bool bodiless = false;         ///< no body follows: 1xx, 204, 304, or an answer to HEAD
  ConnectionOption connection = ConnectionOption::keep;
};
/// The status line, `fields`, the framing field, Connection, and the empty line. A bodiless reply gets only a
/// Content-Length, which says how long the body would be; 1xx and 204 get none.
std::string_view write_reply_head(TextBuffer& room, const ReplyLine& line, const Fields& fields,
                                  const Framing& framing);

/// What ends a chunked body: the last chunk, the lines of `trailers`, and the empty line.
std::string_view write_last_chunk(TextBuffer& room, const Fields& trailers);

}  // namespace headgate::http::h1
