#pragma once
// What a limit means for one exchange: whether it applies, with which key, tier and cost.

#include "headgate/gateway/exchange.hpp"

#include <optional>
#include <string_view>

namespace headgate::gateway {

/// If `applies` is false, the limit is not checked. If `key_missing` is set, the caller is refused.
struct ResolvedLimit {
  bool applies = false;
  bool key_missing = false;
  bool exempt = false;
  std::string_view key;                ///< a view into x.text or the exchange
  const CompiledTier* tier = nullptr;  ///< set without `applies`: the tier has no rules
  std::int64_t cost = 1;
};

/// Resolves one limit of the plan.
ResolvedLimit resolve_limit(Exchange& x, const RouteLimit& route_limit);

/// The key that the limit would count this request by, whatever its tier. Nothing if it lacks one or is exempt: then it
/// is never suspended, and nothing is billed. A view into x.text or the exchange.
std::optional<std::string_view> key_to_ban(Exchange& x, const RouteLimit& route_limit);

/// What an operator gives the key of this request for a time, before its tier and what its API key has; null: nothing.
const OverrideTable::Granted* override_of(Exchange& x, const RouteLimit& route_limit);

/// The cost of this request, as far as its head tells.
std::int64_t cost_of(const Exchange& x, const Cost& cost);

/// A billed limit lets the request through without a check, and its use is billed all the same.
void note_unchecked(Exchange& x, const RouteLimit& route_limit);

/// What a trusted hop says, else the tier of the first limit whose tiers have priorities, else the route. Call it after
/// the authentication: tiers may come from a token.
shed::Priority priority_of(const Exchange& x);

}  // namespace headgate::gateway
