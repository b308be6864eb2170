#pragma once
// The explanation of a call of the rate limit service.

#include "gateway/path/path.hpp"

#include "headgate/gateway/explain.hpp"

namespace headgate::gateway {

/// Decides `request` as the service would, without taking permits, and sets `out`. Returns the problem with which the
/// call would fail. Uses the current snapshot. `x` is a new exchange.
Task<MaybeProblem> explain_call(Path& path, Exchange& x, envoy::RateLimitRequest request, Explanation& out);

}  // namespace headgate::gateway
