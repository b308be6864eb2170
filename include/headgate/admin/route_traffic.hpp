#pragma once
// How much each route has to do at the moment, and how long its requests take.

#include "headgate/observe/traffic.hpp"

#include <array>
#include <chrono>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace headgate::admin {

/// Seconds that half, 95 and 99 of 100 requests took at most; not set if there was none.
struct TimesTaken {
  std::optional<double> p50, p95, p99;
};

/// One route, or all together. Rates are of a second.
struct RouteRates {
  std::string route;
  double requests = 0;
  double rejected = 0;                ///< 429
  std::array<double, 6> by_status{};  ///< by the first digit, without 429; at 0: without an answer
  double received = 0;                ///< bytes of bodies
  double sent = 0;                    ///< bytes of answers
  TimesTaken whole;
  TimesTaken own;  ///< what the gateway itself took
};

/// What all routes did in a window.
struct RoutesRates {
  double over_seconds = 0;
  RouteRates all;
  std::vector<RouteRates> routes;  ///< those with requests in the window, the busiest first
};

/// Samples of the last minute. Pure; one thread. At most some megabytes: of 1,000 routes and 14 samples.
class RouteWindow {
 public:
  using Steady = std::chrono::steady_clock::time_point;
  static constexpr auto kEvery = std::chrono::seconds(5);
  static constexpr auto kLongest = std::chrono::seconds(60);

  /// Nothing was counted before `begun`.
  explicit RouteWindow(Steady begun) { samples_.push_back({begun, {}}); }
  /// Call it about every kEvery.
  void add(Steady now, observe::TrafficByRoute traffic);
  /// From the newest sample that is at least `window` old, or else from the start, until now.
  RoutesRates rates(Steady now, const observe::TrafficByRoute& traffic, std::chrono::seconds window) const;

 private:
  struct Sample {
    Steady at;
    observe::TrafficByRoute traffic;
  };
  std::deque<Sample> samples_;  ///< oldest first; of those that are older than the window only the newest
};

}  // namespace headgate::admin
