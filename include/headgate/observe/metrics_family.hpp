#pragma once
// The type of a row in the table of metrics. The rows are constants in headgate/observe/families/*.hpp. The build
// collects them, and docs/metrics.md is generated from them.

#include "headgate/core/time.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace headgate::observe {

/// A row of the table of metrics. Units are seconds and bytes; names of counters end in _total.
struct Family {
  enum class Type { counter, gauge, histogram };
  static constexpr std::size_t kMaxLabels = 4;

  std::string_view name;
  Type type;
  std::array<std::string_view, kMaxLabels> labels;  ///< unused labels at the end are empty
  std::string_view help;                            ///< one sentence on one line, without its final dot
  std::string_view ask;                             ///< a useful query
  std::span<const Duration> bounds{};               ///< the buckets of a histogram

  constexpr std::size_t label_count() const noexcept {
    std::size_t count = 0;
    while (count < kMaxLabels && !labels[count].empty()) ++count;
    return count;
  }
};

/// Returns all families in the order of the output: first by the order of their headers in CMakeLists.txt, then by the
/// order of the constants in each header. The build generates this function from headgate/observe/families.
std::span<const Family* const> families() noexcept;

namespace bounds {

/// Bounds for request durations, from the time of the proxy alone to the longest time that a client waits.
inline constexpr std::array kRequest{Duration(1'000),     Duration(2'500),     Duration(5'000),     Duration(10'000),
                                     Duration(25'000),    Duration(50'000),    Duration(100'000),   Duration(250'000),
                                     Duration(500'000),   Duration(1'000'000), Duration(2'500'000), Duration(5'000'000),
                                     Duration(10'000'000)};
/// Bounds for the time that a request spends in the gateway itself, from a request without delay to one that is held
/// up.
inline constexpr std::array kOverhead{Duration(50),       Duration(100),    Duration(250),     Duration(500),
                                      Duration(1'000),    Duration(2'500),  Duration(5'000),   Duration(10'000),
                                      Duration(25'000),   Duration(50'000), Duration(100'000), Duration(250'000),
                                      Duration(1'000'000)};
/// Bounds for the times of decisions, from a decision in memory to one that ends with Redis's timeout.
inline constexpr std::array kDecision{Duration(10),     Duration(50),     Duration(100),   Duration(250),
                                      Duration(500),    Duration(1'000),  Duration(2'500), Duration(5'000),
                                      Duration(10'000), Duration(20'000), Duration(50'000)};
/// Bounds for the times of calls to Redis. They equal redis::kLatencyBounds, which the limiter uses;
/// server/watch/collect.cpp compares them.
inline constexpr std::array kRedis{Duration(100),    Duration(250),    Duration(500),
                                   Duration(1'000),  Duration(2'500),  Duration(5'000),
                                   Duration(10'000), Duration(20'000), Duration(50'000)};

}  // namespace bounds

}  // namespace headgate::observe
