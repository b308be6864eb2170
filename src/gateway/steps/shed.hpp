#pragma once
// The answer to a request that is refused because there are too many.

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/problem.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace headgate::gateway {

/// The requests of this worker at the upstream of the route; null if they are not counted.
shed::Concurrency* concurrency_of(const Exchange& x) noexcept;

/// What the capacity of the upstream is for this request now: what is held free for higher priorities is not its.
const std::vector<limit::Rule>& fleet_rules(const Exchange& x, const RouteLimit& route_limit, Source source) noexcept;

/// The capacity of the upstream, if it is one of `limits`, has let the request pass, or has refused it with `problem`:
/// how many places are held free for other priorities follows from that.
void note_capacity(Exchange& x, std::span<const CheckedLimit> limits, const MaybeProblem& problem);

/// Records the layer in `x`. `retry_after` is in seconds, at least 1.
Problem shed_problem(Exchange& x, shed::Layer layer, std::uint64_t retry_after);

}  // namespace headgate::gateway
