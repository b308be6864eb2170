#pragma once
// The heads of requests and replies, without details of one HTTP version. Used by session, gateway and upstream.

#include "headgate/http/fields.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace headgate::http {

/// The length of a message's body.
struct Framing {
  /// unknown means that the length is known only when the end of the body arrives
  enum class Kind : std::uint8_t { none, length, unknown };
  Kind kind = Kind::none;
  std::uint64_t length = 0;  ///< bytes, for Kind::length
};

/// The way a client asks for a tunnel.
enum class TunnelBy : std::uint8_t {
  upgrade,  ///< with Upgrade: a 101 from the server opens the tunnel
  connect,  ///< with extended CONNECT (RFC 8441), although `method` says GET: any 2xx opens the tunnel
};

/// The head of a request without its fields: its control data (RFC 9110 section 6.2), and the framing and upgrade that
/// its fields ask for. The views live until the exchange ends. The containers keep their capacity between requests.
/// The method that the client of this connection sent, as far as it decides whether the answer has a body.
enum class WireMethod : std::uint8_t {
  same,   ///< RequestControl::method
  head,   ///< HEAD, although the request asks about one with another method
  other,  ///< not HEAD
};

struct RequestControl {
  std::string_view method;  ///< "GET"
  std::string_view target;  ///< target as it was sent; used only in messages
  /// the authority of an absolute target, otherwise the value of Host; as sent, with port; empty if there is none
  /// (HTTP/1.0)
  std::string_view authority;
  std::string host;          ///< the authority's host, normalised (http/host.hpp); empty if there is no authority
  std::string path;          ///< normalised for routes and keys (http/path.hpp), or as sent; "*" for OPTIONS *
  std::string path_sent;     ///< the path for the server, with the escapes of the client; empty if it equals `path`
  bool hides_slash = false;  ///< true if some servers would see more slashes in the path
  std::string_view query;    ///< query of the target; begins with '?' or is empty
  unsigned version = 11;     ///< 10 or 11; higher for protocols without HTTP/1 lines
  Framing framing;
  std::string_view
      upgrade;  ///< the protocol that the client wants to use in a tunnel, if one may be opened; otherwise empty
  TunnelBy tunnel_by = TunnelBy::upgrade;  ///< way of opening the tunnel; valid if `upgrade` is not empty

  WireMethod wire_method = WireMethod::same;

  /// Returns whether the answer has no body because of the method.
  bool head() const noexcept {
    return wire_method == WireMethod::same ? method == "HEAD" : wire_method == WireMethod::head;
  }
  bool by_connect() const noexcept { return tunnel_by == TunnelBy::connect && !upgrade.empty(); }
  /// Returns the path for the server: normalised, with the escapes of the client.
  std::string_view path_to_send() const noexcept { return path_sent.empty() ? path : path_sent; }
};

/// The head of a request.
struct RequestHead : RequestControl {
  Fields fields;  ///< fields in the order in which they were sent, including Host
};

/// The head of a reply. Lifetimes are those of RequestHead.
struct ReplyHead {
  unsigned status = 0;      ///< 100 to 599
  std::string_view reason;  ///< reason as it was sent; may be empty
  unsigned version = 11;
  Fields fields;
  Framing framing;
};

}  // namespace headgate::http
