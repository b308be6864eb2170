#pragma once
// The answer of an auth service as that to the caller.

#include "headgate/gateway/auth_service.hpp"
#include "headgate/gateway/problem.hpp"

namespace headgate::gateway {

/// Whether the service itself says what the caller is told. Not to a call of gRPC, which gets a status.
bool is_auth_refusal(const Exchange& x, const Problem& problem);

/// Writes what the service said as the reply: its status, fields and body. Records the problem in `x`.
Task<void> send_auth_refusal(Exchange& x, const Problem& problem);

}  // namespace headgate::gateway
