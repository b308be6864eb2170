#pragma once
// Passes the answer of an auth service on to the caller.

#include "headgate/gateway/auth_service.hpp"
#include "headgate/gateway/problem.hpp"

namespace headgate::gateway {

/// Returns whether the caller gets the answer of the auth service. gRPC callers get a status of the gateway instead.
bool is_auth_refusal(const Exchange& x, const Problem& problem);

/// Sends the status, fields and body of the auth service as the reply. Records the problem in `x`.
Task<void> send_auth_refusal(Exchange& x, const Problem& problem);

}  // namespace headgate::gateway
