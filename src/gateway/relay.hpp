#pragma once
// Relays a request to a server and its answer to the client.

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/problem.hpp"
#include "headgate/upstream/upstream.hpp"

#include <optional>

namespace headgate::gateway {

/// Relays both bodies piece by piece: each piece is written before the next is read. Returns a problem if the reply was
/// not begun and the client must be told one. A request whose pooled connection closed before the answer is sent once
/// more, if that does no harm.
Task<std::optional<Problem>> relay(Exchange& x, upstream::Upstream& upstream, const CompiledConfig& compiled);

}  // namespace headgate::gateway
