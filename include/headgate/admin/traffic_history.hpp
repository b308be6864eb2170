#pragma once
// The traffic of the last 15 minutes in buckets of ten seconds, so that the dashboard shows some history when it is
// opened.

#include "headgate/admin/route_traffic.hpp"
#include "headgate/core/time.hpp"
#include "headgate/observe/traffic.hpp"

#include <chrono>
#include <cstddef>
#include <deque>
#include <vector>

namespace headgate::admin {

/// The history. Pure; one thread. Has at most kBuckets rows, independent of the traffic.
class TrafficHistory {
 public:
  using Steady = std::chrono::steady_clock::time_point;
  static constexpr auto kEvery = std::chrono::seconds(10);
  static constexpr std::size_t kBuckets = 90;

  struct Row {
    Instant end{};       ///< End of the bucket, which is `seconds` long.
    double seconds = 0;  ///< kEvery or slightly more; never 0.
    RouteRates all;      ///< Rates of all routes together; `route` is empty.
  };

  /// `begun` is the time at which counting began.
  explicit TrafficHistory(Steady begun) : begun_(begun) {}
  /// Adds counts since startup. Call this every few seconds. A bucket ends with the first call after kEvery.
  void add(Instant now, Steady steady, const observe::TrafficByRoute& traffic);
  /// Returns the buckets, oldest first.
  std::vector<Row> rows() const { return {rows_.begin(), rows_.end()}; }

 private:
  Steady begun_;  ///< Start of the bucket that is being filled.
  observe::Traffic before_;
  std::deque<Row> rows_;
};

}  // namespace headgate::admin
