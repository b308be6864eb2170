#pragma once
// Forwarding headers: reads what the hops in front say, and writes for the server only what is known to be true.

#include "headgate/gateway/exchange.hpp"

#include <array>
#include <span>
#include <string_view>

namespace headgate::gateway {

/// Room for the fields of hops. Of more fields the last ones count: they come from the nearest hops.
using ForwardingRoom = std::array<std::string_view, 16>;

/// The values of the field in which trusted hops give the client's address, in the order received. A view into `room`.
std::span<const std::string_view> forwarding_values(const Exchange& x, identity::AddressField field,
                                                    ForwardingRoom& room);

/// Whether a field tells how a request came here, in any spelling. Such fields are never forwarded unchanged.
bool is_forwarding_header(const http::Field& field) noexcept;

/// Whether the client uses TLS, as far as trusted hops tell it in the field that they use, or in the PROXY protocol.
bool client_uses_tls(const Exchange& x, identity::AddressField field);

/// The client's scheme and authority, as servers are told them.
struct ClientOrigin {
  std::string_view scheme;     ///< "http" or "https"
  std::string_view authority;  ///< empty: not known
};
ClientOrigin client_origin(const Exchange& x, identity::AddressField field);

/// Appends X-Forwarded-For, -Proto and -Host, and the field that the hops use if it is another one.
void append_forwarding_headers(Exchange& x, identity::AddressField field, http::Fields& out);

}  // namespace headgate::gateway
