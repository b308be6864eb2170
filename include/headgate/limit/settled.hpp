#pragma once
// Computes when a counter equals an unused one, once the final cost of a request with a hold is known. The counter
// itself is changed later, and the computation does not wait for it. Used by gateway.

#include "headgate/limit/limit.hpp"

#include <cstdint>

namespace headgate::limit {

/// Returns the time from the hold until the counter equals an unused one. `held` is the decision about the hold, except
/// that its remaining permits are those after settling. `difference` is the cost minus the held cost; it is negative if
/// the hold took too much. It is charged by `how` (`charge` or `debt`), `since` after the hold. The result may be too
/// late if only the counter knows the exact time, but it is never too early.
Duration settled_reset(const Decision& held, const Rule& rule, std::int64_t difference, How how, Duration since);

}  // namespace headgate::limit
