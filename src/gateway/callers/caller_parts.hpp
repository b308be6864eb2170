#pragma once
// What is known of a caller, as text: by the certificate of its TLS connection with us, and by its API key.

#include "headgate/gateway/exchange.hpp"

#include <string_view>

namespace headgate::gateway {

/// A part of the certificate; "" if the client has shown no certificate to us, or has no such part in it. A view into
/// the connection.
std::string_view certificate_part(const Exchange& x, identity::CertificatePart part) noexcept;

/// A part of the record of the request's known key; "" if it has none, or if that has no such part. Tags as a list,
/// "batch, beta". A view into x.text or the snapshot.
std::string_view key_part(Exchange& x, identity::KeyPart part);

}  // namespace headgate::gateway
