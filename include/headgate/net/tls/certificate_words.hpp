#pragma once
// Descriptions of certificates for people: of a PEM text, or of those that a TLS context uses. Used by admin.

#include "headgate/core/time.hpp"
#include "headgate/net/tls/tls_context.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace headgate::net {

/// A certificate in words. All texts come from its issuer and must not be trusted.
struct CertificateWords {
  std::string subject;             ///< subject in the form of RFC 4514: "CN=api.example,O=Example"
  std::string issuer;              ///< issuer in the same form as the subject
  std::string serial;              ///< hexadecimal digits
  std::vector<std::string> names;  ///< host names and addresses of the subjectAltName
  Instant not_before{};
  Instant not_after{};
};

/// Describes each certificate of a PEM text, in order; empty if there is none. Any thread.
std::vector<CertificateWords> words_of_pem(std::string_view text);
/// Describes the gateway's own certificate, without the rest of its chain; empty if the gateway has none. Any thread.
std::vector<CertificateWords> words_of_own(const TlsContext& context);
/// Describes the authorities of the configured file; empty if those of the system are trusted. Any thread.
std::vector<CertificateWords> words_of_authorities(const TlsContext& context);

}  // namespace headgate::net
