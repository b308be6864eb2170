#pragma once
// The master that Sentinels name, wherever it is by now.

#include "decider.hpp"
#include "discovery.hpp"
#include "roster.hpp"
#include "servers.hpp"
#include "setup.hpp"
#include "switches.hpp"

#include <boost/asio/io_context.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headgate::redis {

/// Listens to all Sentinels for +switch-master, and asks who told it at once, so that a new master is followed within a
/// round trip. Asks one of them each second all the same, and at once and every 100 ms while there is no master that
/// takes writes: a message can be missed, and a Sentinel that is itself cut off sends none. A master that was demoted
/// and lives on says so itself (READONLY, ROLE). Worker thread only, but for what Servers says.
class Sentinel final : public Servers, public DiscoveryOwner, public std::enable_shared_from_this<Sentinel> {
 public:
  Sentinel(boost::asio::io_context& loop, std::shared_ptr<const Setup> setup);

  void start();

  Task<Result<bool>> decide(std::span<const limit::Ask> asks, std::span<limit::Verdict> verdicts) override;
  std::chrono::steady_clock::time_point way_back_until() const noexcept override { return decider_->way_back_until(); }
  Health health() const noexcept override { return health_.load(std::memory_order_relaxed); }
  std::vector<NodeStatus> nodes() const override { return roster_.nodes(); }
  Counters counters() const override { return roster_.totals(); }
  void stop() override;

 private:
  bool found(const Reply& reply, const Node& asked) override;
  void nobody(const std::string& reason) override;
  void changed();

  const std::shared_ptr<const Setup> setup_;
  Roster roster_;
  std::shared_ptr<NodeStats> stats_;
  std::shared_ptr<Decider> decider_;
  std::shared_ptr<Discovery> discovery_;
  std::shared_ptr<Switches> switches_;
  std::optional<Node> master_;
  std::atomic<Health> health_{Health::trying};
};

}  // namespace headgate::redis
