// TLS of a listener: its keys, a check of its files, and a description in words.

#include "config/build.hpp"
#include "config/formats/formats.hpp"
#include "config/table.hpp"
#include "config/table_shapes.hpp"
#include "config/text/codes.hpp"
#include "config/text/placeholders.hpp"
#include "config/values.hpp"
#include "config/words.hpp"

#include "headgate/core/moment_text.hpp"
#include "headgate/core/per_enum.hpp"
#include "headgate/core/text.hpp"
#include "headgate/net/tls/certificate.hpp"
#include "headgate/net/tls/staple.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace headgate::config {
namespace {

constexpr Key kCertificateKeys[] = {
    {"certificate", &kFilePath, "", R"("/etc/headgate/tls/fullchain.pem")",
     "PEM file with the certificate, followed by its chain", required},
    {"key", &kFilePath, "", R"("/etc/headgate/tls/privkey.pem")", "PEM file of its private key", required},
    {"ocsp", &kFilePath, "", R"("/etc/headgate/tls/staple.der")",
     "DER file with an OCSP response, kept current by another program and sent to clients that ask"},
};
constexpr Section kCertificate{"certificate", "listen[].tls.certificates[]",
                               "A certificate with its key, for clients that ask for its name.", kCertificateKeys};
constexpr Shape kCertificateShape = section(kCertificate);
constexpr Shape kCertificates = list("a list of certificates with their keys", kCertificateShape, 1, 10'000);
constexpr WordsUpTo<net::TlsVersion::tls_1_3> kTlsVersions({"1.2", "1.3"});
constexpr Shape kOldest = choice(kTlsVersions);
constexpr Shape kGroup = text("a group's name", check_tls_group);
constexpr Shape kGroups = list("a list of groups", kGroup, 1, 16);
constexpr Shape kTicketSecret = text("a secret of at least 32 bytes", check_ticket_secret);
constexpr Key kServerTlsKeys[] = {
    {"certificate", &kFilePath, "", R"("/etc/headgate/tls/fullchain.pem")",
     "PEM file with the certificate, followed by its chain; read again when it changes"},
    {"key", &kFilePath, "", R"("/etc/headgate/tls/privkey.pem")",
     "PEM file with the private key; read again when it changes"},
    {"ocsp", &kFilePath, "", R"("/etc/headgate/tls/staple.der")",
     "DER file with an OCSP response, kept current by another program and sent to clients that ask until it is stale; "
     "read again when it changes"},
    {"certificates", &kCertificates, "",
     R"([{ "certificate": "/etc/headgate/tls/a.pem", "key": "/etc/headgate/tls/a.key" }])",
     "Several certificates, in place of the two keys above. A client gets the one with the name it asks for, otherwise "
     "one with a matching wildcard, otherwise the first"},
    {"min_version", &kOldest, kOfOptions, R"("1.3")", "Oldest TLS version that clients may use",
     into<&net::ServerTlsOptions::oldest>},
    {"groups", &kGroups, "", R"(["X25519", "P-256"])",
     "Key exchange groups, best first. Default: X25519MLKEM768 if OpenSSL has it, then X25519, P-256 and P-384",
     into<&net::ServerTlsOptions::groups>},
    {"client_ca", &kFilePath, "", R"("/etc/headgate/clients-ca.pem")",
     "PEM file of the authorities for client certificates. Clients are asked for one, and an invalid one ends the "
     "handshake; routes with `\"require\": \"mtls\"` and a `rate_limit_service` refuse clients without one"},
    {"ticket_secret", &kTicketSecret, "", R"("${HEADGATE_TICKET_SECRET}")",
     "Secret that seals session tickets, at least 32 bytes; gateways with the same secret resume each other's "
     "sessions. Default: random per process",
     into<&net::ServerTlsOptions::ticket_secret>},
};
constexpr std::string_view kOneOrSeveral[] = {"certificate", "certificates"};
constexpr Section kServerTls{.name = "server_tls",
                             .path = "listen[].tls",
                             .doc = "TLS to clients: this object, or a list of certificates with their keys.",
                             .keys = kServerTlsKeys,
                             .one_of = kOneOrSeveral};
constexpr Shape kServerTlsObject = section(kServerTls);
constexpr const Shape* kServerTlsForms[] = {&kServerTlsObject, &kCertificates};

}  // namespace

constexpr Shape kServerTlsShape = either("an object, or a list of certificates with their keys", kServerTlsForms);

namespace {

using net::KeyKind;

constexpr std::size_t kShortestTicketSecret = 32;
constexpr const char* kKeyHelp =
    "name the PEM file of a private key; to remove a passphrase: openssl pkey -in OLD -out NEW";
constexpr const char* kPemHelp = "name a PEM file that starts with -----BEGIN";
constexpr std::size_t kLargestStaple = 64UL * 1024;
constexpr const char* kStapleHelp =
    "name a DER file: openssl ocsp -respout FILE -url RESPONDER -issuer AUTHORITY.pem -cert CERTIFICATE.pem";

std::string place_word(std::size_t number) {
  constexpr std::array<std::string_view, 3> kWords{"second", "third", "fourth"};
  return number < kWords.size() + 2 ? std::string(kWords[number - 2]) : std::to_string(number) + "th";
}

class ListenerTls {
 public:
  ListenerTls(Build& build, net::ServerTlsOptions& out) : report_(build.report), out_(out) {}

  void run(const Node& tls) {
    if (tls.kind == Kind::list) return pairs(tls);
    const Node* several = find(&tls, "certificates");
    if (several != nullptr)
      pairs(*several);
    else
      only_pair(tls);
    for (const char* name : {"key", "ocsp"}) {
      const Node* own = find(&tls, name);
      if (own == nullptr || several == nullptr || find(&tls, "certificate") != nullptr) continue;
      report_.error_at_key(code::kConflict, *own, in_quotes(name) + " and \"certificates\" cannot be used together",
                           "each element of \"certificates\" has its own " + in_quotes(name));
    }
    fill(&tls, kServerTls, out_);
    clients(tls);
  }

 private:
  struct Named {
    const Node* node;
    KeyKind kind;
  };

  void pairs(const Node& list) {
    for (const Node* each : children(&list, Kind::list)) pair(*each);
  }

  void only_pair(const Node& tls) {
    const Node* certificate = find(&tls, "certificate");
    if (certificate != nullptr && find(&tls, "key") == nullptr)
      report_.error_at_key(code::kConflict, *certificate, R"("certificate" needs "key")",
                           R"(add "key": "/etc/headgate/tls/privkey.pem")");
    pair(tls);
  }

  void pair(const Node& node) {
    if (node.kind != Kind::object) return;
    const Node* certificate = text_at(&node, "certificate");
    const Node* key = text_at(&node, "key");
    if (certificate == nullptr || key == nullptr) return;  // reported already
    const Node* ocsp = text_at(&node, "ocsp");
    out_.certificates.push_back({certificate->text, key->text, ocsp != nullptr ? ocsp->text : std::string()});
    const auto chain_text = file(*certificate);
    const auto key_text = file(*key);
    if (!chain_text || !key_text) return;
    const auto facts = net::read_certificate(*chain_text, *key_text);
    if (facts.has_error()) return unusable(*certificate, *key, facts.error());
    judge(*certificate, *facts);
    note_names(*certificate, *facts);
    if (ocsp != nullptr && !ocsp->text.empty()) staple(*ocsp, *chain_text);
  }

  void staple(const Node& node, const std::string& chain) {
    const auto text = file(node, read_file(node.text, kLargestStaple), kStapleHelp);
    if (!text) return;
    const auto staple = net::read_staple(*text, chain);
    if (staple.has_error()) {
      const auto why = "the file " + in_quotes(node.written) + ' ' + staple.error().why;
      // After a renewal, the OCSP response for the new certificate arrives later, and a start in between must succeed.
      if (staple.error().may_pass)
        return report_.warning(code::kCertificate, node, why + ": it is not sent",
                               "check the program that fetches it: clients get no OCSP response until it is replaced");
      return report_.error(code::kCredentials, node, why, kStapleHelp);
    }
    const auto now = headgate::now();
    if (!staple->fresh(now))
      report_.warning(code::kCertificate, node,
                      staple->until <= now ? "this OCSP response expired on " + day_text(staple->until)
                                           : "this OCSP response is not valid before " + day_text(staple->from),
                      staple->until <= now
                          ? "check the program that fetches it: clients get no OCSP response until it is replaced"
                          : "until then clients get no OCSP response: check the clock of this machine");
    if (staple->revoked)
      report_.warning(code::kCertificate, node, "this OCSP response says that the certificate is revoked",
                      "get another certificate: clients refuse this one");
  }

  std::optional<std::string> file(const Node& node) { return file(node, read_text_file(node.text), kPemHelp); }

  std::optional<std::string> file(const Node& node, FileText read, const char* help) {
    if (!read.text)
      report_.error(code::kCredentials, node,
                    "the file " + in_quotes(node.written) + " cannot be read: " + read.why_not, help);
    return std::move(read.text);
  }

  void unusable(const Node& certificate, const Node& key, const net::CertificateFault& fault) {
    const bool in_key = fault.at == net::CertificateFault::At::key;
    const Node& node = in_key ? key : certificate;
    const bool pem = fault.why.find("PEM") != std::string::npos;
    const bool weak = fault.why.find("weak") != std::string::npos;
    report_.error(code::kCredentials, node, "the file " + in_quotes(node.written) + ' ' + fault.why,
                  pem      ? (in_key ? kKeyHelp : kPemHelp)
                  : weak   ? "get one with a key of P-256 or of RSA with 2048 bits, signed with SHA-256"
                  : in_key ? "name the key that " + in_quotes(certificate.written) + " was made for"
                           : "put the certificate of this key first, then the one that signed it");
  }

  void judge(const Node& node, const net::CertificateFacts& facts) {
    const auto now = headgate::now();
    if (facts.not_after <= now)
      report_.warning(code::kCertificate, node, "this certificate expired on " + day_text(facts.not_after),
                      "renew it: clients refuse it");
    else if (facts.not_before > now)
      report_.warning(code::kCertificate, node, "this certificate is not valid before " + day_text(facts.not_before),
                      "until then clients refuse it: check the clock of this machine, or use another one");
    if (facts.stray > 0)
      report_.warning(code::kCertificate, node,
                      "the " + place_word(facts.stray) + " certificate of this file did not sign the one before it",
                      "write the certificate first, then the one that signed it, and so on");
    if (!facts.named)
      report_.warning(code::kCertificate, node, "this certificate has no names (subjectAltName)",
                      "get one with the host's name in it: clients refuse it, whatever its subject says");
  }

  /// Reports a name for which two certificates are configured. A client gets one certificate for a name, or one for
  /// each kind of key.
  void note_names(const Node& node, const net::CertificateFacts& facts) {
    for (const auto& name : facts.names) {
      const auto [first, fresh] = names_.emplace(std::pair(name, facts.kind), &node);
      if (fresh || first->second == &node) continue;
      report_.warning(code::kCertificate, node,
                      "this certificate is not used for " + in_quotes(name) + ": the one at " +
                          report_.place(first->second->span.begin) + " has the name too",
                      "remove one of the two, unless they are for other names as well");
      return;
    }
  }

  void clients(const Node& tls) {
    const Node* node = text_at(&tls, "client_ca");
    if (node == nullptr || node->text.empty()) return;
    out_.client_ca = node->text;
    const auto text = file(*node);
    if (!text) return;
    if (const auto count = net::count_certificates(*text); count.has_error())
      report_.error(code::kCredentials, *node, "the file " + in_quotes(node->written) + ' ' + count.error(), kPemHelp);
  }

  Report& report_;
  net::ServerTlsOptions& out_;
  std::map<std::pair<std::string, KeyKind>, const Node*> names_;
};

}  // namespace

void build_listener_tls(Build& build, const Node& tls, net::ServerTlsOptions& out) { ListenerTls(build, out).run(tls); }

bool asks_for_certificates(const Config& config) {
  return std::any_of(config.listen.begin(), config.listen.end(),
                     [](const auto& each) { return each.tls && !each.tls->client_ca.empty(); });
}

std::optional<LiteralError> check_tls_group(std::string_view text) {
  if (net::is_group(std::string(text))) return std::nullopt;
  return LiteralError{"this version of OpenSSL does not support the group " + in_quotes(text),
                      "for example X25519, P-256 or P-384"};
}

std::optional<LiteralError> check_ticket_secret(std::string_view text) {
  if (text.size() >= kShortestTicketSecret) return std::nullopt;
  return LiteralError{
      "a secret of " + std::to_string(text.size()) + " bytes is too short: anyone who guesses it can act as any client",
      "make one: openssl rand -hex 32"};
}

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

// Returns, for example, "https://:8443: TLS 1.2 or later for a.example and b.example, until 2027-01-01 …".
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
  if (!facts.empty()) out += "; the first certificate ends on " + day_text(until);
  if (!tls.client_ca.empty()) out += "; they are asked for a certificate";
  out += listen.http2 ? "; they may speak HTTP/2" : "; they speak HTTP/1.1 only";
  out += ".\n";
  if (all_rsa) out += "  Each handshake takes twice the time that it would with an ECDSA certificate (P-256).\n";
  return out;
}

}  // namespace

std::string tls_in_words(const Config& config) {
  std::string out;
  for (const auto& each : config.listen)
    if (each.tls)
      out += listener_in_words(each);
    else if (each.http2)
      out += "\nClients connect to " + each.text + " without TLS, with HTTP/1.1 or, by prior knowledge, HTTP/2.\n";
  return out;
}

}  // namespace headgate::config
