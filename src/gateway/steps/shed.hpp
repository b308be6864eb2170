#pragma once
// The answer to a request that is refused because there are too many.

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/problem.hpp"

#include <cstdint>

namespace headgate::gateway {

struct Path;

/// The requests of this worker at the upstream of the route; null if they are not counted.
shed::Concurrency* concurrency_of(const Exchange& x) noexcept;

/// In the metrics: its limit, and how many requests are there and wait. Not if a reload has replaced the configuration
/// of `x`: nobody would clear them any more.
void show_concurrency(const Path& path, const Exchange& x, shed::Concurrency& concurrency) noexcept;

/// What all workers know together of that upstream; null if it sheds nothing.
shed::Overload* overload_of(const Exchange& x) noexcept;

/// Records the layer in `x`. `retry_after` is in seconds, at least 1.
Problem shed_problem(Exchange& x, shed::Layer layer, std::uint64_t retry_after);

/// The same of a request for which there is no place at its upstream, which counts it.
Problem refuse_place(Exchange& x, shed::Concurrency& concurrency);

}  // namespace headgate::gateway
