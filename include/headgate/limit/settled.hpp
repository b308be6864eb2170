#pragma once
// When a counter is as if never used, once the cost of a request is known that took a hold. The counter itself is
// changed later, and nobody waits.

#include "headgate/limit/limit.hpp"

#include <cstdint>

namespace headgate::limit {

/// `held` is the decision of the hold with what is left after settling. The hold took `difference` too little (below 0:
/// too much), which is charged as `how`, `charge` or `debt`, `since` after it. Returns the time from the hold on. Where
/// only the counter could tell it, the result is never too early.
Duration settled_reset(const Decision& held, const Rule& rule, std::int64_t difference, How how, Duration since);

}  // namespace headgate::limit
