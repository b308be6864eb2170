#pragma once
// How many requests wait before each upstream: for a place of their worker, for the capacity, or for a server.

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
  std::string_view what;      ///< "servers", "in_flight", "adaptive"
  std::string key;            ///< of its length in the configuration
  std::uint64_t waiting = 0;  ///< of all workers
  std::uint64_t fullest = 0;  ///< of the worker with the most, where each has its own queue; else as `waiting`
  std::uint64_t length = 0;   ///< how many may wait: of each worker for "adaptive", else of this gateway
};
/// Those that the upstream has. Any thread; not on the request path.
std::vector<QueueUse> queues_of(const gateway::CompiledConfig& compiled, const std::string& upstream,
                                const shed::WaitQueues& waiters, const observe::Registry& registry);

}  // namespace headgate::admin
