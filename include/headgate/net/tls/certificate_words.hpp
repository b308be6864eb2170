#pragma once
// What certificates say, for people: of a PEM text, or of those that a TLS context uses.

#include "headgate/core/time.hpp"
#include "headgate/net/tls/tls_context.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace headgate::net {

/// One certificate. All texts are of its issuer, who may be anybody.
struct CertificateWords {
  std::string subject;             ///< RFC 4514: "CN=api.example,O=Example"
  std::string issuer;              ///< the same
  std::string serial;              ///< hexadecimal
  std::vector<std::string> names;  ///< host names and addresses of its subjectAltName
  Instant not_before{};
  Instant not_after{};
};

/// Of each certificate in a PEM text, in its order; empty if there is none. Any thread.
std::vector<CertificateWords> words_of_pem(std::string_view text);
/// Of our own certificate, without the rest of its chain; empty if it has none. Any thread.
std::vector<CertificateWords> words_of_own(const TlsContext& context);
/// Of the authorities of its file; empty if it trusts those of the system. Any thread.
std::vector<CertificateWords> words_of_authorities(const TlsContext& context);

}  // namespace headgate::net
