#pragma once
// The way a request came: what hops in front tell of it, and what the server behind is told, which is facts alone.

#include "headgate/gateway/exchange.hpp"

#include <array>
#include <span>
#include <string_view>

namespace headgate::gateway {

/// Room for the fields of hops; of more the last count, which are the nearest hops'.
using ForwardingRoom = std::array<std::string_view, 16>;

/// The values of the field that trusted hops tell the client's address in, in the order received. A view into `room`.
std::span<const std::string_view> forwarding_values(const Exchange& x, identity::AddressField field,
                                                    ForwardingRoom& room);

/// Whether a field tells, or seems to tell, how a request came here: such are never passed on as they are.
bool is_forwarding_header(const http::Field& field) noexcept;

/// Appends the way here: X-Forwarded-For, -Proto and -Host, and the field that hops use where that is another.
void append_forwarding_headers(Exchange& x, identity::AddressField field, http::Fields& out);

}  // namespace headgate::gateway
