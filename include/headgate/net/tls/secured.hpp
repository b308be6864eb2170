#pragma once
// What is known of a connection after its TLS handshake.

#include <memory>
#include <string>
#include <string_view>

namespace headgate::net {

/// The certificate that a client proved to have. All texts are printable ASCII without blanks at their ends, so they
/// can stand in a field; other bytes are escaped as \XX.
struct PeerCertificate {
  std::string subject;  ///< as RFC 4514 writes it: "CN=billing,O=Example"; may be empty
  /// All of its alternative names in their order: "DNS:a.example,URI:spiffe://example/billing"; a comma in a name is
  /// escaped. Empty if it has none.
  std::string names;
  std::string sha256;  ///< of the certificate in DER: 64 hexadecimal digits in lower case
};

class ServerTls;

struct Secured {
  std::string_view version;                            ///< "1.2", "1.3"
  bool http2 = false;                                  ///< agreed on by ALPN
  bool resumed = false;                                ///< with a ticket of an earlier connection
  std::unique_ptr<const PeerCertificate> certificate;  ///< verified; null: the client has shown none
  std::string server_name{};                  ///< the host that a client of HTTP/2 asked for, normal; empty: none
  std::shared_ptr<const ServerTls> server{};  ///< of HTTP/2; else null

  /// Whether a request for `host`, which is normal, may come on this connection: the certificates for it are those for
  /// the name that the connection was made for. Always true where the client named none.
  bool serves(std::string_view host) const noexcept;
};

}  // namespace headgate::net
