#pragma once
// Strict-Transport-Security: tells browsers to use this host only over https (RFC 6797).

#include "headgate/gateway/exchange.hpp"

namespace headgate::gateway {

/// Whether answers have the field where the client uses TLS.
inline bool has_hsts(const Exchange& x) noexcept { return x.snapshot && !x.snapshot->compiled->hsts().empty(); }

/// Puts the field in place of what the server or the route says of it: of two fields a browser reads the first. Without
/// TLS it must not be sent (RFC 6797 section 7.2). Only if has_hsts().
void replace_hsts(const Exchange& x, http::Fields& fields);

}  // namespace headgate::gateway
