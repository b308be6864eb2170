// A cluster that loses a master: for how long nothing is decided, and that nobody waits meanwhile.
#include "cluster_fixture.hpp"

#include <cstdio>

namespace headgate::redis {
namespace {

class ClusterFailover : public ClusterFixture {
 protected:
  void SetUp() override { start(1); }
};

TEST_F(ClusterFailover, DecidesAgainWhenAReplicaHasTakenOver) {
  rule = rule_of(1'000'000, 24h);
  const auto servers = Servers::make(loop, options);
  const auto ask_everywhere = [&] {
    int allowed = 0;
    for (const std::uint16_t in : std::array<std::uint16_t, 3>{100, 8000, 16000}) {
      const Asked asked = check(servers, {check_of(rule, key_in(in))});
      EXPECT_LT(asked.took, options.timeout + 100ms);
      allowed += asked.allowed();
    }
    return allowed;
  };
  ASSERT_TRUE(run_until_up(servers)) << log.str();
  ASSERT_EQ(ask_everywhere(), 3);
  ASSERT_EQ(servers->nodes().size(), 3u) << "masters only";
  const auto decided = servers->counters().decided;

  auto* dies = cluster.owner(8000);
  ASSERT_NE(dies, nullptr);
  const std::string name = "127.0.0.1:" + std::to_string(dies->port());
  dies->kill9();
  const auto start = Clock::now();
  EXPECT_LT(ask_everywhere(), 3);
  EXPECT_NE(servers->health(), RedisHealth::up);
  ASSERT_TRUE(run_until([&] { return ask_everywhere() == 3; }, 20s)) << log.str();
  const std::chrono::duration<double> took = Clock::now() - start;
  std::printf("[  FAILOVER ] Cluster: decisions came again after %.2f s\n", took.count());
  EXPECT_LT(took, 15s);

  ASSERT_TRUE(run_until_up(servers)) << log.str();
  ASSERT_EQ(servers->nodes().size(), 3u);
  for (const auto& node : servers->nodes()) EXPECT_NE(node.name, name);
  EXPECT_GT(servers->counters().decided, decided) << "what the dead one decided still counts";
  servers->stop();
}

}  // namespace
}  // namespace headgate::redis
