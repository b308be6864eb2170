#pragma once
// Writes HTTP/1.1 heads. Each call replaces the content of its buffer. No errors; any thread. Used by session, upstream
// and net.

#include "headgate/core/text_buffer.hpp"
#include "headgate/http/head.hpp"

#include <string_view>

namespace headgate::http::h1 {

/// The Connection option of a reply.
enum class ConnectionOption { keep, close, upgrade };

/// Writes the request line, `fields` in order, the framing field and the empty line. `fields` must not contain framing
/// fields. `query` is empty or begins with "?".
std::string_view write_request_head(TextBuffer& room, std::string_view method, std::string_view path,
                                    std::string_view query, const Fields& fields, const Framing& framing);

/// The first line of a reply, and the facts that decide its framing.
struct ReplyLine {
  unsigned status = 200;
  std::string_view reason;       ///< reason phrase; empty for the standard reason of the status
  unsigned client_version = 11;  ///< version of the client: 10 or 11
  bool bodiless = false;         ///< true if no body follows: 1xx, 204, 304 or an answer to HEAD
  ConnectionOption connection = ConnectionOption::keep;
};
/// Writes the status line, `fields`, the framing field, Connection and the empty line. A reply without a body has no
/// framing field, except that an answer to HEAD and a 304 get the Content-Length that the body would have, if it is
/// known.
std::string_view write_reply_head(TextBuffer& room, const ReplyLine& line, const Fields& fields,
                                  const Framing& framing);

/// Writes the end of a chunked body: the last chunk, the lines of `trailers`, and the empty line.
std::string_view write_last_chunk(TextBuffer& room, const Fields& trailers);

}  // namespace headgate::http::h1
