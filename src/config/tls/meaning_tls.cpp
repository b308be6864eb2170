#include "meaning_tls.hpp"

#include "config/formats/dates.hpp"
#include "config/text/placeholders.hpp"

#include "headgate/core/text.hpp"
#include "headgate/net/certificate.hpp"

#include <algorithm>

namespace headgate::config {
namespace {

constexpr std::size_t kNamesShown = 4;

std::vector<net::CertificateFacts> facts_of(const net::ServerTlsOptions& tls) {
  std::vector<net::CertificateFacts> out;
  for (const auto& each : tls.certificates) {
    const auto chain = read_text_file(each.certificate);
    const auto key = read_text_file(each.key);
    if (!chain.text || !key.text) continue;
    if (auto facts = net::read_certificate(*chain.text, *key.text); facts.has_value()) out.push_back(std::move(*facts));
  }
  return out;
}

// "https://:8443: TLS 1.2 or later for a.example and b.example, until 2027-01-01 …"
std::string listener_in_words(const net::ListenOptions& listen) {
  const auto& tls = *listen.tls;
  const auto facts = facts_of(tls);
  std::vector<std::string> names;
  Instant until = Instant::max();
  bool all_rsa = !facts.empty();
  for (const auto& each : facts) {
    for (const auto& name : each.names)
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    until = std::min(until, each.not_after);
    all_rsa = all_rsa && each.kind == net::KeyKind::rsa;
  }
  const auto more = names.size() > kNamesShown ? names.size() - kNamesShown : 0;
  if (more > 0) names.resize(kNamesShown);
  std::string out = "\nClients connect to " + listen.text + " with TLS " +
                    (tls.oldest == net::TlsVersion::tls_1_3 ? "1.3" : "1.2 or 1.3");
  if (!names.empty()) out += ", as " + joined(names, ", ");
  if (more > 0) out += " and " + std::to_string(more) + " more";
  if (!facts.empty()) out += "; the first certificate ends on " + date_text(until);
  if (!tls.client_ca.empty()) out += "; they are asked for a certificate";
  out += ".\n";
  if (all_rsa) out += "  Each handshake takes twice the time that it would with an ECDSA certificate (P-256).\n";
  return out;
}

}  // namespace

std::string tls_in_words(const Config& config) {
  std::string out;
  for (const auto& each : config.listen)
    if (each.tls) out += listener_in_words(each);
  return out;
}

}  // namespace headgate::config
