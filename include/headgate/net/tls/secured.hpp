#pragma once
// The facts about a connection after its TLS handshake. Used by session and gateway.

#include <memory>
#include <string>
#include <string_view>

namespace headgate::net {

/// The certificate whose key a client has proved to have. All texts are printable ASCII without blanks at their ends;
/// other bytes are escaped as \XX. So the texts can be used in a header field.
struct PeerCertificate {
  std::string subject;  ///< subject in the form of RFC 4514: "CN=billing,O=Example"; may be empty
  /// All alternative names in order: "DNS:a.example,URI:spiffe://example/billing"; a comma in a name is escaped. Empty
  /// if there is none.
  std::string names;
  std::string sha256;  ///< digest of the DER form: 64 hexadecimal digits in lower case
};

class ServerTls;

struct Secured {
  std::string_view version;  ///< "1.2" or "1.3"
  bool http2 = false;        ///< true if HTTP/2 was agreed on with ALPN
  bool resumed = false;      ///< true if the session was resumed with a ticket of an earlier connection
  std::unique_ptr<const PeerCertificate> certificate;  ///< verified; null if the client has shown none
  /// the normalised host name that the client asked for, for HTTP/2; empty if it named none
  std::string server_name{};
  std::shared_ptr<const ServerTls> server{};  ///< the TLS of the listener, for HTTP/2; otherwise null

  /// Returns whether a request for the normalised `host` may use this connection: its certificates must be those for
  /// the name that the connection was made for. Always true if the client named no host.
  bool serves(std::string_view host) const noexcept;
};

}  // namespace headgate::net
