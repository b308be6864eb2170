#pragma once
// A request carried to a server and its answer carried back.

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/problem.hpp"
#include "headgate/upstream/upstream.hpp"

#include <optional>

namespace headgate::gateway {

/// Relays both bodies as they come, each chunk read being a chunk written. A problem where nothing was told to the
/// client yet and there is something to tell. A request that died on a kept connection before its answer is sent once
/// more if it may be.
Task<std::optional<Problem>> relay(Exchange& x, upstream::Upstream& upstream, const CompiledConfig& compiled);

}  // namespace headgate::gateway
