#pragma once
// The options of TLS connections that we make; config fills them.

#include <string>

namespace headgate::net {

struct TlsOptions {
  std::string ca;           ///< PEM file of the authorities to trust; empty: those of the system
  std::string certificate;  ///< PEM file of our own certificate chain, for a server that asks for it; empty: none
  std::string key;          ///< PEM file of its private key
  std::string server_name;  ///< the name that the certificate must be for; empty: the host connected to
  std::string protocol{};   ///< the only one that is offered (ALPN), as "h2"; empty: nothing is said of it
  bool verify = true;       ///< false accepts any certificate: only for trials
  bool operator==(const TlsOptions&) const = default;
};

}  // namespace headgate::net
