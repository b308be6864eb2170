#pragma once
// The certificates in use: of listeners, of authorities for client certificates, and for upstreams.

#include "headgate/net/tls/certificate_words.hpp"
#include "headgate/services/active_config.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::admin {

/// The use of a certificate.
enum class CertificateUse : std::uint8_t { listener, clients_ca, upstream, upstream_ca };
std::string_view use_text(CertificateUse use) noexcept;  ///< Returns "listener", "clients_ca" or another word.

/// One certificate of a file, or a file that could not be used.
struct CertificateRow {
  std::string file;
  CertificateUse use = CertificateUse::listener;
  std::vector<std::string> used_by;  ///< Listeners as the configuration writes them, or names of upstreams.
  net::CertificateWords words;
  Instant loaded{};  ///< Time at which the certificate came into use, or at which its file was last read.
  /// Status in the OCSP response of its authority: "good", "revoked", "stale" or "refused"; empty if no response is
  /// sent.
  std::string ocsp{};
  Instant ocsp_until{};  ///< End of the OCSP response that was read.
  /// Reason why newer files were refused: a sentence without its full stop that names the file; may be empty.
  std::string refused{};
};

/// The first and last moments at which a certificate is valid.
struct Validity {
  Instant from{};
  Instant until{};
  bool ends_soon(Instant now) const noexcept;
};
/// Returns, for example, "it ends in 5 days".
std::string days_left(Instant until, Instant now);

/// Returns the certificates of the upstreams, read at `loaded`.
std::vector<CertificateRow> upstream_certificates(const services::ActiveConfig& active, Instant loaded);
/// Joins rows of the same certificate, file and use.
std::vector<CertificateRow> joined_rows(std::vector<CertificateRow> rows);
/// Returns for each file the validity of the certificate that ends first. For a file that has only authorities, the one
/// that ends last counts, because such files often contain expired ones.
std::map<std::string, Validity> validity_of(const std::vector<CertificateRow>& rows);

}  // namespace headgate::admin
