#pragma once
// What a configuration says of listening.

#include <cstdint>
#include <string>

namespace headgate::net {

/// One address to listen on. ":8080" is every address of both families.
struct ListenOptions {
  std::string host;           ///< an address literal; empty: all, IPv6 and IPv4
  std::uint16_t port = 8080;  ///< 0: the system picks, and the start-up line names it
  std::string text;           ///< as written, for logs
  /// Connections of trusted proxies begin with a PROXY header, version 1 or 2. Nobody else's do, whatever they send.
  bool proxy_protocol = false;
  bool operator==(const ListenOptions&) const = default;
};

}  // namespace headgate::net
