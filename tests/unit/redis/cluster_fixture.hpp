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
    std::vector<limit::Verdict> verdicts;
    Clock::duration took{};
    bool allowed() const { return done && result->has_value() && **result; }
    bool refused() const { return done && result->has_value() && !**result; }
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

  std::uint16_t slot(std::string_view subject) const {
    std::string scratch;
    return slot_of_subject(options.key_prefix, subject, scratch);
  }
  /// A subject in `wanted`.
  std::string subject_in(std::uint16_t wanted) const {
    for (int i = 0;; ++i)
      if (std::string subject = "caller-" + std::to_string(i); slot(subject) == wanted) return subject;
  }

  static Task<void> ask_all(std::shared_ptr<Servers> servers, std::vector<limit::Ask> asks, Asked& asked) {
    asked.verdicts.resize(asks.size());
    const auto start = Clock::now();
    auto task = servers->decide(asks, asked.verdicts);
    asked.result = co_await task;
    asked.took = Clock::now() - start;
    asked.done = true;
  }
  Asked ask(const std::shared_ptr<Servers>& servers, std::vector<limit::Ask> asks) {
    Asked asked;
    spawn(ask_all(servers, std::move(asks), asked), "test");
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
