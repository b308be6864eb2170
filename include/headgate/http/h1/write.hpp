#pragma once
// Writes HTTP/1.1 heads: appends them to a buffer that keeps its capacity. No errors; any thread.

#include "headgate/http/head.hpp"

#include <string>
#include <string_view>

namespace headgate::http::h1 {

/// What the reply says in its Connection field.
enum class Connection { keep, close, upgrade };

/// Appends the request line, `fields` in order, the framing field, and the empty line. `fields` contain no framing
/// fields. `query` is empty or begins with "?".
void append_request_head(std::string& out, std::string_view method, std::string_view path, std::string_view query,
                         const Fields& fields, const Framing& framing);

/// The first line of a reply, and how its head ends.
struct ReplyLine {
  unsigned status = 200;
  std::string_view reason;       ///< empty: the standard reason of the status
  unsigned client_version = 11;  ///< 10 or 11
  bool bodiless = false;         ///< no body follows: 1xx, 204, 304, or an answer to HEAD
  Connection connection = Connection::keep;
};
/// Appends the status line, `fields`, the framing field, Connection, and the empty line. A bodiless reply gets only a
/// Content-Length, which says how long the body would be; 1xx and 204 get none.
void append_reply_head(std::string& out, const ReplyLine& line, const Fields& fields, const Framing& framing);

/// Appends the lines of `fields`, without an empty line.
void append_fields(std::string& out, const Fields& fields);

}  // namespace headgate::http::h1
