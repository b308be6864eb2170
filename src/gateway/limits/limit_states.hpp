#pragma once
// Finds the remaining permits of limits for one request without taking permits.

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/explain.hpp"
#include "headgate/limit/limiter.hpp"
#include "headgate/limit/shards.hpp"

#include <span>
#include <vector>

namespace headgate::gateway {

/// The stores to ask.
struct LimitStates {
  limit::Limiter& memory;
  Clock& clock;
  const limit::ShardTurns& turns;
};

/// Returns the state of each of `limits` for `x`, whose caller is known, in the same order. Asks about no more rules
/// than one request can have, and leaves out further limits. Makes at most two calls to Redis if all limits there allow
/// the request; otherwise one more for each limit. `x` and `limits` must outlive the await.
Task<std::vector<LimitState>> limit_states(Exchange& x, std::span<const RouteLimit* const> limits, LimitStates where);

}  // namespace headgate::gateway
