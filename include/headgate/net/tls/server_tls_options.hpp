#pragma once
// The options of TLS on a listener; config fills them.

#include <cstdint>
#include <string>
#include <vector>

namespace headgate::net {

/// A certificate with its key.
struct CertificateFiles {
  std::string certificate;  ///< PEM file: the certificate, then the intermediate certificates up to an authority
  std::string key;          ///< PEM file of the private key of the certificate
  std::string ocsp{};       ///< DER file of the OCSP response that is stapled; empty to staple none
  bool operator==(const CertificateFiles&) const = default;
};

/// The oldest version that clients may use.
enum class TlsVersion : std::uint8_t { tls_1_2, tls_1_3 };

struct ServerTlsOptions {
  /// certificates, at least one; the first is for clients that name none of our hosts
  std::vector<CertificateFiles> certificates;
  TlsVersion oldest = TlsVersion::tls_1_2;
  std::vector<std::string> groups;  ///< groups for the key exchange, best first; kUsualGroups if empty
  /// protocols offered with ALPN, best first; not empty. A client without ALPN uses HTTP/1.1
  std::vector<std::string> protocols{"http/1.1", "http/1.0"};
  /// PEM file of the authorities for client certificates; empty if clients are not asked for one
  std::string client_ca;
  /// The secret that session tickets are encrypted with: at least 32 bytes, the same on all gateways. If empty, a
  /// random secret is used that only this process knows.
  std::string ticket_secret;
  bool operator==(const ServerTlsOptions&) const = default;
};

}  // namespace headgate::net
