#pragma once
// The rules for requests in every version of HTTP: method, host and target. Used by session, gateway, engine and the
// parsers.

#include "headgate/core/result.hpp"
#include "headgate/http/head.hpp"
#include "headgate/http/path.hpp"

#include <optional>
#include <string_view>

namespace headgate::http {

/// The reason why a message was refused: the status for the client, and one sentence.
struct ParseError {
  unsigned status = 400;
  const char* why = "";
};

/// The target of a request, as its protocol sends it.
struct RequestTarget {
  std::optional<std::string_view> authority{};  ///< replaces Host; empty if the protocol sent only Host
  std::string_view path{};                      ///< path with the query; "*" for OPTIONS *
};

/// Returns the error for a request with this method, which must be a token; empty if the method is allowed.
std::optional<ParseError> refused_method(std::string_view method);

/// Checks a head whose method, version and fields are set, and sets authority, host, path, path_sent, hides_slash and
/// query from them and from `target`. Allocates nothing once the strings in `head` have their capacity. Errors: 400,
/// 501.
Result<void, ParseError> apply_request_rules(const RequestTarget& target, Paths paths, RequestHead& head);

}  // namespace headgate::http
