#pragma once
// The current traffic of each route, and the duration of its requests.

#include "headgate/observe/traffic.hpp"

#include <array>
#include <chrono>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace headgate::admin {

/// Quantiles of durations in seconds: 50, 95 and 99 %; not set if there was no request.
struct TimesTaken {
  std::optional<double> p50, p95, p99;
};

/// The rates of one route, or of all routes together, per second.
struct RouteRates {
  std::string route;
  double requests = 0;
  double rejected = 0;  ///< Answers with status 429 or 402.
  /// Answers by the first digit of the status, without those with 429 or 402; index 0 counts requests without an
  /// answer.
  std::array<double, 6> by_status{};
  double received = 0;  ///< Bytes of request bodies.
  double sent = 0;      ///< Bytes of answers.
  TimesTaken whole;
  TimesTaken own;  ///< The gateway's own share of the durations.
};

/// The traffic of all routes in a window.
struct RoutesRates {
  double over_seconds = 0;
  RouteRates all;
  std::vector<RouteRates> routes;  ///< Routes with requests in the window, busiest first.
};

/// Samples of the last minute. Pure; one thread. With 1,000 routes, the 14 samples take at most some megabytes.
class RouteWindow {
 public:
  using Steady = std::chrono::steady_clock::time_point;
  static constexpr auto kEvery = std::chrono::seconds(5);
  static constexpr auto kLongest = std::chrono::seconds(60);

  /// `begun` is the time at which counting began.
  explicit RouteWindow(Steady begun) { samples_.push_back({begun, {}}); }
  /// Adds a sample. Call this about every kEvery.
  void add(Steady now, observe::TrafficByRoute traffic);
  /// Returns the rates since the newest sample that is at least `window` old, or since the start if there is no such
  /// sample.
  RoutesRates rates(Steady now, const observe::TrafficByRoute& traffic, std::chrono::seconds window) const;

 private:
  struct Sample {
    Steady at;
    observe::TrafficByRoute traffic;
  };
  /// Oldest first. Of the samples that are older than the window, only the newest is kept.
  std::deque<Sample> samples_;
};

}  // namespace headgate::admin
