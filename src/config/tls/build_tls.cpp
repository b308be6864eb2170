// TLS of a listener: its options, and whether its files can be used.

#include "config/build.hpp"
#include "config/formats/dates.hpp"
#include "config/formats/formats.hpp"
#include "config/table.hpp"
#include "config/text/codes.hpp"
#include "config/text/placeholders.hpp"
#include "config/values.hpp"

#include "headgate/net/certificate.hpp"
#include "headgate/net/staple.hpp"

#include <array>
#include <map>
#include <utility>

namespace headgate::config {
namespace {

using net::KeyKind;

constexpr std::size_t kShortestTicketSecret = 32;
constexpr const char* kKeyHelp =
    "name the PEM file of a private key; to take a passphrase off: openssl pkey -in OLD -out NEW";
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
    read_choice(&tls, "min_version", kTlsVersions, out_.oldest);
    for (const Node* each : texts(find(&tls, "groups"))) out_.groups.push_back(each->text);
    read(&tls, "ticket_secret", out_.ticket_secret);
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
    if (certificate == nullptr || key == nullptr) return;  // reported
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
      // After a certificate was renewed its response comes later. A start between the two must go on.
      if (staple.error().may_pass)
        return report_.warning(code::kCertificate, node, why + ": it is not sent",
                               "look at the program that gets it: clients get none until it is replaced");
      return report_.error(code::kCredentials, node, why, kStapleHelp);
    }
    const auto now = headgate::now();
    if (!staple->fresh(now))
      report_.warning(code::kCertificate, node,
                      staple->until <= now ? "this OCSP response ended on " + date_text(staple->until)
                                           : "this OCSP response begins on " + date_text(staple->from),
                      staple->until <= now ? "look at the program that gets it: clients get none until it is replaced"
                                           : "until then clients get none: look at the clock of this machine");
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
      report_.warning(code::kCertificate, node, "this certificate ended on " + date_text(facts.not_after),
                      "renew it: clients refuse it");
    else if (facts.not_before > now)
      report_.warning(code::kCertificate, node, "this certificate begins on " + date_text(facts.not_before),
                      "until then clients refuse it: look at the clock of this machine, or use another one");
    if (facts.stray > 0)
      report_.warning(code::kCertificate, node,
                      "the " + place_word(facts.stray) + " certificate of this file did not sign the one before it",
                      "write the certificate first, then the one that signed it, and so on");
    if (!facts.named)
      report_.warning(code::kCertificate, node, "this certificate has no names (subjectAltName)",
                      "get one with the host's name in it: clients refuse it, whatever its subject says");
  }

  /// A client gets one certificate for a name, or one for each kind of key.
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

std::optional<LiteralError> check_tls_group(std::string_view text) {
  if (net::is_group(std::string(text))) return std::nullopt;
  return LiteralError{"this version of OpenSSL knows no group " + in_quotes(text),
                      "for example X25519, P-256 or P-384"};
}

std::optional<LiteralError> check_ticket_secret(std::string_view text) {
  if (text.size() >= kShortestTicketSecret) return std::nullopt;
  return LiteralError{
      "a secret of " + std::to_string(text.size()) + " bytes is too short: who guesses it is let in as any client",
      "make one: openssl rand -hex 32"};
}

}  // namespace headgate::config
