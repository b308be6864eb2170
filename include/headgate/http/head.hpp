#pragma once
// The head of a request and of a reply, without what is special to one HTTP version.

#include "headgate/http/fields.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace headgate::http {

/// How long the body of a message is.
struct Framing {
  enum class Kind : std::uint8_t { none, length, unknown };  ///< unknown: until its end comes
  Kind kind = Kind::none;
  std::uint64_t length = 0;  ///< bytes, for Kind::length
};

/// How a client asks for a tunnel.
enum class TunnelBy : std::uint8_t {
  upgrade,  ///< a 101 opens it, which its server sends
  connect,  ///< though `method` says GET (RFC 8441): any status of success opens it
};

/// A request's head without its fields: its control data (RFC 9110 section 6.2), and what its fields say of its framing
/// and its upgrade. The views live until the exchange ends. The containers keep their capacity between requests.
struct RequestControl {
  std::string_view method;     ///< "GET"
  std::string_view target;     ///< as sent; for messages only
  std::string_view authority;  ///< of the absolute target, else Host; as sent, with port; empty if there is none (1.0)
  std::string host;            ///< the authority's host, normalised (http/host.hpp); empty if there is no authority
  std::string path;            ///< normalised, for routes and keys (http/path.hpp), or as sent; "*" for OPTIONS *
  std::string
      path_sent;  ///< the path for the server, with the escapes as the client wrote them; empty if it equals `path`
  bool hides_slash = false;  ///< whether some servers would see more slashes in the path
  std::string_view query;    ///< begins with '?', or is empty
  unsigned version = 11;     ///< 10 or 11; higher in protocols that have no HTTP/1 lines
  Framing framing;
  std::string_view
      upgrade;  ///< the protocol that the client wants to speak in a tunnel, if one may be opened; else empty
  TunnelBy tunnel_by = TunnelBy::upgrade;  ///< where `upgrade` says something

  bool head() const noexcept { return method == "HEAD"; }
  bool by_connect() const noexcept { return tunnel_by == TunnelBy::connect && !upgrade.empty(); }
  /// The path to send to a server: normalised, with the escapes as the client wrote them.
  std::string_view path_to_send() const noexcept { return path_sent.empty() ? path : path_sent; }
};

/// A request's head.
struct RequestHead : RequestControl {
  Fields fields;  ///< in the order sent, Host included
};

/// A reply's head. Lifetimes as in RequestHead.
struct ReplyHead {
  unsigned status = 0;      ///< 100 to 599
  std::string_view reason;  ///< as sent, may be empty
  unsigned version = 11;
  Fields fields;
  Framing framing;
};

}  // namespace headgate::http
