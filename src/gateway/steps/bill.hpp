#pragma once
// Billed limits: what a request costs the key that it is charged to, for bills.

#include "headgate/gateway/exchange.hpp"
#include "headgate/limit/use_sheet.hpp"

namespace headgate::gateway {

/// Adds what the exchange has cost, at its end. Nothing if what limits took for it was given back: then it was rejected
/// or not served.
void bill(const Exchange& x, limit::UseSheet& sheet);

}  // namespace headgate::gateway
