#pragma once
// Counts the exchanges of one worker under one configuration.

#include "headgate/gateway/compiled_config.hpp"
#include "headgate/observe/counters.hpp"
#include "headgate/room/wait.hpp"

#include <map>
#include <string_view>
#include <vector>

namespace headgate::gateway {

struct Exchange;

/// Made with a snapshot. The counters belong to the registry; after a reload the same labels find the same counters.
/// Worker thread only.
class ExchangeCounters {
 public:
  ExchangeCounters(observe::Registry& registry, observe::Writer worker, const CompiledConfig& compiled);

  /// The exchange has found its route, and is under way until count().
  void begin(Exchange& x) const;
  /// Counts what all exchanges have of one that has ended, `took` after it began. What its steps count is in their rows
  /// (gateway/steps/table.hpp).
  void count(const Exchange& x, Duration took) const;
  /// Shows permits of a limit of requests in flight that this worker took, or gave back (below 0). It counts on after a
  /// reload.
  void permits(const CompiledTier& tier, int more) const noexcept;
  /// The same of its place among those of its upstream.
  void place(const Exchange& x, int more) const noexcept;
  /// A limit that counts glitches has decided about so many of this key.
  void glitches(const CompiledTier& tier, observe::Source source, bool allowed, std::uint32_t times, std::uint64_t hash,
                std::string_view key) const;
  /// Shows what is known of a room now.
  void room(const CompiledRoom& room, const room::Knowledge& knowledge) const;
  /// Shows the requests of this worker at an upstream, by Route::upstream.
  void show(std::size_t upstream, shed::Concurrency& concurrency) const noexcept;
  /// A request to an upstream (Route::upstream) is sent again, or is not because nothing is left in the budget.
  void retried(std::size_t upstream, RetryReason reason) const noexcept {
    retries_[upstream].retries[static_cast<std::size_t>(reason)]->add();
  }
  void retry_not_paid(std::size_t upstream) const noexcept { retries_[upstream].not_paid->add(); }
  /// What became of a copy for an upstream (Delivery::mirror_upstream).
  void mirrored(std::size_t upstream, observe::Mirrored result) const noexcept {
    mirrors_[upstream][static_cast<std::size_t>(result)]->add();
  }
  /// So many more requests of this worker wait for a place at a server of the upstream. It counts on after a reload.
  void waits(std::size_t upstream, int more) const noexcept;
  /// Where to show the lag of this worker's loop; null if it is not watched.
  observe::Gauge* loop_lag() const noexcept { return loop_lag_; }

  // The counters that steps count in.
  const observe::LimitCounters& of_tier(const CompiledTier& tier) const noexcept { return tiers_[tier.number]; }
  /// Of the capacity of its upstream, by its priority.
  const observe::LimitCounters& of_place(const Exchange& x) const noexcept;
  const observe::RoomCounters& of_room(const CompiledRoom& room) const noexcept { return rooms_[room.number]; }
  /// Of an upstream (Route::upstream) whose routes shed load.
  const observe::ShedCounters& of_shedding(std::size_t upstream) const noexcept { return shed_[upstream]; }
  const observe::CompressionCounters& of_compression() const noexcept { return compression_; }

  /// This configuration is not active any more: its gauges show nothing, until another one uses them.
  void clear_gauges() const noexcept;

 private:
  void make_shedding(observe::Registry& registry, observe::Writer worker, const CompiledConfig& compiled);
  void make_delivery(observe::Registry& registry, observe::Writer worker, const CompiledConfig& compiled);
  const observe::RouteCounters& of_route(const Exchange& x) const;
  void count_limits(const Exchange& x) const;
  void count_ban(const Exchange& x) const;
  const observe::BanCounters& of_operators(const RouteBan& ban) const;

  observe::WorkerRoutes& made_routes_;
  /// By Route::number; the last one is for requests without a route. Each is filled in by the first request of its
  /// route: there may be many routes, and a reload must not stop the worker.
  mutable std::vector<observe::RouteCounters> routes_;
  std::vector<observe::LimitCounters> tiers_;                ///< by CompiledTier::number
  std::vector<std::vector<observe::LimitCounters>> places_;  ///< by Route::upstream and priority; of a capacity
  std::vector<observe::BanCounters> bans_;                   ///< by RouteBan::number
  /// Of limits that suspend nobody by themselves, by name. Made once an operator suspends under one.
  mutable std::map<std::string_view, observe::BanCounters> operated_;
  observe::Registry& registry_;
  const observe::Writer worker_;
  std::vector<observe::RoomCounters> rooms_;      ///< by CompiledRoom::number
  std::vector<observe::ShedCounters> shed_;       ///< by Route::upstream; empty if nothing is shed
  std::vector<observe::RetryCounters> retries_;   ///< by Route::upstream; empty if nothing is retried
  std::vector<observe::MirrorCounters> mirrors_;  ///< by Delivery::mirror_upstream; empty if nothing is mirrored
  observe::CompressionCounters compression_;      ///< null where nothing is compressed
  std::vector<observe::Gauge*> server_waiting_;   ///< by upstream; null: nobody waits for its servers
  observe::Gauge* loop_lag_ = nullptr;
};

}  // namespace headgate::gateway
