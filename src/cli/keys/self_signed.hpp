#pragma once
// Creates a self-signed certificate, for trying TLS. Used by `headgate init --tls`.

#include "headgate/core/result.hpp"

#include <string>
#include <vector>

namespace headgate::cli {

struct CertificatePair {
  std::string certificate;  ///< PEM
  std::string key;          ///< PEM, PKCS #8
  std::string expires;      ///< the day it expires, in UTC: "2027-01-31"
};

/// Creates an ECDSA key on P-256, and a certificate for these names and addresses, valid from a minute ago for `days`
/// days. It is not a CA certificate, so clients that trust it do not trust certificates signed with its key. The error
/// is a sentence without a full stop.
Result<CertificatePair, std::string> self_signed(const std::vector<std::string>& names, unsigned days);

/// Returns whether a certificate can be for `name`: a DNS name, including "*.example.com", or an IP address.
bool is_certificate_name(const std::string& name);

}  // namespace headgate::cli
