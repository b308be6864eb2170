// Several gateways, one Redis, one budget: the admitted requests are counted.
#include "fixture.hpp"
#include "support/redis_server.hpp"

#include <atomic>
#include <thread>
#include <vector>

namespace headgate::redis {
namespace {

struct GatewayTally {
  int admitted = 0;
  int rejected = 0;
  int failed = 0;
};

/// One caller of many that never pauses.
Task<void> hammer(SharedLimiter& limiter, const limit::Rule& rule, const std::atomic<bool>& over, GatewayTally& tally,
                  int& running) {
  std::array<limit::Check, 1> checks{check_of(rule, "everybody")};
  std::array<limit::Decision, 1> decisions;
  while (!over) {
    auto task = limiter.decide(checks, decisions);
    const auto result = co_await task;
    ++(result.has_error() ? tally.failed : *result ? tally.admitted : tally.rejected);
    if (result.has_error()) break;
  }
  --running;
}

GatewayTally run_gateway(const RedisOptions& options, const limit::Rule& rule, const std::atomic<bool>& over) {
  boost::asio::io_context loop{1};
  SharedLimiter limiter(loop, options);
  GatewayTally tally;
  int running = 16;
  for (int i = 0; i < 16; ++i) spawn(hammer(limiter, rule, over, tally, running), "test");
  while (running > 0) loop.run_one();
  limiter.stop();
  loop.run();
  return tally;
}

TEST(SharedBudget, IsNeverExceededByTwoGatewaysThatAskInParallel) {
  test::RedisServer redis;
  if (!test::RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
  ASSERT_TRUE(redis.start()) << redis.error();
  RedisOptions options;
  options.nodes[0].port = redis.port();
  options.timeout = 5s;
  auto rule = rule_of(500, 1s);
  rule.burst = 700;

  std::atomic<bool> over = false;
  std::array<GatewayTally, 2> tallies;
  const auto start = std::chrono::steady_clock::now();
  {
    std::jthread first([&] { tallies[0] = run_gateway(options, rule, over); });
    std::jthread second([&] { tallies[1] = run_gateway(options, rule, over); });
    std::this_thread::sleep_for(2s);
    over = true;
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;

  const int admitted = tallies[0].admitted + tallies[1].admitted;
  const int most = static_cast<int>(700 + 500 * took.count());
  EXPECT_EQ(tallies[0].failed + tallies[1].failed, 0);
  EXPECT_LE(admitted, most) << "over " << took.count() << " s";
  EXPECT_GE(admitted, 1600) << "nor is anything withheld: 700 and two seconds of 500, but for the ends";
  EXPECT_GT(tallies[0].rejected, 100);
  EXPECT_GT(tallies[1].rejected, 100);
  EXPECT_GT(tallies[0].admitted, 0);
  EXPECT_GT(tallies[1].admitted, 0);
}

TEST(SharedBudget, IsAdmittedToTheLastRequestAndNotOneMore) {
  test::RedisServer redis;
  if (!test::RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
  ASSERT_TRUE(redis.start()) << redis.error();
  RedisOptions options;
  options.nodes[0].port = redis.port();
  options.timeout = 5s;
  const auto rule = rule_of(1000, 24h);  // less than one permit comes back during the test

  std::atomic<bool> over = false;
  std::array<GatewayTally, 3> tallies;
  {
    std::vector<std::jthread> gateways;
    for (auto& tally : tallies) gateways.emplace_back([&] { tally = run_gateway(options, rule, over); });
    std::this_thread::sleep_for(1s);
    over = true;
  }
  int admitted = 0;
  int rejected = 0;
  for (const auto& tally : tallies) {
    admitted += tally.admitted;
    rejected += tally.rejected;
    EXPECT_EQ(tally.failed, 0);
  }
  EXPECT_EQ(admitted, 1000);
  EXPECT_GT(rejected, 0);
}

}  // namespace
}  // namespace headgate::redis
