#pragma once
// The cost of a request that comes from a log: neither its body nor that of its answer is known, but the log may say
// what a limit charged. Used by gateway and simulate.

#include "headgate/gateway/assumed_caller.hpp"
#include "headgate/gateway/cost_source.hpp"
#include "headgate/gateway/exchange.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace headgate::gateway {

/// Returns what the log of the request says about its cost in this limit. Null if it says nothing, or if the cost can
/// be told without bodies. The result is valid as long as the exchange.
inline const AssumedCost* assumed_cost(const Exchange& x, const RouteLimit& each) noexcept {
  if (x.assumed == nullptr || x.assumed->cost.limit.empty()) return nullptr;
  const auto& from = each.cost.from;
  if (from == nullptr || (!is_settled(each.cost) && from->body != ReadsBody::request)) return nullptr;
  return x.assumed->cost.limit == each.limit->name ? &x.assumed->cost : nullptr;
}

/// Returns the cost that the log says for this limit; nothing if it says none.
inline std::optional<std::int64_t> assumed_cost_of(const Exchange& x, const RouteLimit& each) noexcept {
  const auto* const told = assumed_cost(x, each);
  return told == nullptr || !told->cost ? std::nullopt : std::optional(std::min(*told->cost, each.cost.most));
}

/// Returns whether the bodies of the exchange are unknown.
inline bool hides_bodies(const Exchange& x) noexcept { return x.assumed != nullptr && x.assumed->hides_bodies; }

}  // namespace headgate::gateway
