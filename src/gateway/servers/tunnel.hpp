#pragma once
// After 101 Switching Protocols: relays bytes in both directions.

#include "headgate/gateway/exchange.hpp"
#include "headgate/upstream/attempt.hpp"

namespace headgate::gateway {

/// Ends when both directions have ended, one has failed, or neither had a byte for `idle`.
Task<void> tunnel(Exchange& x, upstream::Attempt& server, Duration idle);

}  // namespace headgate::gateway
