#pragma once
// After 101 Switching Protocols: bytes both ways until both ends have said theirs.

#include "headgate/gateway/exchange.hpp"
#include "headgate/upstream/attempt.hpp"

namespace headgate::gateway {

/// Ends when both directions ended, one failed, or no byte came either way for `idle`.
Task<void> tunnel(Exchange& x, upstream::Attempt& server, Duration idle);

}  // namespace headgate::gateway
