#pragma once
// The rules of a request that hold in every version of HTTP: its method, the host that it is for, and its target.

#include "headgate/core/result.hpp"
#include "headgate/http/head.hpp"
#include "headgate/http/path.hpp"

#include <optional>
#include <string_view>

namespace headgate::http {

/// Why a message was refused: the status for the client, and one sentence.
struct ParseError {
  unsigned status = 400;
  const char* why = "";
};

/// Whom a request addresses, as its protocol has it.
struct RequestTarget {
  std::optional<std::string_view> authority{};  ///< replaces Host; nothing: there is only Host
  std::string_view path{};                      ///< with its query; "*" for OPTIONS *
};

/// Why requests with this method, a token, are refused; nothing: they are not.
std::optional<ParseError> refused_method(std::string_view method);

/// Checks a head whose method, version and fields are set, and sets all that follows from them and from `target`:
/// authority, host, path, path_sent, hides_slash and query. Allocates nothing once the strings in `head` have their
/// capacity. Errors: 400, 501.
Result<void, ParseError> apply_request_rules(const RequestTarget& target, Paths paths, RequestHead& head);

}  // namespace headgate::http
