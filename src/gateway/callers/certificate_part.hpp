#pragma once
// Who a client is by the certificate of its TLS connection with us.

#include "headgate/gateway/exchange.hpp"

#include <string_view>

namespace headgate::gateway {

/// "" if the client has shown no certificate to us, or has no such part in it. A view into the connection.
std::string_view certificate_part(const Exchange& x, identity::CertificatePart part) noexcept;

}  // namespace headgate::gateway
