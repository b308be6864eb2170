// TLS to clients.

#include "config/table_shapes.hpp"

namespace headgate::config {
namespace {

constexpr Key kCertificateKeys[] = {
    {"certificate", &kFilePath, "", R"("/etc/headgate/tls/fullchain.pem")",
     "PEM file of a certificate, and after it of those that lead from it to an authority", required},
    {"key", &kFilePath, "", R"("/etc/headgate/tls/privkey.pem")", "PEM file of its private key", required},
    {"ocsp", &kFilePath, "", R"("/etc/headgate/tls/staple.der")",
     "DER file of an OCSP response for it, which another program keeps current. It is sent to clients that ask for it"},
};
constexpr Section kCertificate{"certificate", "listen[].tls.certificates[]",
                               "A certificate with its key. A client gets the one for the name that it asks for.",
                               kCertificateKeys};
constexpr Shape kCertificateShape = section(kCertificate);
constexpr Shape kCertificates = list("a list of certificates with their keys", kCertificateShape, 1, 10'000);
constexpr Shape kOldest = choice(kTlsVersions);
constexpr Shape kGroup = text("a group's name", check_tls_group);
constexpr Shape kGroups = list("a list of groups", kGroup, 1, 16);
constexpr Shape kTicketSecret = text("a secret of at least 32 bytes", check_ticket_secret);
constexpr Key kServerTlsKeys[] = {
    {"certificate", &kFilePath, "", R"("/etc/headgate/tls/fullchain.pem")",
     "PEM file of the certificate, and after it of those that lead from it to an authority; read again when it "
     "changes"},
    {"key", &kFilePath, "", R"("/etc/headgate/tls/privkey.pem")",
     "PEM file of its private key; read again when it changes"},
    {"ocsp", &kFilePath, "", R"("/etc/headgate/tls/staple.der")",
     "DER file of an OCSP response for the certificate, which another program keeps current. It is sent to clients "
     "that "
     "ask for it, until it is stale; read again when it changes"},
    {"certificates", &kCertificates, "",
     R"([{ "certificate": "/etc/headgate/tls/a.pem", "key": "/etc/headgate/tls/a.key" }])",
     "Several certificates in place of the two keys above. A client gets the one that has the name it asks for, else "
     "one with a wildcard for that name, else the first"},
    {"min_version", &kOldest, "1.2", R"("1.3")", "The oldest version of TLS that clients may use"},
    {"groups", &kGroups, "", R"(["X25519", "P-256"])",
     "Groups for the key exchange, the best first; default: X25519MLKEM768 where OpenSSL has it, then X25519, P-256 "
     "and P-384"},
    {"client_ca", &kFilePath, "", R"("/etc/headgate/clients-ca.pem")",
     "PEM file of the authorities that sign certificates of clients. Clients are then asked for one, and one that "
     "cannot be verified ends the handshake; routes with `\"require\": \"mtls\"` refuse clients without one"},
    {"ticket_secret", &kTicketSecret, "", R"("${HEADGATE_TICKET_SECRET}")",
     "What session tickets are sealed with, at least 32 bytes: gateways with the same secret resume each other's "
     "sessions; default: a random one for each process"},
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

}  // namespace headgate::config
