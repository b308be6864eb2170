#pragma once
// Scales a rule to another size: the share of a route in a tier, or the share of a gateway that counts alone. Used by
// config and gateway.

#include "headgate/limit/limit.hpp"

#include <cstdint>

namespace headgate::limit {

/// Returns `rule` with its rate and burst multiplied by up/down (both at least 1), rounded down, but at least one
/// request. The rate is exact if the algorithm can represent it, otherwise a whole number of requests per period.
/// Everything else is unchanged, including the name of the counter.
Rule scaled(const Rule& rule, std::uint32_t up, std::uint32_t down);

}  // namespace headgate::limit
