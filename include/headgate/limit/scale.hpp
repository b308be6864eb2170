#pragma once
// A rule of another size: a route's share of a tier, or the share of one gateway that counts alone.

#include "headgate/limit/limit.hpp"

#include <cstdint>

namespace headgate::limit {

/// `rule` with its rate and burst multiplied by up/down (both at least 1), rounded down, but at least one request. The
/// rate is exact if the algorithm can keep it, else a whole number of requests in each period. Everything else stays,
/// also the counter's name.
Rule scaled(const Rule& rule, std::uint32_t up, std::uint32_t down);

}  // namespace headgate::limit
