#pragma once
// Attributes of a caller as text: from the client certificate of the connection to this gateway, and from the API key.

#include "headgate/gateway/exchange.hpp"

#include <string_view>

namespace headgate::gateway {

/// Returns a part of the certificate; "" if the client has shown no certificate to this gateway, or if the certificate
/// does not have the part. A view into the connection.
std::string_view certificate_part(const Exchange& x, identity::CertificatePart part) noexcept;

/// Returns a part of the record of the request's API key; "" if the key is not known or has no such part. Tags are a
/// list, "batch, beta". A view into x.text or the snapshot.
std::string_view key_part(Exchange& x, identity::KeyPart part);

}  // namespace headgate::gateway
