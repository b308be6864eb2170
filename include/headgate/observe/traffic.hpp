#pragma once
// A summary of all requests since startup.

#include "headgate/observe/metric_types.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace headgate::observe {

/// Counts since startup; they never decrease.
struct Traffic {
  std::uint64_t requests = 0;  ///< requests that ended, with or without an answer
  std::uint64_t rejected = 0;  ///< answered with 429 or 402
  std::uint64_t failed = 0;    ///< answered with a 5xx
  std::uint64_t received = 0;  ///< bytes of request bodies
  std::uint64_t sent = 0;      ///< bytes of answers
  /// Request durations, by bucket of headgate_request_duration_seconds.
  std::array<std::uint64_t, Histogram::kMaxBounds + 1> durations{};
  /// Time spent in the gateway itself, by bucket of headgate_overhead_seconds.
  std::array<std::uint64_t, Histogram::kMaxBounds + 1> overheads{};
  /// Answers by the first digit of the status, except 429 and 402, which count only in `rejected`. Index 0 counts
  /// requests without an answer.
  std::array<std::uint64_t, 6> classes{};
};
/// Traffic by route. Routes without series of their own are counted together as WorkerRoutes::kOther.
using TrafficByRoute = std::map<std::string, Traffic, std::less<>>;

}  // namespace headgate::observe
