#pragma once
// Everything that a configuration says of one upstream. config fills it.

#include "headgate/gateway/forwarding.hpp"
#include "headgate/limit/limit.hpp"
#include "headgate/upstream/options.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace headgate::gateway {

/// Requests that wait for a place at one of its servers, which may only have so many at the same time
/// (upstream::ServerOptions::max_in_flight).
struct ServerQueue {
  std::uint32_t length = 0;  ///< most requests of the process that wait; 0: further ones are refused at once
  Duration wait = std::chrono::milliseconds(500);  ///< longest wait
};

/// An upstream: how its servers are reached, and what the path does with its requests. Two are compared by how their
/// servers are reached: a change of anything else keeps the connections.
struct UpstreamOptions : upstream::ServerGroupOptions {
  /// What tells its requests apart, so that those that are alike go to one server. Empty: nothing does.
  std::vector<limit::Per> balance_per;
  limit::Store in_flight_store = limit::Store::memory;  ///< where concurrency->in_flight is counted
  std::vector<limit::Per> queue_per;  ///< whose requests stand in one line of concurrency->queue; empty: addresses
  std::optional<ServerQueue> server_queue;  ///< set if one of its servers has a bound
  std::string base;                         ///< "/base": put before the path of each request; empty: nothing is
  std::optional<Retry> retry;               ///< not set: nothing but what was not sent is tried again
};

}  // namespace headgate::gateway
