#pragma once
// Costs that only the server's answer tells: held as an estimate before the request, settled afterwards.

#include "headgate/gateway/exchange.hpp"

namespace headgate::gateway {

/// Takes down what the head of the answer says of costs, while it can be read, so that the caller is told of what is
/// left with it. An answer that says nothing, or nothing that is a number, costs what was held; then a failed one (5xx)
/// nothing.
void note_costs(Exchange& x);

}  // namespace headgate::gateway
