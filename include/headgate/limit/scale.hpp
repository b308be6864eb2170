#pragma once
// A rule of another size: a route's own share of a tier, or one gateway's share while it counts alone.

#include "headgate/limit/limit.hpp"

#include <cstdint>

namespace headgate::limit {

/// `rule` at up/down times its rate and burst (both at least 1), rounded down but to no less than one request: the rate
/// exactly where the algorithm can keep it, else by whole requests a period. Everything else stays, the counter's name
/// too.
Rule scaled(const Rule& rule, std::uint32_t up, std::uint32_t down);

}  // namespace headgate::limit
