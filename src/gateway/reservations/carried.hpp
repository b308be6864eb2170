#pragma once
// The part of an exchange that outlives it.

#include "headgate/gateway/exchange.hpp"

#include <memory>

namespace headgate::gateway {

/// Returns a new exchange with the snapshot, the route, the decisions and the permits of `x`, and with copies of all
/// texts that they need. The holds of `x` move, and `x` does not leave the steps that settle, bill and give back any
/// more.
std::unique_ptr<Exchange> carried(Exchange& x, Clock& clock);

}  // namespace headgate::gateway
