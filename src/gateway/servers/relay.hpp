#pragma once
// Relays a request to a server and its answer to the client.

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/problem.hpp"

#include <cstdint>
#include <optional>

namespace headgate::gateway {

struct Path;

/// Relays both bodies piece by piece: each piece is written before the next is read. Returns a problem if the reply was
/// not begun and the client must be told one. A request whose pooled connection closed before the answer is sent once
/// more, if that does no harm; the retries of the upstream come beside that (gateway/servers/tries). If the route has a
/// mirror, it gets a copy.
Task<std::optional<Problem>> relay(Path& path, Exchange& x);

/// What decides the server of a request where the policy of its upstream goes by a key; nothing if the request has
/// none.
std::optional<std::uint64_t> server_key(Exchange& x);

}  // namespace headgate::gateway
