#include "caller_parts.hpp"

#include "headgate/net/tls/secured.hpp"

namespace headgate::gateway {

std::string_view certificate_part(const Exchange& x, identity::CertificatePart part) noexcept {
  using identity::CertificatePart;
  if (x.secured == nullptr || x.secured->certificate == nullptr) return {};
  const auto& certificate = *x.secured->certificate;
  switch (part) {
    case CertificatePart::subject:
      return certificate.subject;
    case CertificatePart::san:
      return certificate.names;
    case CertificatePart::sha256:
      break;
  }
  return certificate.sha256;
}

std::string_view key_part(Exchange& x, identity::KeyPart part) {
  const auto* const key = x.caller.known_key;
  if (key == nullptr) return {};
  switch (part) {
    case identity::KeyPart::owner:
      return key->owner;
    case identity::KeyPart::tier:
      return key->tier;
    case identity::KeyPart::tags:
      break;
  }
  if (key->tags.empty()) return {};
  auto out = x.text.join({key->tags.front()});
  for (std::size_t i = 1; i < key->tags.size(); ++i) out = x.text.extend(out, {", ", key->tags[i]});
  return out;
}

}  // namespace headgate::gateway
