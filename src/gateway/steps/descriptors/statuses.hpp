#pragma once
// The status of each descriptor in the answer to a call of Envoy's rate limit service.

#include "headgate/envoy/rate_limit_service.hpp"
#include "headgate/gateway/exchange.hpp"

namespace headgate::gateway {

/// Returns the status of a descriptor that `limit` counts by `rule`; it is not over the limit, and nothing is left.
envoy::DescriptorStatus status_of(const std::string& limit, const limit::Rule& rule);

/// Returns the status of the descriptor at this index of the call, by the rule that its caller should be told. The
/// limits of `x` must have decided.
envoy::DescriptorStatus decided_status(const Exchange& x, std::size_t descriptor);

/// Returns whether a descriptor asks for a rate of 0, so that the call is over its limit; `out` then says so.
bool refuse_empty_rates(Exchange& x, envoy::RateLimitResponse& out);

/// Adds what the client of the proxy should get, and what the proxy's log may have; `x` keeps the texts. `suspended` is
/// the time for which a suspension lasts that the call has begun; 0 if it began none.
void tell_binding(Exchange& x, Duration suspended, envoy::RateLimitResponse& out);
/// Does the same for a call with a suspended descriptor, which `limit` refuses for `left`.
void tell_suspension(Exchange& x, Duration left, envoy::RateLimitResponse& out);

}  // namespace headgate::gateway
