#pragma once
// A row of the table of metrics. The rows are constants in headgate/observe/families/*.hpp, which the build collects
// and docs/metrics.md is written from.

#include "headgate/core/time.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace headgate::observe {

/// A row of the table. Units are seconds and bytes; names of counters end in _total.
struct Family {
  enum class Type { counter, gauge, histogram };
  static constexpr std::size_t kMaxLabels = 4;

  std::string_view name;
  Type type;
  std::array<std::string_view, kMaxLabels> labels;  ///< unused ones at the end are empty
  std::string_view help;                            ///< a sentence without its dot, one line
  std::string_view ask;                             ///< a useful query
  std::span<const Duration> bounds{};               ///< of a histogram

  constexpr std::size_t label_count() const noexcept {
    std::size_t count = 0;
    while (count < kMaxLabels && !labels[count].empty()) ++count;
    return count;
  }
};

/// All families in the order of the output. Made by the build of the headers in headgate/observe/families: by the order
/// of the headers in CMakeLists.txt, and of the constants in each.
std::span<const Family* const> families() noexcept;

namespace bounds {

/// From the time of the proxy alone to the longest time that a client waits.
inline constexpr std::array kRequest{Duration(1'000),     Duration(2'500),     Duration(5'000),     Duration(10'000),
                                     Duration(25'000),    Duration(50'000),    Duration(100'000),   Duration(250'000),
                                     Duration(500'000),   Duration(1'000'000), Duration(2'500'000), Duration(5'000'000),
                                     Duration(10'000'000)};
/// What the gateway itself takes: from a request that nothing holds up to one that is in trouble.
inline constexpr std::array kOverhead{Duration(50),       Duration(100),    Duration(250),     Duration(500),
                                      Duration(1'000),    Duration(2'500),  Duration(5'000),   Duration(10'000),
                                      Duration(25'000),   Duration(50'000), Duration(100'000), Duration(250'000),
                                      Duration(1'000'000)};
/// From a decision in memory to one that ends with Redis's timeout.
inline constexpr std::array kDecision{Duration(10),     Duration(50),     Duration(100),   Duration(250),
                                      Duration(500),    Duration(1'000),  Duration(2'500), Duration(5'000),
                                      Duration(10'000), Duration(20'000), Duration(50'000)};
/// One call to Redis. The same as redis::kLatencyBounds, which the limiter uses; server/watch/collect.cpp compares
/// them.
inline constexpr std::array kRedis{Duration(100),    Duration(250),    Duration(500),
                                   Duration(1'000),  Duration(2'500),  Duration(5'000),
                                   Duration(10'000), Duration(20'000), Duration(50'000)};

}  // namespace bounds

}  // namespace headgate::observe
