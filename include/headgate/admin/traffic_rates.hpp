#pragma once
// The current traffic of this gateway: requests per second over the last minute, and by route.

#include "headgate/admin/route_traffic.hpp"
#include "headgate/admin/traffic_history.hpp"
#include "headgate/core/clock.hpp"
#include "headgate/core/time.hpp"
#include "headgate/observe/metrics.hpp"
#include "headgate/observe/traffic.hpp"
#include "headgate/services/service.hpp"

#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace headgate::admin {

struct Rates {
  double over_seconds = 0;  ///< Length of the measurement: a minute, or less after startup.
  double requests = 0;      ///< Per second, like the next four.
  double rejected = 0;
  double failed = 0;
  double received = 0;
  double sent = 0;
  /// Seconds within which half of the requests finished; not set if there was none.
  std::optional<double> half_within;
  /// Seconds within which 95 % of the requests finished; not set if there was none.
  std::optional<double> most_within;
};

/// Samples of the last minute. Pure; one thread.
class RateWindow {
 public:
  using Steady = std::chrono::steady_clock::time_point;
  static constexpr auto kEvery = std::chrono::seconds(5);
  static constexpr auto kWindow = std::chrono::seconds(60);

  /// `begun` is the time at which counting began.
  explicit RateWindow(Steady begun) { samples_.push_back({begun, {}}); }
  /// Adds a sample. Call this about every kEvery.
  void add(Steady now, const observe::Traffic& traffic);
  /// Returns the rates since the newest sample that is at least a minute old, or since the start if there is no such
  /// sample.
  Rates rates(Steady now, const observe::Traffic& traffic) const;

 private:
  struct Sample {
    Steady at;
    observe::Traffic traffic;
  };
  /// Oldest first. Of the samples that are older than the window, only the newest is kept.
  std::deque<Sample> samples_;
};

/// Takes samples on the main thread every few seconds; any thread may read them.
class TrafficRates final : public services::Service {
 public:
  /// `clock` and `registry` must outlive this.
  TrafficRates(Clock& clock, const observe::Registry& registry);

  void start() override { alarm_->set(RateWindow::kEvery); }
  void stop() override { alarm_.reset(); }
  Rates now() const;
  /// Returns the traffic of each route in the last ten seconds or the last minute.
  RoutesRates by_route(std::chrono::seconds window) const;
  /// Returns the traffic of the last 15 minutes, oldest first.
  std::vector<TrafficHistory::Row> history() const;

 private:
  void look();

  Clock& clock_;
  const observe::Registry& registry_;
  std::unique_ptr<Alarm> alarm_;
  mutable std::mutex mutex_;
  RateWindow window_;
  RouteWindow routes_;
  TrafficHistory history_;
};

}  // namespace headgate::admin
