#pragma once
// A single server named in the configuration.

#include "redis/setup.hpp"
#include "redis/wire/node_client.hpp"
#include "redis/wire/node_statistics.hpp"
#include "servers.hpp"

#include <chrono>
#include <memory>
#include <string_view>
#include <vector>

namespace headgate::redis {

class Single final : public Servers {
 public:
  Single(boost::asio::io_context& loop, const std::shared_ptr<const Setup>& setup);
  ~Single() override;

  Task<Result<bool>> decide(std::span<const limit::Check> checks, std::span<limit::Decision> decisions) override;
  Task<Result<bool>> ask(ScriptQuestion& question, std::string_view key) override;
  std::vector<Part> parts() const override;
  Task<Result<bool>> ask_part(ScriptQuestion& question, const Part& part) override;
  std::chrono::steady_clock::time_point recovering_until() const noexcept override {
    return node_client_->recovering_until();
  }
  RedisHealth health() const noexcept override;
  std::vector<NodeStatus> nodes() const override { return node_statistics_.nodes(); }
  Counters counters() const override { return node_statistics_.totals(); }
  void stop() override;

 private:
  NodeStatistics node_statistics_;
  std::shared_ptr<NodeStats> stats_;
  std::shared_ptr<NodeClient> node_client_;
};

}  // namespace headgate::redis
