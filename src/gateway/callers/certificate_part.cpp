#include "certificate_part.hpp"

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

}  // namespace headgate::gateway
