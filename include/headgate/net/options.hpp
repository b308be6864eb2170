#pragma once
// The options of listening; config fills them.

#include "headgate/core/time.hpp"
#include "headgate/net/decisions.hpp"
#include "headgate/net/tls/server_tls_options.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace headgate::net {

/// An address to listen on. ":8080" means all addresses of both families.
struct ListenOptions {
  std::string host;           ///< an IP address; empty for all IPv6 and IPv4 addresses
  std::uint16_t port = 8080;  ///< port to listen on; 0 lets the system choose, and the startup line names the port
  std::string text;           ///< the address as configured, for logs
  /// True if connections of trusted proxies begin with a PROXY header, version 1 or 2. The bytes of other connections
  /// are never read as such a header.
  bool proxy_protocol = false;
  std::uint16_t https_port = 0;  ///< port to which requests without TLS are redirected; 0 if they are served
  /// true if clients may use HTTP/2: with ALPN over TLS, by prior knowledge without TLS
  bool http2 = false;
  ListenProtocol protocol = ListenProtocol::http;
  AskingProxy from = AskingProxy::none;  ///< the proxy that asks; not `none` exactly if the protocol is `decision`
  /// Time within which a decision must be settled by a second call; 0 if decisions are not settled.
  Duration settle_within{0};
  std::optional<ServerTlsOptions> tls{};  ///< options of TLS; absent if clients do not use TLS
  bool operator==(const ListenOptions&) const = default;
};

}  // namespace headgate::net
