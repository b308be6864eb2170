#pragma once
// What a PEM file of a certificate chain says, and whether it can be used. `headgate check` reports it, the listener's
// names come from it, and the metrics tell when it ends.

#include "headgate/core/result.hpp"
#include "headgate/core/time.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::net {

/// The kind of a public key. A client needs only one kind, so a name may have a certificate of each.
enum class KeyKind : std::uint8_t { rsa, ec, other };

/// The first certificate of a chain.
struct CertificateFacts {
  std::vector<std::string> names;  ///< host names in lower case, "*.example.com" among them; as in its subjectAltName
  Instant not_before{};
  Instant not_after{};
  KeyKind kind = KeyKind::other;
  bool named = false;     ///< whether it is for any name or address; clients believe no other
  std::size_t stray = 0;  ///< the first certificate of the chain that did not sign the one before, from 2; 0: none
};

/// A mistake in one of the two files of a certificate. `why` is a sentence without its dot, about the file as "it".
struct CertificateFault {
  enum class At : std::uint8_t { certificate, key };
  At at = At::certificate;
  std::string why;
};

/// Reads a chain and its key in PEM. The error says why they cannot be used: not PEM, a key with a passphrase, a key of
/// another certificate, too weak for OpenSSL's security level. Any thread; reads no file.
Result<CertificateFacts, CertificateFault> read_certificate(std::string_view chain, std::string_view key);

/// How many certificates are in this PEM text; the error is a sentence without its dot about the file as "it".
Result<std::size_t, std::string> count_certificates(std::string_view text);

/// Whether OpenSSL knows a group of this name for the key exchange, such as "X25519" or "P-256".
bool is_group(const std::string& name);

}  // namespace headgate::net
