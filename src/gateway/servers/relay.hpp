#pragma once
// Relays a request to a server and its answer to the client.

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/problem.hpp"

#include <cstdint>
#include <optional>

namespace headgate::gateway {

struct Path;

/// Relays both bodies piece by piece: each piece is written before the next is read. Returns a problem if no reply has
/// begun and the client must get one. If a pooled connection closes before the answer arrives, the request is sent once
/// more, provided that this does no harm; the retries of the upstream are separate (gateway/servers/tries). If the
/// route has a mirror, the mirror gets a copy.
Task<std::optional<Problem>> relay(Path& path, Exchange& x);

}  // namespace headgate::gateway
