#pragma once
// The answer to a request that is refused because there are too many requests.

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/problem.hpp"

#include <cstdint>

namespace headgate::gateway {

struct Path;

/// Returns this worker's concurrency state for the upstream of the route; null if its requests are not counted.
shed::Concurrency* concurrency_of(const Exchange& x) noexcept;

/// Shows the limit and the numbers of active and waiting requests in the metrics. Does nothing if a reload has replaced
/// the configuration of `x`, because nothing would clear the gauges afterwards.
void show_concurrency(const Path& path, const Exchange& x, shed::Concurrency& concurrency) noexcept;

/// Returns the overload state of the upstream, which all workers share; null if it sheds no load.
shed::Overload* overload_of(const Exchange& x) noexcept;

/// Returns the refusal, and records the layer of load shedding in `x`. `retry_after` is in seconds, at least 1.
Problem shed_problem(Exchange& x, shed::Layer layer, std::uint64_t retry_after);

/// Returns the refusal of a request without a place at its upstream, and counts it there.
Problem refuse_place(Exchange& x, shed::Concurrency& concurrency);

}  // namespace headgate::gateway
