#pragma once
// Names the queues before an upstream, over all workers: for reports.

#include "headgate/core/hash.hpp"
#include "headgate/gateway/compiled_config.hpp"

#include <string_view>
#include <vector>

namespace headgate::gateway {

/// Of those who wait for a place at one of its servers.
Hash queue_of_servers(std::string_view upstream);
/// Of those who wait for its capacity: with Redis and, if that differs, without it. Empty if it has none.
std::vector<Hash> queues_of_capacity(const CompiledConfig& compiled, std::string_view upstream);

}  // namespace headgate::gateway
