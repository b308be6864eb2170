#pragma once
// Checks the demands of a route on a valid credential.

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/problem.hpp"

#include <optional>

namespace headgate::gateway {

/// Returns the problem if the verified credential does not meet the demands of the route, which must have some. A token
/// of another issuer, algorithm or audience is refused with 401. A token without a scope or claim is refused with 403
/// insufficient_scope (RFC 6750 section 3.1), and an API key with 403. None of these credentials is a guess, so none
/// counts as a failed authentication.
std::optional<Problem> check_demands(Exchange& x);

}  // namespace headgate::gateway
