#pragma once
// Strict parser of HTTP/1.1 heads: a head that another server could read in another way is refused (request smuggling).
// Used by session and upstream.

#include "headgate/core/result.hpp"
#include "headgate/http/h1/wire.hpp"
#include "headgate/http/head.hpp"
#include "headgate/http/path.hpp"
#include "headgate/http/request_rules.hpp"

#include <cstddef>
#include <string_view>

namespace headgate::http::h1 {

using http::ParseError;

/// The bounds of a head.
struct Limits {
  std::size_t fields = 100;         ///< maximum number of fields; more are refused with 431
  std::size_t target_bytes = 8192;  ///< maximum length of the target; a longer one is refused with 414
  Paths paths = Paths::normalised;  ///< how the paths of requests are read
};

/// Returns the size in bytes of the head at the start of `bytes`, including its empty line; 0 if the head is not
/// complete. `scanned` remembers how far an earlier call searched; start with 0.
std::size_t head_size(std::string_view bytes, std::size_t& scanned) noexcept;

/// Returns the error for a request whose head is longer than `most`. `bytes` begin with the head.
ParseError too_long(std::string_view bytes, std::size_t most) noexcept;

/// Checks an incomplete request head, so that a malformed one is refused without waiting for its rest. Finds a first
/// byte with which no method can begin, and errors in single lines (a line that ends in LF alone, a control character).
/// `checked` remembers how far an earlier call checked; start with 0. The error has status 400.
Result<void, ParseError> check_unfinished(std::string_view bytes, std::size_t& checked) noexcept;

/// Parses one complete head, of the size that head_size() returned, and applies the rules for requests. `head` gets
/// views into `bytes`. Allocates nothing once the strings and vectors in `head` have their capacity. Errors: 400, 414,
/// 417, 431, 501, 505.
Result<Wire, ParseError> parse_request(std::string_view bytes, const Limits& limits, RequestHead& head);

/// Parses a server's answer to a request with this method. The error has status 502.
Result<Wire, ParseError> parse_reply(std::string_view bytes, std::string_view request_method, const Limits& limits,
                                     ReplyHead& head);

/// Parses the trailer section after the last chunk: field lines and the empty line. Refuses fields that are not allowed
/// there, such as those of framing, routing and authentication (RFC 9110 section 6.5.1). Errors: 400, 431.
Result<void, ParseError> parse_trailers(std::string_view bytes, const Limits& limits, Fields& trailers);

}  // namespace headgate::http::h1
