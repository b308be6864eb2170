#pragma once
// A certificate that signs itself, for trying TLS. Used by `headgate init --tls`.

#include "headgate/core/result.hpp"

#include <string>
#include <vector>

namespace headgate::cli {

struct CertificatePair {
  std::string certificate;  ///< PEM
  std::string key;          ///< PEM, PKCS #8
  std::string expires;      ///< the day, in UTC: "2027-01-31"
};

/// A new ECDSA key on P-256, and a certificate for these names and addresses, valid from a minute ago for that many
/// days. Nobody who trusts the certificate trusts others signed by its key. The error is a sentence without its dot.
Result<CertificatePair, std::string> self_signed(const std::vector<std::string>& names, unsigned days);

/// Returns whether a certificate can be for `name`: a DNS name, also "*.example.com", or an IP address.
bool is_certificate_name(const std::string& name);

}  // namespace headgate::cli
