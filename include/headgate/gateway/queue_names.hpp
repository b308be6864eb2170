#pragma once
// The names of the queues in front of an upstream. With them, reports look up how many requests of all workers wait.

#include "headgate/core/hash.hpp"
#include "headgate/gateway/compiled_config.hpp"

#include <string_view>
#include <vector>

namespace headgate::gateway {

/// Returns the name of the queue for a place at one of the upstream's servers.
Hash queue_of_servers(std::string_view upstream);
/// Returns the names of the queues for the upstream's capacity: the queue that is used with Redis and, if it differs,
/// the queue that is used without Redis. Empty if there is no capacity.
std::vector<Hash> queues_of_capacity(const CompiledConfig& compiled, std::string_view upstream);

}  // namespace headgate::gateway
