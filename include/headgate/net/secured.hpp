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

struct Secured {
  std::string_view version;                            ///< "1.2", "1.3"
  bool resumed = false;                                ///< with a ticket of an earlier connection
  std::unique_ptr<const PeerCertificate> certificate;  ///< verified; null: the client has shown none
};

}  // namespace headgate::net
