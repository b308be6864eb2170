#pragma once
// Billed limits: adds the cost of a request to the use of its key.

#include "gateway/path/path.hpp"

namespace headgate::gateway {

/// Adds the cost of the exchange to the bill, at its end. Adds nothing if the permits of its limits were returned: the
/// request was then rejected, cancelled or not served.
void bill(Path& path, Exchange& x);

}  // namespace headgate::gateway
