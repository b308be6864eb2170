#pragma once
// How much goes through this gateway at the moment: requests a second over the last minute, and by route.

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
  double over_seconds = 0;  ///< how long it was counted: a minute, less after a start
  double requests = 0;      ///< each second, as the next four
  double rejected = 0;
  double failed = 0;
  double received = 0;
  double sent = 0;
  std::optional<double> half_within;  ///< seconds that half of the requests took at most; not set if there was none
  std::optional<double> most_within;  ///< the same of 95 of 100
};

/// Samples of the last minute. Pure; one thread.
class RateWindow {
 public:
  using Steady = std::chrono::steady_clock::time_point;
  static constexpr auto kEvery = std::chrono::seconds(5);
  static constexpr auto kWindow = std::chrono::seconds(60);

  /// Nothing was counted before `begun`.
  explicit RateWindow(Steady begun) { samples_.push_back({begun, {}}); }
  /// Call it about every kEvery.
  void add(Steady now, const observe::Traffic& traffic);
  /// From the newest sample that is at least a minute old, or else from the start, until now.
  Rates rates(Steady now, const observe::Traffic& traffic) const;

 private:
  struct Sample {
    Steady at;
    observe::Traffic traffic;
  };
  std::deque<Sample> samples_;  ///< oldest first; of those that are older than the window only the newest
};

/// Takes a sample on the main thread every few seconds; any thread asks.
class TrafficRates final : public services::Service {
 public:
  /// Both outlive this.
  TrafficRates(Clock& clock, const observe::Registry& registry);

  void start() override { alarm_->set(RateWindow::kEvery); }
  void stop() override { alarm_.reset(); }
  Rates now() const;
  /// Of each route, in the last ten seconds or the last minute.
  RoutesRates by_route(std::chrono::seconds window) const;
  /// The last quarter of an hour, the oldest first.
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
