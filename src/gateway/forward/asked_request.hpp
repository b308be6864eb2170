#pragma once
// Requests of another proxy that asks for a decision about a request of its client.

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/problem.hpp"

namespace headgate::gateway {

/// Replaces method, target and host of the request by those of the request that the proxy asks about. Refuses a proxy
/// that is not one of trusted_proxies, and a request that does not name the other one exactly once.
MaybeProblem take_asked_request(Exchange& x);

/// Refuses a peer that is not one of trusted_proxies.
MaybeProblem refuse_untrusted(const Exchange& x);

/// Returns whether the request has no field that names a request to decide about. Always false for a proxy that asks
/// with the request of its client itself.
bool names_no_request(const Exchange& x) noexcept;

}  // namespace headgate::gateway
