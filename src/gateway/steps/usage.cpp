// The question what is left of a caller's limits takes from a limit of its own. Its answer: gateway/asked/usage.cpp.

#include "steps.hpp"

namespace headgate::gateway {

// Its own limit bounds what such requests cost, so that they can be free. The credentials are checked as for a request:
// a failed attempt is charged.
MaybeProblem charge_usage(Path& path, Exchange& x) {
  return charge_address(path, x, x.route->usage->rule, kUsageLimit,
                        "Too many requests for what is left come from this address.");
}

}  // namespace headgate::gateway
