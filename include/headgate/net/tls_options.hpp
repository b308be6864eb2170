#pragma once
// What a configuration says of TLS to others.

#include <string>

namespace headgate::net {

struct TlsOptions {
  std::string ca;           ///< PEM file of the authorities to trust; empty: the system's
  std::string certificate;  ///< PEM file of our own chain, where the other side asks for one; empty: none
  std::string key;          ///< PEM file
  std::string server_name;  ///< what the certificate must be for; empty: the host connected to
  bool verify = true;       ///< false believes any certificate: only for trying things out
  bool operator==(const TlsOptions&) const = default;
};

}  // namespace headgate::net
