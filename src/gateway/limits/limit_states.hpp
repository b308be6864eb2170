#pragma once
// What is left of limits for one request, without taking any of it.

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/explain.hpp"
#include "headgate/limit/limiter.hpp"
#include "headgate/limit/shards.hpp"

#include <span>
#include <vector>

namespace headgate::gateway {

/// Where to look.
struct LimitStates {
  limit::Limiter& memory;
  Clock& clock;
  const limit::ShardTurns& turns;
};

/// The state of each of `limits` for `x`, whose caller is known; in their order. Looks at no more rules than one
/// request can have: the limits behind them are left out. At most two calls to Redis if all of its limits allow the
/// request, else one more for each limit. `x` and `limits` outlive the await.
Task<std::vector<LimitState>> limit_states(Exchange& x, std::span<const RouteLimit* const> limits, LimitStates where);

}  // namespace headgate::gateway
