// The limiter behind Sentinels: finds the master, and follows it when it dies or is moved.
#include "fixture.hpp"
#include "support/redis_sentinel.hpp"

#include <cstdio>

namespace headgate::redis {
namespace {

class SentinelTest : public LoopTest {
 protected:
  void SetUp() override {
    if (!test::RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
    ASSERT_TRUE(redis.start()) << redis.error();
    options.topology = Topology::sentinel;
    options.master = "shop";
    options.nodes.clear();
    for (const auto& sentinel : redis.sentinels) options.nodes.push_back({"127.0.0.1", sentinel.port()});
    options.timeout = 200ms;
    rule = rule_of(1'000'000, 24h);
  }

  /// Sends requests all the time. No answer, whatever it is, may take longer than the deadline.
  Clock::duration time_until_allowed(SharedLimiter& limiter) {
    const auto start = Clock::now();
    const bool came = decide_until(
        limiter,
        [&](const Answer& answer) {
          EXPECT_LT(answer.took, options.timeout + 100ms);
          return answer.allowed();
        },
        15s);
    EXPECT_TRUE(came) << log.str();
    return Clock::now() - start;
  }
  static double seconds(Clock::duration time) { return std::chrono::duration<double>(time).count(); }

  test::RedisSentinel redis;
  RedisOptions options;
};

TEST_F(SentinelTest, FindsTheMasterAndItsSuccessorWhenItDies) {
  SharedLimiter limiter(loop, options);
  const Answer first = decide(limiter);
  ASSERT_TRUE(first.allowed()) << first.error().message() << "\n" << log.str();
  EXPECT_LT(first.took, options.timeout);
  ASSERT_EQ(limiter.nodes().size(), 1u);
  EXPECT_EQ(limiter.nodes()[0].name, "127.0.0.1:" + std::to_string(redis.servers[0].port()));
  EXPECT_EQ(limiter.health(), RedisHealth::up);

  redis.servers[0].kill9();
  const auto took = time_until_allowed(limiter);
  std::printf("[  FAILOVER ] Sentinel: decisions came again after %.2f s\n", seconds(took));
  ASSERT_EQ(limiter.nodes().size(), 1u);
  EXPECT_NE(limiter.nodes()[0].name, "127.0.0.1:" + std::to_string(redis.servers[0].port()));
  EXPECT_EQ(limiter.health(), RedisHealth::up);
  EXPECT_GE(limiter.counters().decided, 2u) << "what the old master decided still counts";
  EXPECT_GE(limiter.counters().connects, 2u);

  // The old master comes back, still takes itself for a master for a moment, and becomes a replica.
  ASSERT_TRUE(redis.servers[0].restart()) << redis.servers[0].error();
  run_for(1500ms);
  EXPECT_TRUE(decide(limiter).allowed());
  limiter.stop();
}

TEST_F(SentinelTest, FollowsAMasterThatIsDemotedAndLivesOn) {
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(decide(limiter).allowed());
  ASSERT_EQ(test::redis_cli(redis.sentinels[0].port(), "SENTINEL FAILOVER shop"), "OK");
  const std::string old = limiter.nodes()[0].name;
  const auto start = Clock::now();
  EXPECT_TRUE(decide_until(
      limiter,
      [&](const Answer& answer) {
        EXPECT_LT(answer.took, options.timeout + 100ms);
        return answer.allowed() && limiter.nodes()[0].name != old;
      },
      15s));
  std::printf("[  FAILOVER ] Sentinel, by order: decided by the new master after %.2f s\n",
              seconds(Clock::now() - start));
  EXPECT_EQ(logged(" redis_master"), 2) << log.str();
  limiter.stop();
}

TEST_F(SentinelTest, AsksTheNextSentinelIfOneHangsOrIsGone) {
  redis.sentinels[0].pause();
  redis.sentinels[1].kill9();
  SharedLimiter limiter(loop, options);
  time_until_allowed(limiter);
  EXPECT_EQ(limiter.health(), RedisHealth::up);
  limiter.stop();
  redis.sentinels[0].resume();
}

TEST_F(SentinelTest, KeepsDecidingWithAKnownMasterWhenAllSentinelsAreGone) {
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(decide(limiter).allowed());
  for (auto& sentinel : redis.sentinels) sentinel.kill9();
  run_for(2500ms);
  EXPECT_TRUE(decide(limiter).allowed());
  EXPECT_EQ(limiter.health(), RedisHealth::up);
  limiter.stop();
}

TEST_F(SentinelTest, FailsAtOnceWhileNoSentinelKnowsTheMaster) {
  options.master = "unheard-of";
  SharedLimiter limiter(loop, options);
  EXPECT_EQ(decide(limiter).error(), Errc::unavailable);
  EXPECT_EQ(decide(limiter).error(), Errc::unavailable);
  EXPECT_EQ(limiter.health(), RedisHealth::down);
  EXPECT_GE(logged("it does not know"), 1) << log.str();
  limiter.stop();
  keeps_running.reset();
  loop.run_for(2s);
  EXPECT_TRUE(loop.stopped()) << "handlers are left";
}

TEST_F(SentinelTest, GivesTheSentinelsAPasswordOfTheirOwn) {
  for (const auto& sentinel : redis.sentinels)
    ASSERT_EQ(test::redis_cli(sentinel.port(), "ACL SETUSER watcher on '>watchword' +auth +sentinel +ping"), "OK");
  for (const auto& sentinel : redis.sentinels)
    ASSERT_EQ(test::redis_cli(sentinel.port(), "ACL SETUSER default off"), "OK");
  SharedLimiter without(loop, options);
  EXPECT_EQ(decide(without).error(), Errc::unavailable);
  without.stop();
  options.sentinel_username = "watcher";
  options.sentinel_password = "watchword";
  SharedLimiter limiter(loop, options);
  EXPECT_TRUE(decide(limiter).allowed()) << log.str();
  limiter.stop();
  EXPECT_EQ(logged("watchword"), 0);
}

}  // namespace
}  // namespace headgate::redis
