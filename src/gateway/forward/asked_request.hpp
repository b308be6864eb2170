#pragma once
// Requests of another proxy that asks for a decision about a request of its client.

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/problem.hpp"

namespace headgate::gateway {

/// Replaces method, target and host of the request by those of the request that the proxy asks about. Refuses a proxy
/// that is not one of trusted_proxies, and a request that does not name the other one exactly once.
MaybeProblem take_asked_request(Exchange& x);

}  // namespace headgate::gateway
