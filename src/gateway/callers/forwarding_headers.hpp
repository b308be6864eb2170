#pragma once
// Forwarding headers: reads the fields of trusted hops, and writes for the server only facts that are known to be true.

#include "headgate/gateway/exchange.hpp"

#include <array>
#include <span>
#include <string_view>

namespace headgate::gateway {

/// Room for the fields of hops. If there are more fields, the last ones count, because they come from the nearest hops.
using ForwardingRoom = std::array<std::string_view, 16>;

/// Returns the values of the field in which trusted hops give the client's address, in the order received. A view into
/// `room`.
std::span<const std::string_view> forwarding_values(const Exchange& x, identity::AddressField field,
                                                    ForwardingRoom& room);

/// Returns whether a field, in any spelling, describes how the request came here. Such fields are never forwarded
/// unchanged.
bool is_forwarding_header(const http::Field& field) noexcept;

/// Returns whether the client uses TLS. Trusted hops report this in the field that they use, or in the PROXY protocol.
bool client_uses_tls(const Exchange& x, identity::AddressField field);

/// The client's scheme and authority, as servers get them.
struct ClientOrigin {
  std::string_view scheme;     ///< "http" or "https"
  std::string_view authority;  ///< empty if not known
};
ClientOrigin client_origin(const Exchange& x, identity::AddressField field);

/// Appends X-Forwarded-For, -Proto and -Host, and the field that the hops use if it is a different one.
void append_forwarding_headers(Exchange& x, identity::AddressField field, http::Fields& out);

}  // namespace headgate::gateway
