#pragma once
// Costs that are known only from the answer: an estimate is held before the request and settled after it.

#include "headgate/gateway/exchange.hpp"

namespace headgate::gateway {

/// Reads the costs from the head of the answer, so that the caller is told what is left. An answer without a valid cost
/// costs the hold, or nothing if its status is 5xx.
void note_costs(Exchange& x);

}  // namespace headgate::gateway
