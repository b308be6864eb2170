#pragma once
// What went through this gateway in the last quarter of an hour, in buckets of ten seconds, so that who comes to look
// sees more than from now on.

#include "headgate/admin/route_traffic.hpp"
#include "headgate/core/time.hpp"
#include "headgate/observe/traffic.hpp"

#include <chrono>
#include <cstddef>
#include <deque>
#include <vector>

namespace headgate::admin {

/// Pure; one thread. At most kBuckets rows, whatever goes through.
class TrafficHistory {
 public:
  using Steady = std::chrono::steady_clock::time_point;
  static constexpr auto kEvery = std::chrono::seconds(10);
  static constexpr std::size_t kBuckets = 90;

  struct Row {
    Instant end{};       ///< of the bucket, whose length is `seconds`
    double seconds = 0;  ///< kEvery or some more; never 0
    RouteRates all;      ///< `route` is empty
  };

  /// Nothing was counted before `begun`.
  explicit TrafficHistory(Steady begun) : begun_(begun) {}
  /// Call it every few seconds with what was counted since the start: a bucket ends with the first call after kEvery.
  void add(Instant now, Steady steady, const observe::TrafficByRoute& traffic);
  /// The oldest first.
  std::vector<Row> rows() const { return {rows_.begin(), rows_.end()}; }

 private:
  Steady begun_;  ///< of the bucket that is being filled
  observe::Traffic before_;
  std::deque<Row> rows_;
};

}  // namespace headgate::admin
