#pragma once
// The options of TLS on a listener; config fills them.

#include <cstdint>
#include <string>
#include <vector>

namespace headgate::net {

/// A certificate with its key.
struct CertificateFiles {
  std::string certificate;  ///< PEM file: the certificate, then those that lead from it to an authority
  std::string key;          ///< PEM file of its private key
  std::string ocsp{};       ///< DER file of the OCSP response that is sent with it; empty: none is
  bool operator==(const CertificateFiles&) const = default;
};

/// The oldest version that clients may use.
enum class TlsVersion : std::uint8_t { tls_1_2, tls_1_3 };

struct ServerTlsOptions {
  std::vector<CertificateFiles> certificates;  ///< at least one; the first is for clients that name no host of ours
  TlsVersion oldest = TlsVersion::tls_1_2;
  std::vector<std::string> groups;  ///< for the key exchange, the best first; empty: kUsualGroups
  /// What a client may speak (ALPN), the best first; not empty. One that says nothing speaks HTTP/1.1.
  std::vector<std::string> protocols{"http/1.1", "http/1.0"};
  std::string client_ca;  ///< PEM file of those who sign certificates of clients; empty: none are asked for
  /// What session tickets are sealed with: at least 32 bytes, the same on all gateways. Empty: a random one, which only
  /// this process knows.
  std::string ticket_secret;
  bool operator==(const ServerTlsOptions&) const = default;
};

}  // namespace headgate::net
