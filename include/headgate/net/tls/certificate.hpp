#pragma once
// The content of a PEM certificate chain, and whether the chain can be used. `headgate check` reports the content, a
// listener gets its names from it, and the metrics show its expiry.

#include "headgate/core/result.hpp"
#include "headgate/core/time.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::net {

/// The kind of a public key. A client needs only one kind, so a name may have one certificate of each kind.
enum class KeyKind : std::uint8_t { rsa, ec, other };

/// The first certificate of a chain.
struct CertificateFacts {
  /// host names of the subjectAltName in lower case, including wildcards such as "*.example.com"
  std::vector<std::string> names;
  Instant not_before{};
  Instant not_after{};
  KeyKind kind = KeyKind::other;
  bool named = false;  ///< whether the certificate names any host or address; clients accept no other certificate
  /// position of the first certificate, counted from 1, that did not sign the one before it; at least 2, or 0 if there
  /// is none
  std::size_t stray = 0;
};

/// A mistake in one of the two files of a certificate. `why` is a sentence without a full stop that calls the file
/// "it".
struct CertificateFault {
  enum class At : std::uint8_t { certificate, key };
  At at = At::certificate;
  std::string why;
};

/// Reads a chain and its key in PEM. The error says why they cannot be used: not PEM, a key with a passphrase, a key of
/// another certificate, too weak for OpenSSL's security level. Any thread; reads no file.
Result<CertificateFacts, CertificateFault> read_certificate(std::string_view chain, std::string_view key);

/// Returns the number of certificates in this PEM text. The error is a sentence without a full stop that calls the file
/// "it".
Result<std::size_t, std::string> count_certificates(std::string_view text);

/// Returns whether OpenSSL knows a key exchange group of this name, such as "X25519" or "P-256".
bool is_group(const std::string& name);

}  // namespace headgate::net
