#pragma once
// One server, named by the configuration.

#include "decider.hpp"
#include "roster.hpp"
#include "servers.hpp"
#include "setup.hpp"

#include <chrono>
#include <memory>

namespace headgate::redis {

class Single final : public Servers {
 public:
  Single(boost::asio::io_context& loop, const std::shared_ptr<const Setup>& setup);
  ~Single() override;

  Task<Result<bool>> decide(std::span<const limit::Ask> asks, std::span<limit::Verdict> verdicts) override;
  std::chrono::steady_clock::time_point way_back_until() const noexcept override { return decider_->way_back_until(); }
  Health health() const noexcept override;
  std::vector<NodeStatus> nodes() const override { return roster_.nodes(); }
  Counters counters() const override { return roster_.totals(); }
  void stop() override;

 private:
  Roster roster_;
  std::shared_ptr<NodeStats> stats_;
  std::shared_ptr<Decider> decider_;
};

}  // namespace headgate::redis
