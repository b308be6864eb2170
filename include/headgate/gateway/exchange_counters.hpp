#pragma once
// Counts the exchanges of one worker under one configuration.

#include "headgate/gateway/compiled_config.hpp"
#include "headgate/observe/counters.hpp"
#include "headgate/room/wait.hpp"

#include <vector>

namespace headgate::gateway {

struct CheckedLimit;
struct Exchange;

/// Made with a snapshot. The counters belong to the registry; after a reload the same labels find the same counters.
/// Worker thread only.
class ExchangeCounters {
 public:
  ExchangeCounters(observe::Registry& registry, observe::Writer worker, const CompiledConfig& compiled);

  /// Counts an exchange that has ended, `took` after it began.
  void count(const Exchange& x, Duration took) const;
  /// Shows permits of a limit of requests in flight that this worker took, or gave back (below 0). It counts on after a
  /// reload.
  void permits(const CheckedLimit& checked, int more) const noexcept;
  /// Shows what is known of a room now.
  void room(const CompiledRoom& room, const room::Knowledge& knowledge) const;
  /// Shows the requests of this worker at an upstream, by Route::upstream.
  void show(std::size_t upstream, shed::Concurrency& concurrency) const noexcept;
  /// Where to show the lag of this worker's loop; null if it is not watched.
  observe::Gauge* loop_lag() const noexcept { return loop_lag_; }
  /// This configuration is not active any more: its gauges show nothing, until another one uses them.
  void clear_gauges() const noexcept;

 private:
  void make_shedding(observe::Registry& registry, observe::Writer worker, const CompiledConfig& compiled);
  void count_limits(const Exchange& x) const;
  void count_extras(const Exchange& x) const;
  void count_visit(const Exchange& x) const;
  void count_shed(const Exchange& x) const;
  void count_appointments(const Exchange& x) const;

  std::vector<observe::RouteCounters> routes_;  ///< by Route::number; the last one is for requests without a route
  std::vector<observe::LimitCounters> tiers_;   ///< by CompiledTier::number
  std::vector<observe::BanCounters> bans_;      ///< by RouteBan::number
  std::vector<observe::RoomCounters> rooms_;    ///< by CompiledRoom::number
  std::vector<observe::ShedCounters> shed_;     ///< by Route::upstream; empty if nothing is shed
  observe::Gauge* loop_lag_ = nullptr;
};

}  // namespace headgate::gateway
