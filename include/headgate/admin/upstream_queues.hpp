#pragma once
// Counts the requests that wait at each upstream: for a place in their worker, for the adaptive capacity, or for a
// server.

#include "headgate/gateway/compiled_config.hpp"
#include "headgate/observe/metrics.hpp"
#include "headgate/shed/wait_queues.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::admin {

/// One queue.
struct QueueUse {
  std::string_view what;      ///< Name of the queue: "servers", "in_flight" or "adaptive".
  std::string key;            ///< Configuration key of the queue's length.
  std::uint64_t waiting = 0;  ///< Number of waiting requests, summed over all workers.
  /// Number of waiting requests in the fullest worker, if each has its own queue; otherwise the same as `waiting`.
  std::uint64_t fullest = 0;
  /// Number of requests that may wait: per worker for "adaptive", otherwise in this gateway.
  std::uint64_t length = 0;
};
/// Returns the queues that the upstream has. Any thread; not on the request path.
std::vector<QueueUse> queues_of(const gateway::CompiledConfig& compiled, const std::string& upstream,
                                const shed::WaitQueues& waiters, const observe::Registry& registry);

}  // namespace headgate::admin
