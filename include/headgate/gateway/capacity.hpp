#pragma once
// The number of requests that all servers of an upstream can take at the same time, from all gateways together.

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

/// A number of places, as rules for the stores of limits. A lower priority may use fewer places than a higher one. Each
/// such number has a rule of its own, because the rule of a counter must not change while the counter is used.
struct CapacitySize {
  limit::Rule all;    ///< the rule for all gateways together
  limit::Rule share;  ///< the rule for this gateway alone, while Redis is down
};

/// The capacity of one upstream. Immutable; belongs to a compiled config.
struct Capacity {
  std::string name;      ///< the name of the counter, also in the metrics; no limit in a configuration can have it
  std::string upstream;  ///< the key of the counter
  limit::Store store = limit::Store::memory;
  bool queues = false;  ///< whether requests wait for a place
  /// The places that each priority may use, the largest number first. All sizes share one counter.
  using Sizes = std::array<std::vector<CapacitySize>, shed::kPriorities>;
  const Sizes& sizes() const { return of_sharers->current(); }
  std::shared_ptr<const ForSharers<Sizes>> of_sharers;
};

/// Returns the name of the capacity of this upstream.
std::string capacity_name(std::string_view upstream);

/// Returns the capacity of `upstream`; null if the upstream has none. While Redis is down, each of the `sharers`
/// gateways has its share of the places.
std::unique_ptr<const Capacity> compile_capacity(const UpstreamOptions& upstream, const Sharers& sharers);

}  // namespace headgate::gateway
