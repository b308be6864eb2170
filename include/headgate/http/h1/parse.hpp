#pragma once
// HTTP/1.1 heads, read strictly: what a lenient neighbour could read otherwise is refused (request smuggling).

#include "headgate/core/result.hpp"
#include "headgate/http/head.hpp"

#include <cstddef>
#include <string_view>

namespace headgate::http::h1 {

/// Why a message was refused: the status that a client is told, and one sentence for it.
struct ParseError {
  unsigned status = 400;
  const char* why = "";
};

struct Limits {
  std::size_t fields = 100;         ///< 431 beyond
  std::size_t target_bytes = 8192;  ///< 414 beyond
};

/// Bytes of the head at the front of `bytes` including its empty line, or 0 while it is not complete. `scanned`
/// remembers how far an earlier call looked; start with 0.
std::size_t head_size(std::string_view bytes, std::size_t& scanned) noexcept;

/// What can be refused of a request's head before it is complete, so that nobody waits for an end that cannot come: a
/// first byte that begins no method, a line that ends in LF alone. `checked` remembers how far an earlier call looked;
/// start with 0.
Result<void, ParseError> check_unfinished(std::string_view bytes, std::size_t& checked) noexcept;

/// Reads one complete head (as head_size measured it) into `head`, views into `bytes`. Allocates nothing once `head` is
/// warm.
Result<void, ParseError> parse_request(std::string_view bytes, const Limits& limits, RequestHead& head);

/// The same for a server's answer to a request with this method; ParseError::status is 502.
Result<void, ParseError> parse_reply(std::string_view bytes, std::string_view request_method, const Limits& limits,
                                     ReplyHead& head);

/// Reads the trailer section after the last chunk: field lines up to and with the empty line. Framing, routing and
/// authentication fields are refused there (RFC 9110 section 6.5.1).
Result<void, ParseError> parse_trailers(std::string_view bytes, const Limits& limits, Fields& trailers);

}  // namespace headgate::http::h1
