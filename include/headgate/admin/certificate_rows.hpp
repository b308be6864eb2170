#pragma once
// The certificates in force: of listeners, of those who sign certificates of clients, and towards upstreams.

#include "headgate/net/tls/certificate_words.hpp"
#include "headgate/services/active_config.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::admin {

/// What a certificate is used for.
enum class CertificateUse : std::uint8_t { listener, clients_ca, upstream, upstream_ca };
std::string_view use_text(CertificateUse use) noexcept;  ///< "listener", "clients_ca", …

/// One certificate of a file, as it is used; or a file that could not be used.
struct CertificateRow {
  std::string file;
  CertificateUse use = CertificateUse::listener;
  std::vector<std::string> used_by;  ///< listeners as the configuration has them, or names of upstreams
  net::CertificateWords words;
  Instant loaded{};    ///< since when it is used, or since its file was read last
  std::string ocsp{};  ///< what its authority says of it: "good", "revoked", "stale", "refused"; empty: nothing is sent
  Instant ocsp_until{};  ///< of a response that was read
  std::string
      refused{};  ///< why newer files were refused, a sentence without its dot that names the file; may be empty
};

/// The last moments of a certificate.
struct Validity {
  Instant from{};
  Instant until{};
  bool ends_soon(Instant now) const noexcept;
};
/// "it ends in 5 days"
std::string days_left(Instant until, Instant now);

/// Those of the upstreams, read at `loaded`.
std::vector<CertificateRow> upstream_certificates(const services::ActiveConfig& active, Instant loaded);
/// Joins rows of the same certificate, file and use.
std::vector<CertificateRow> joined_rows(std::vector<CertificateRow> rows);
/// Of each file the certificate that ends first; of a file of authorities alone the one that ends last, because old
/// ones are often left in such a file.
std::map<std::string, Validity> validity_of(const std::vector<CertificateRow>& rows);

}  // namespace headgate::admin
