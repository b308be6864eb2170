#pragma once
// What the tests of a cluster share: its nodes, and subjects whose slots are known.

#include "../../../src/redis/servers.hpp"
#include "../../../src/redis/slot_map.hpp"
#include "fixture.hpp"
#include "support/redis_cluster.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace headgate::redis {

/// Skipped, visibly, where no redis-server is installed.
class ClusterFixture : public LoopTest {
 protected:
  /// Asks the servers themselves, past what a limiter decides without asking.
  struct Asked {
    bool done = false;
    std::optional<Result<bool>> result;
    std::vector<limit::Decision> decisions;
    Clock::duration took{};
    bool allowed() const { return done && result->has_value() && **result; }
    bool rejected() const { return done && result->has_value() && !**result; }
    error_code error() const { return done && result->has_error() ? result->error() : error_code(); }
  };

  void start(std::size_t replicas) {
    if (!test::RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
    ASSERT_TRUE(cluster.start(replicas)) << cluster.error();
    options.topology = Topology::cluster;
    options.database = 7;  // there is only 0 in a cluster
    options.timeout = 200ms;
    options.nodes = {{"127.0.0.1", cluster.nodes[0].port()}, {"127.0.0.1", cluster.nodes[1].port()}};
  }

  std::uint16_t slot(std::string_view key) const {
    std::string scratch;
    return slot_of_key(options.key_prefix, key, scratch);
  }
  /// A key in `wanted`.
  std::string key_in(std::uint16_t wanted) const {
    for (int i = 0;; ++i)
      if (std::string key = "caller-" + std::to_string(i); slot(key) == wanted) return key;
  }

  static Task<void> ask_all(std::shared_ptr<Servers> servers, std::vector<limit::Check> checks, Asked& asked) {
    asked.decisions.resize(checks.size());
    const auto start = Clock::now();
    auto task = servers->decide(checks, asked.decisions);
    asked.result = co_await task;
    asked.took = Clock::now() - start;
    asked.done = true;
  }
  Asked check(const std::shared_ptr<Servers>& servers, std::vector<limit::Check> checks) {
    Asked asked;
    spawn(ask_all(servers, std::move(checks), asked), "test");
    EXPECT_TRUE(run_until([&] { return asked.done; })) << "a decision never ended";
    return asked;
  }
  bool run_until_up(const std::shared_ptr<Servers>& servers) {
    return run_until([&] { return servers->health() == Health::up; });
  }

  test::RedisCluster cluster;
  Options options;
};

}  // namespace headgate::redis
