#pragma once
// What the tests of a cluster share: its nodes, and subjects whose slots are known.

#include "../../../src/redis/servers/servers.hpp"
#include "../../../src/redis/servers/slot_map.hpp"
#include "fixture.hpp"
#include "support/redis_cluster.hpp"

#include <cstdint>
#include <memory>
#include <sstream>
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
    return run_until([&] { return servers->health() == RedisHealth::up; });
  }

  /// Half of a move of one slot, as redis-cli --cluster reshard begins it.
  void begin_move(std::uint16_t slot, const test::RedisServer& from, const test::RedisServer& to) {
    const std::string number = std::to_string(slot);
    ASSERT_EQ(test::redis_cli(to.port(), "CLUSTER SETSLOT " + number + " IMPORTING " + cluster.id(from)), "OK");
    ASSERT_EQ(test::redis_cli(from.port(), "CLUSTER SETSLOT " + number + " MIGRATING " + cluster.id(to)), "OK");
  }
  void move_keys(std::uint16_t slot, const test::RedisServer& from, const test::RedisServer& to) {
    const std::string keys = test::redis_cli(from.port(), "CLUSTER GETKEYSINSLOT " + std::to_string(slot) + " 100");
    std::istringstream lines(keys);
    for (std::string key; std::getline(lines, key) && !key.empty();)
      ASSERT_EQ(
          test::redis_cli(from.port(), "MIGRATE 127.0.0.1 " + std::to_string(to.port()) + " '" + key + "' 0 1000"),
          "OK");
  }
  void end_move(std::uint16_t slot, const test::RedisServer& from, const test::RedisServer& to) {
    for (const auto* node : {&to, &from})
      ASSERT_EQ(test::redis_cli(node->port(), "CLUSTER SETSLOT " + std::to_string(slot) + " NODE " + cluster.id(to)),
                "OK");
  }
  test::RedisServer& other_than(const test::RedisServer& node) {
    return &node == &cluster.nodes[0] ? cluster.nodes[1] : cluster.nodes[0];
  }

  test::RedisCluster cluster;
  RedisOptions options;
};

}  // namespace headgate::redis
