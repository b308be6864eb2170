#pragma once
// The masters of a cluster: each call goes to the one that owns its slot.

#include "decider.hpp"
#include "discovery.hpp"
#include "health_log.hpp"
#include "pause.hpp"
#include "roster.hpp"
#include "scatter.hpp"
#include "servers.hpp"
#include "setup.hpp"
#include "slot_map.hpp"

#include <boost/asio/io_context.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace headgate::redis {

/// Knows the map of slots from CLUSTER SLOTS, asked when a node says MOVED or is lost, and now and then. All rules of
/// one subject are in one slot, so a decision is one call as a rule. Worker thread only, but for what Servers says.
class Cluster final : public Servers, public DiscoveryOwner, public std::enable_shared_from_this<Cluster> {
 public:
  using Clock = std::chrono::steady_clock;
  using Time = Clock::time_point;

  Cluster(boost::asio::io_context& loop, std::shared_ptr<const Setup> setup);

  void start();

  Task<Result<bool>> decide(std::span<const limit::Ask> asks, std::span<limit::Verdict> verdicts) override;
  Time way_back_until() const noexcept override { return way_back_until_; }
  Health health() const noexcept override { return health_.load(std::memory_order_relaxed); }
  std::vector<NodeStatus> nodes() const override { return roster_.nodes(); }
  Counters counters() const override { return roster_.totals(); }
  GiveBacks give_backs() const noexcept override { return {given_back_.get(), not_given_back_.get()}; }
  void stop() override;

 private:
  static constexpr std::uint16_t kNobody = 0xffff;

  struct Member {
    Node node;
    std::shared_ptr<NodeStats> stats;
    std::shared_ptr<Decider> decider;
    bool owner = false;  ///< of slots, as far as the map says
  };
  /// What became of one call, and whether it may have been counted.
  struct Outcome {
    Result<bool> result;
    bool heard = false;
  };

  Task<Result<bool>> gather(std::span<const limit::Ask> asks, std::span<limit::Verdict> verdicts,
                            std::span<const std::uint16_t> slots, Time deadline);
  Task<Outcome> ask(std::uint16_t slot, std::span<const limit::Ask> asks, std::span<limit::Verdict> verdicts,
                    Time deadline);
  Task<void> pause(Time until);
  std::shared_ptr<Decider> follow(const Redirect& redirect, const Node& asked);
  void give_back(Debt debt);
  static Task<void> pay(std::shared_ptr<Cluster> self, Debt debt);

  bool found(const Reply& reply, const Node& asked) override;
  void nobody(const std::string& reason) override;
  void adopt(const std::vector<SlotRange>& ranges);
  std::uint16_t member(const Node& node);
  void forget_others();
  void choose_probes();
  void changed();
  void wake();
  std::uint16_t slot_of(const limit::Ask& ask);
  bool full() const;

  boost::asio::io_context& loop_;
  const std::shared_ptr<const Setup> setup_;
  Roster roster_;
  std::vector<Member> members_;
  std::array<std::uint16_t, kSlots> owner_of_;  ///< index into members_, or kNobody
  std::shared_ptr<Discovery> discovery_;
  bool mapped_ = false;    ///< there was a map once
  bool hopeless_ = false;  ///< nobody could be asked for one
  bool stopped_ = false;
  Pauses pauses_;
  std::string key_;  ///< scratch
  Time way_back_until_{};
  Count given_back_;
  Count not_given_back_;
  LineGate lost_debts_;
  std::atomic<Health> health_{Health::trying};
};

}  // namespace headgate::redis
