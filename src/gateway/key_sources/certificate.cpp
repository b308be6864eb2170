// A part of the certificate that the client has shown to this gateway.

#include "gateway/callers/caller_parts.hpp"

#include "headgate/core/per_enum.hpp"
#include "headgate/gateway/key_source.hpp"

#include <algorithm>
#include <array>

namespace headgate::gateway::key_source {

constexpr WordsUpTo<identity::CertificatePart::sha256> kPartWords({"subject", "san", "sha256"});
constexpr std::string_view kCertificateAlso[] = {"ssl_client_s_dn", "client_cert", "certificate"};

extern const KeySource certificate;
const KeySource certificate{
    .word = "certificate:",
    .example = "certificate:subject",
    .also = kCertificateAlso,
    .name = {.placeholder = "<part>",
             .what = "part of a certificate",
             .help = "the parts of a certificate are subject, san and sha256",
             .read =
                 [](std::string_view written) {
                   const bool known = std::find(kPartWords.begin(), kPartWords.end(), written) != kPartWords.end();
                   return known ? std::optional(std::string(written)) : std::nullopt;
                 }},
    .needs = Needs::certificate,
    .noun = [](std::string_view name) { return "client certificate's " + std::string(name); },
    .missing = "A client certificate, by which requests are counted here, is missing.",
    .value =
        [](Exchange& x, std::string_view name) {
          const auto found = std::find(kPartWords.begin(), kPartWords.end(), name);
          return certificate_part(x, static_cast<identity::CertificatePart>(found - kPartWords.begin()));
        }};

}  // namespace headgate::gateway::key_source
