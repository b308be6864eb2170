#pragma once
// The masters of a cluster: each call goes to the owner of its slot.

#include "discovery.hpp"
#include "redis/pause.hpp"
#include "redis/setup.hpp"
#include "redis/wire/health_log.hpp"
#include "redis/wire/node_client.hpp"
#include "redis/wire/node_statistics.hpp"
#include "scatter.hpp"
#include "servers.hpp"
#include "slot_map.hpp"

#include "headgate/core/time.hpp"

#include <boost/asio/io_context.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::redis {

/// A cluster. Reads the map of slots with CLUSTER SLOTS when a node answers MOVED or is lost, and from time to time.
/// All rules of one key are in one slot, so a decision is normally one call. Worker thread only, except where Servers
/// says otherwise.
class Cluster final : public Servers, public DiscoveryOwner, public std::enable_shared_from_this<Cluster> {
 public:
  using Time = SteadyClock::time_point;

  Cluster(boost::asio::io_context& loop, std::shared_ptr<const Setup> setup);

  void start();

  Task<Result<bool>> decide(std::span<const limit::Check> checks, std::span<limit::Decision> decisions) override;
  Task<Result<bool>> ask(ScriptQuestion& question, std::string_view key) override;
  std::vector<Part> parts() const override;
  Task<Result<bool>> ask_part(ScriptQuestion& question, const Part& part) override;
  Time recovering_until() const noexcept override { return recovering_until_; }
  RedisHealth health() const noexcept override { return health_.load(std::memory_order_relaxed); }
  std::vector<NodeStatus> nodes() const override { return node_statistics_.nodes(); }
  Counters counters() const override { return node_statistics_.totals(); }
  GiveBacks give_backs() const noexcept override { return {given_back_.get(), not_given_back_.get()}; }
  void stop() override;

 private:
  static constexpr std::uint16_t kNobody = 0xffff;

  struct Member {
    RedisNode node;
    std::shared_ptr<NodeStats> stats;
    std::shared_ptr<NodeClient> node_client;
    bool owner = false;  ///< whether the node owns slots in the current map
  };
  /// The result of one call, and whether Redis may have counted it.
  struct Outcome {
    Result<bool> result;
    bool heard = false;
  };

  Task<Result<bool>> gather(std::span<const limit::Check> checks, std::span<limit::Decision> decisions,
                            std::span<const std::uint16_t> slots, Time deadline);
  Task<error_code> first_map(Time deadline);
  Task<Outcome> call_owner(std::uint16_t slot, ScriptQuestion& question, Time deadline);
  Task<void> pause(Time until);
  std::shared_ptr<NodeClient> follow(const Redirect& redirect, const RedisNode& asked);
  void give_back(Debt debt);
  static Task<void> pay(std::shared_ptr<Cluster> self, Debt debt);

  bool found(const Reply& reply, const RedisNode& asked) override;
  void nobody(const std::string& reason) override;
  void adopt(const std::vector<SlotRange>& ranges);
  std::uint16_t member(const RedisNode& node);
  void forget_others();
  void choose_probes();
  void changed();
  void wake();
  std::uint16_t slot_of(const limit::Check& check);
  bool full() const;
  bool no_map_yet() const noexcept { return !mapped_ && !hopeless_ && !stopped_; }

  boost::asio::io_context& loop_;
  const std::shared_ptr<const Setup> setup_;
  NodeStatistics node_statistics_;
  std::vector<Member> members_;
  std::array<std::uint16_t, kSlots> owner_of_;  ///< index into members_, or kNobody
  std::shared_ptr<Discovery> discovery_;
  bool mapped_ = false;    ///< whether a map was read at least once
  bool hopeless_ = false;  ///< whether all nodes were queried and none has returned a map
  bool stopped_ = false;
  Pauses pauses_;
  std::string key_;  ///< scratch buffer
  Time recovering_until_{};
  Count given_back_;
  Count not_given_back_;
  LineGate lost_debts_;
  std::atomic<RedisHealth> health_{RedisHealth::trying};
};

}  // namespace headgate::redis
