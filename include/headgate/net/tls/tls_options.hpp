#pragma once
// The TLS options of connections that the gateway makes; config fills them.

#include <string>

namespace headgate::net {

struct TlsOptions {
  std::string ca;  ///< PEM file of the trusted authorities; empty for those of the system
  /// PEM file of the gateway's certificate chain, for a server that asks for it; empty if none
  std::string certificate;
  std::string key;          ///< PEM file of the private key of the certificate
  std::string server_name;  ///< the name that the certificate must be for; empty for the host connected to
  std::string protocol{};   ///< the only protocol offered with ALPN, such as "h2"; empty to send no ALPN
  bool verify = true;       ///< false accepts any certificate; only for tests
  bool operator==(const TlsOptions&) const = default;
};

}  // namespace headgate::net
