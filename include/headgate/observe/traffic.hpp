#pragma once
// What all requests were since the start, in a few numbers.

#include "headgate/observe/metric_types.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace headgate::observe {

/// None of them ever decreases.
struct Traffic {
  std::uint64_t requests = 0;  ///< that ended, with any answer or with none
  std::uint64_t rejected = 0;  ///< answered with 429
  std::uint64_t failed = 0;    ///< answered with a 5xx
  std::uint64_t received = 0;  ///< bytes of bodies
  std::uint64_t sent = 0;      ///< bytes of answers
  /// How long they took, by bucket of headgate_request_duration_seconds.
  std::array<std::uint64_t, Histogram::kMaxBounds + 1> durations{};
  /// What the gateway itself took of that, by bucket of headgate_overhead_seconds.
  std::array<std::uint64_t, Histogram::kMaxBounds + 1> overheads{};
  /// By the first digit of the status; 429 counts only in `rejected`. At 0: the client got no answer.
  std::array<std::uint64_t, 6> classes{};
};
/// The same by route; those without series of their own together as WorkerRoutes::kOther.
using TrafficByRoute = std::map<std::string, Traffic, std::less<>>;

}  // namespace headgate::observe
