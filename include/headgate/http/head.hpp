#pragma once
// The head of a request and of a reply, the same whichever HTTP version carried it.

#include "headgate/http/fields.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace headgate::http {

/// How long a body is and what marks its end (RFC 9112 section 6.3).
struct Framing {
  enum class Kind : std::uint8_t { none, length, chunked, until_close };
  Kind kind = Kind::none;
  std::uint64_t length = 0;  ///< bytes, for Kind::length
};

/// A request's head. Views live until the exchange ends; `fields` keeps its capacity from one use to the next.
struct RequestHead {
  std::string_view method;  ///< "GET"
  std::string_view target;  ///< as sent, for messages only
  std::string_view
      authority;             ///< who is asked: Host, or the absolute target's; as sent, with port. Empty: nobody (1.0)
  std::string host;          ///< the same in one spelling (http/host.hpp)
  std::string path;          ///< normalised, as it is matched (http/path.hpp); "*" for OPTIONS *
  std::string path_sent;     ///< the same as it goes on; empty where that is `path`
  bool hides_slash = false;  ///< whether some servers would read more slashes in the path
  std::string_view query;    ///< with its '?', or empty
  unsigned version = 11;     ///< 10 or 11
  Fields fields;             ///< in order, Host included
  Framing framing;
  bool keep_alive = true;  ///< whether the client wants the connection kept (RFC 9112 section 9.3)
  bool expects_continue = false;
  std::string_view upgrade;  ///< the protocol asked for, where Connection names Upgrade; else empty

  bool head() const noexcept { return method == "HEAD"; }
  /// What a server is asked for, with the escapes as the client wrote them.
  std::string_view path_to_send() const noexcept { return path_sent.empty() ? path : path_sent; }
};

/// A reply's head, as for requests.
struct ReplyHead {
  unsigned status = 0;      ///< 100 to 599
  std::string_view reason;  ///< as sent, may be empty
  unsigned version = 11;
  Fields fields;
  Framing framing;
  bool keep_alive = true;  ///< whether the server keeps the connection
};

}  // namespace headgate::http
