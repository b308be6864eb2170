// Charges usage requests, which ask for the remaining permits of a caller's limits, to a limit of their own.
// gateway/questions/usage.cpp answers them.

#include "steps.hpp"

namespace headgate::gateway {

// This limit bounds the cost of usage requests, so they take no other permits. The credentials are checked as for any
// request, and a failed attempt is charged.
MaybeProblem charge_usage(Path& path, Exchange& x) {
  return charge_address(path, x, x.route->usage->rule, kUsageLimit,
                        "Too many requests for what is left come from this address.");
}

}  // namespace headgate::gateway
