#pragma once
// Checks what a route demands of a valid credential.

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/problem.hpp"

#include <optional>

namespace headgate::gateway {

/// Call it when the credential that the route requires was verified, and only if the route has demands. A token of
/// another issuer, algorithm or audience is refused with 401, and one without a scope or claim with 403
/// insufficient_scope (RFC 6750 section 3.1); a key with 403. None of these is a guess, so none counts as a failed
/// authentication.
std::optional<Problem> check_demands(Exchange& x);

}  // namespace headgate::gateway
