#pragma once
// What the servers of an upstream can take together: so many requests at the same time, of all gateways.

#include "headgate/gateway/fleet_size.hpp"
#include "headgate/limit/limit.hpp"
#include "headgate/shed/priority.hpp"

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::gateway {

struct UpstreamOptions;

/// A number of places, as the stores of limits count them. The rule of a counter does not change while it is used, so
/// there is one for each number that may be left when others are held free for higher priorities.
struct CapacitySize {
  limit::Rule all;    ///< of all gateways together
  limit::Rule share;  ///< of this gateway, for while Redis is down
};

/// Of one upstream. Immutable; belongs to a compiled config.
struct Capacity {
  std::string name;      ///< of its counter, and in the metrics; no limit of a user can have it
  std::string upstream;  ///< the key of its counter
  limit::Store store = limit::Store::memory;
  bool queues = false;  ///< whether requests wait for a place
  /// By priority: what it may use, the largest number of places first. All sizes share one counter.
  using Sizes = std::array<std::vector<CapacitySize>, shed::kPriorities>;
  const Sizes& sizes() const { return of_sharers->current(); }
  std::shared_ptr<const ForSharers<Sizes>> of_sharers;
};

/// The name of the capacity of this upstream.
std::string capacity_name(std::string_view upstream);

/// The capacity of `upstream`, of which one of `sharers` gateways has its share; null if it has none.
std::unique_ptr<const Capacity> compile_capacity(const UpstreamOptions& upstream, const Sharers& sharers);

}  // namespace headgate::gateway
