#pragma once
// Resolves a limit for one exchange: whether it applies, with which key, tier and cost.

#include "headgate/gateway/exchange.hpp"

#include <optional>
#include <string_view>

namespace headgate::gateway {

/// The resolved limit. If `applies` is false, the limit is not checked. If `key_missing` is set, the caller is refused.
struct ResolvedLimit {
  bool applies = false;
  bool key_missing = false;
  bool exempt = false;
  std::string_view key;                ///< a view into x.text or the exchange
  const CompiledTier* tier = nullptr;  ///< also set without `applies` if the tier has no rules
  std::int64_t cost = 1;
};

/// Resolves one limit of the plan.
ResolvedLimit resolve_limit(Exchange& x, const RouteLimit& route_limit);

/// Returns the key under which the limit would count this request, whatever its tier. Returns nothing if a part of the
/// key is missing or the caller is exempt: such a caller is never suspended or billed. A view into x.text or the
/// exchange.
std::optional<std::string_view> key_to_ban(Exchange& x, const RouteLimit& route_limit);

/// Returns the override that an operator set for the key of this request; null if there is none. An override takes
/// precedence over the caller's tier and over the size of its API key.
const OverrideTable::Granted* override_of(Exchange& x, const RouteLimit& route_limit);

/// Returns the cost of this request under `key`, as far as it is known from the request.
std::int64_t cost_of(const Exchange& x, const Cost& cost, std::string_view key = {});

/// Returns the key under which the limit with this cost counts the request; "" if it does not. A view into x.text or
/// the exchange.
std::string_view key_of_cost(const Exchange& x, const Cost& cost) noexcept;

/// Records that a billed limit lets the request pass without a check; its use is billed nevertheless.
void note_unchecked(Exchange& x, const RouteLimit& route_limit);

/// Returns the priority that a trusted hop names. If none does, returns the priority of the caller's tier in the first
/// limit whose tiers have priorities, or else that of the route. Call it after the authentication, because tiers may
/// come from a token.
shed::Priority priority_of(const Exchange& x);

}  // namespace headgate::gateway
