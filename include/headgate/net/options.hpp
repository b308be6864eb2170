#pragma once
// The options of listening; config fills them.

#include "headgate/net/tls/server_tls_options.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace headgate::net {

/// One address to listen on. ":8080" means all addresses of both families.
struct ListenOptions {
  std::string host;           ///< an IP address; empty: all, IPv6 and IPv4
  std::uint16_t port = 8080;  ///< 0: the system chooses one, and the line at startup names it
  std::string text;           ///< as written, for logs
  /// Connections of trusted proxies begin with a PROXY header, version 1 or 2. Connections of others do not: their
  /// bytes are never read as such a header.
  bool proxy_protocol = false;
  std::uint16_t https_port = 0;  ///< requests without TLS are redirected to this port of https; 0: they are served
  /// Whether clients may speak HTTP/2: over TLS by ALPN, else by prior knowledge.
  bool http2 = false;
  std::optional<ServerTlsOptions> tls{};  ///< absent: clients do not use TLS
  bool operator==(const ListenOptions&) const = default;
};

}  // namespace headgate::net
