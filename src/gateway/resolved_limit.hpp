#pragma once
// What a limit means for one exchange: whether it applies, to whom, in which tier and at what cost.

#include "headgate/gateway/exchange.hpp"

#include <optional>
#include <string_view>

namespace headgate::gateway {

/// Nobody is asked where `applies` is false; the caller is refused where `key_missing` is set.
struct ResolvedLimit {
  bool applies = false;
  bool key_missing = false;
  std::string_view key;  ///< a view into x.text
  const CompiledTier* tier = nullptr;
  std::int64_t cost = 1;
};

ResolvedLimit resolve_limit(Exchange& x, const RouteLimit& route_limit);

/// A cost as a header writes it: digits only, no more than `most`; nothing where it is none.
std::optional<std::int64_t> cost_in(std::string_view value, std::int64_t most) noexcept;

}  // namespace headgate::gateway
