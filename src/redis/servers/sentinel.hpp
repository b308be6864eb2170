#pragma once
// The master that Sentinels name, followed when it changes.

#include "discovery.hpp"
#include "redis/setup.hpp"
#include "redis/wire/node_client.hpp"
#include "redis/wire/node_statistics.hpp"
#include "servers.hpp"
#include "switches.hpp"

#include <boost/asio/io_context.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::redis {

/// A master behind Sentinels. Subscribes to +switch-master at all Sentinels. Queries a Sentinel at once when it sends
/// this message, so that the gateway follows a new master within a round trip. Also queries one Sentinel every second,
/// because a message can be lost, and an isolated Sentinel sends none. While no master takes writes, queries every 100
/// ms. A demoted master that still runs reports its role itself (READONLY, ROLE). Worker thread only, except where
/// Servers says otherwise.
class Sentinel final : public Servers, public DiscoveryOwner, public std::enable_shared_from_this<Sentinel> {
 public:
  Sentinel(boost::asio::io_context& loop, std::shared_ptr<const Setup> setup);

  void start();

  Task<Result<bool>> decide(std::span<const limit::Check> checks, std::span<limit::Decision> decisions) override;
  Task<Result<bool>> ask(ScriptQuestion& question, std::string_view key) override;
  std::vector<Part> parts() const override;
  Task<Result<bool>> ask_part(ScriptQuestion& question, const Part& part) override;
  std::chrono::steady_clock::time_point recovering_until() const noexcept override {
    return node_client_->recovering_until();
  }
  RedisHealth health() const noexcept override { return health_.load(std::memory_order_relaxed); }
  std::vector<NodeStatus> nodes() const override { return node_statistics_.nodes(); }
  Counters counters() const override { return node_statistics_.totals(); }
  void stop() override;

 private:
  bool found(const Reply& reply, const RedisNode& asked) override;
  void nobody(const std::string& reason) override;
  void changed();

  const std::shared_ptr<const Setup> setup_;
  NodeStatistics node_statistics_;
  std::shared_ptr<NodeStats> stats_;
  std::shared_ptr<NodeClient> node_client_;
  std::shared_ptr<Discovery> discovery_;
  std::shared_ptr<Switches> switches_;
  std::optional<RedisNode> master_;
  std::atomic<RedisHealth> health_{RedisHealth::trying};
};

}  // namespace headgate::redis
