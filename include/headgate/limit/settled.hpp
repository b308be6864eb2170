#pragma once
// Computes when a counter equals an unused one after a request with a hold has its final cost. The counter itself is
// changed later, and nobody waits for that. Used by gateway.

#include "headgate/limit/limit.hpp"

#include <cstdint>

namespace headgate::limit {

/// `held` is the decision of the hold, with the permits left after settling. The hold took `difference` too little
/// (below 0: too much), which is charged as `how` (`charge` or `debt`) `since` after it. Returns the time counted from
/// the hold. If only the counter could tell it, the result is never too early.
Duration settled_reset(const Decision& held, const Rule& rule, std::int64_t difference, How how, Duration since);

}  // namespace headgate::limit
