// Settlements with a real Redis: what is queued during an outage, and that each is counted once.
#include "fake_server.hpp"
#include "redis_fixture.hpp"
#include "support/tcp_gate.hpp"

#include "headgate/limit/settle_queue.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace headgate::redis {
namespace {

constexpr std::uint64_t kSize = 100'000;

class Settlements : public RedisLimiter {
 protected:
  void SetUp() override {
    RedisLimiter::SetUp();
    rule = rule_of(kSize, 100'000h);
    rule.algorithm = limit::find_algorithm("fixed_window");  // its counts do not change with time
  }
  void start_limiter(std::vector<std::string> arguments = {}) {
    start(std::move(arguments));
    limiter.emplace(loop, options);
    ASSERT_TRUE(run_until_up(*limiter));
  }
  void TearDown() override {
    if (!limiter) return;
    limiter->stop();
    run_for(50ms);
  }

  /// Settles for a request that is over when this function returns.
  bool settle(std::int64_t cost, limit::How how, const std::string& key = "caller", Duration held_for = 1h) {
    const auto copy = std::make_unique<limit::Rule>(rule);
    const auto gone = std::make_unique<std::string>(key);
    const std::array<limit::Check, 1> checks{check_of(*copy, *gone, cost, how)};
    return limiter->settle(checks, {&held_for, 1});
  }
  bool give_back(std::int64_t permits, const std::string& key = "caller", Duration held_for = 1h) {
    return settle(-permits, limit::How::take, key, held_for);
  }
  bool charge(std::int64_t permits, const std::string& key = "caller") {
    return settle(permits, limit::How::charge, key);
  }
  bool run_until_settled() {
    return run_until([&] { return limiter->outstanding().settlements == 0; });
  }
  std::uint64_t used(const std::string& key = "caller") {
    Answer last;
    EXPECT_TRUE(run_until([&] {
      last = decide(*limiter, 0, key);
      return last.allowed();
    }));
    return kSize - last.decision.remaining;
  }

  std::optional<SharedLimiter> limiter;
};

TEST_F(Settlements, ReachRedisWithoutTheirRequests) {
  start_limiter();
  EXPECT_TRUE(decide(*limiter, 5).allowed());
  EXPECT_TRUE(give_back(3));
  ASSERT_TRUE(run_until_settled());
  EXPECT_EQ(used(), 2U);
  EXPECT_TRUE(charge(2));
  EXPECT_TRUE(settle(4, limit::How::debt));
  ASSERT_TRUE(run_until_settled());
  EXPECT_EQ(used(), 8U);
  EXPECT_EQ(limiter->local().settled, 3U);
  EXPECT_TRUE(limiter->local().lost.empty());
}

TEST_F(Settlements, AreAppliedBeforeTheNextDecisionOfTheirKey) {
  start_limiter();
  EXPECT_TRUE(decide(*limiter, kSize).allowed());
  give_back(3);
  EXPECT_TRUE(decide(*limiter, 3).allowed());
}

TEST_F(Settlements, OfOneMomentShareACall) {
  start_limiter();
  EXPECT_TRUE(decide(*limiter, 50).allowed());
  const auto before = limiter->counters().sent;
  for (int i = 0; i < 20; ++i) {
    give_back(1);
    charge(1, "caller " + std::to_string(i % 5));
  }
  ASSERT_TRUE(run_until_settled());
  EXPECT_EQ(limiter->counters().sent - before, 1U);
  EXPECT_EQ(used(), 30U);
  EXPECT_EQ(used("caller 3"), 4U);
}

TEST_F(Settlements, AreExactAfterARestartOfRedis) {
  start_limiter({"--appendonly", "yes", "--appendfsync", "always"});
  const auto key_of = [](int i) { return "caller " + std::to_string(i % 10); };
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(decide(*limiter, 1000, key_of(i)).allowed());
  for (int i = 0; i < 100; ++i) {
    if (i == 30) redis.kill9();
    if (i == 70) {
      EXPECT_GE(limiter->outstanding().settlements, 1U);
      ASSERT_TRUE(redis.restart()) << redis.error();
    }
    EXPECT_TRUE(give_back(7, key_of(i)));
    EXPECT_TRUE(charge(2, key_of(i)));
    run_for(1ms);
  }
  ASSERT_TRUE(run_until_settled());
  for (int i = 0; i < 10; ++i) EXPECT_EQ(used(key_of(i)), 1000U - 10 * 7 + 10 * 2) << i;
  EXPECT_EQ(limiter->local().settled, 200U);
  EXPECT_TRUE(limiter->local().lost.empty());
}

TEST_F(Settlements, CountOnceIfTheirAnswerIsLost) {
  start();
  test::TcpGate gate(redis.port());
  options.nodes[0].port = gate.port();
  limiter.emplace(loop, options);
  ASSERT_TRUE(decide(*limiter, 1000).allowed());
  gate.set(test::TcpGate::Mode::deafen);
  give_back(10);
  charge(3, "somebody else");
  ASSERT_TRUE(run_until([&] { return limiter->counters().timed_out > 0; }));
  EXPECT_EQ(command({"GET", "hg:v1:{somebody else}:test:"}).substr(0, 2), "3@") << "Redis has counted it";
  give_back(1);
  run_for(1500ms);  // the connection is dropped, and the next one is not answered either
  EXPECT_EQ(limiter->outstanding().settlements, 3U);
  EXPECT_EQ(limiter->outstanding().permits, 14U);
  gate.set(test::TcpGate::Mode::reset);
  run_for(100ms);
  gate.set(test::TcpGate::Mode::pass);
  ASSERT_TRUE(run_until_settled());
  EXPECT_EQ(used(), 1000U - 10 - 1);
  EXPECT_EQ(used("somebody else"), 3U);
}

TEST_F(Settlements, CountOnceIfAHungRedisGetsThemTwice) {
  for (const auto hangs : {300ms, 2500ms}) {  // on the same connection, and on another one
    start_limiter();
    ASSERT_TRUE(decide(*limiter, 1000).allowed());
    redis.pause();
    give_back(10);
    charge(3);
    run_for(hangs);
    EXPECT_EQ(limiter->outstanding().settlements, 2U);
    redis.resume();
    ASSERT_TRUE(run_until_settled());
    EXPECT_EQ(used(), 1000U - 10 + 3);
    EXPECT_EQ(limiter->local().settled, 2U);
    limiter->stop();
    run_for(50ms);
    limiter.reset();
    redis.kill9();
  }
}

TEST_F(Settlements, OfManyOutagesAreSummedUp) {
  start_limiter();
  redis.kill9();
  ASSERT_TRUE(run_until([&] { return limiter->health() == RedisHealth::down; }));
  for (int i = 0; i < 10'000; ++i) EXPECT_TRUE(charge(2));
  run_for(20ms);
  const auto outstanding = limiter->outstanding();
  EXPECT_EQ(outstanding.settlements, 10'000U);
  EXPECT_EQ(outstanding.permits, 20'000U);
  ASSERT_TRUE(outstanding.oldest);
  EXPECT_LT(Clock::now() - *outstanding.oldest, 5s);
  ASSERT_TRUE(redis.restart()) << redis.error();
  ASSERT_TRUE(run_until_settled());
  EXPECT_FALSE(limiter->outstanding().oldest);
  EXPECT_EQ(used(), 20'000U);
  EXPECT_LE(limiter->counters().sent, 10U);
}

TEST_F(Settlements, DoNotGiveBackWhatHasExpired) {
  start_limiter({"--appendonly", "yes", "--appendfsync", "always"});
  ASSERT_TRUE(decide(*limiter, 100).allowed());
  redis.kill9();
  ASSERT_TRUE(run_until([&] { return limiter->health() == RedisHealth::down; }));
  give_back(10, "caller", 100ms);
  give_back(20, "caller", 1h);
  run_for(150ms);
  ASSERT_TRUE(redis.restart()) << redis.error();
  ASSERT_TRUE(run_until_settled());
  EXPECT_EQ(used(), 80U);
  EXPECT_EQ(limiter->local().settled, 1U);
  EXPECT_TRUE(limiter->local().lost.empty());
}

TEST_F(Settlements, BeyondTheBoundAreCountedAsLostForTheirLimit) {
  start_limiter();
  redis.kill9();
  ASSERT_TRUE(run_until([&] { return limiter->health() == RedisHealth::down; }));
  const auto half = static_cast<int>(limit::SettleQueue::kMax / 2);
  for (int i = 0; i < half; ++i) ASSERT_TRUE(charge(1, "caller " + std::to_string(i)));
  EXPECT_FALSE(charge(1, "one more"));
  EXPECT_TRUE(charge(1, "caller 7")) << "its counter has a place already";
  auto other = rule_of(10, 1h, "other");
  std::swap(rule, other);
  EXPECT_TRUE(charge(1, "one more")) << "another limit has its share";
  EXPECT_EQ(limiter->local().lost, (std::map<std::string, std::uint64_t>{{"test", 1}}));
  EXPECT_EQ(logged("settlements_lost limit=test settlements=1 permits=1"), 1);
}

TEST_F(Settlements, AreSentWhenTheLimiterStops) {
  start_limiter();
  ASSERT_TRUE(decide(*limiter, 100).allowed());
  for (int i = 0; i < 300; ++i) charge(1, "caller " + std::to_string(i));
  give_back(10);
  limiter->stop();
  ASSERT_TRUE(run_until_settled());
  EXPECT_EQ(limiter->local().settled, 301U);
  limiter.emplace(loop, options);
  EXPECT_EQ(used(), 90U);
  EXPECT_EQ(used("caller 299"), 1U);
}

TEST_F(Settlements, AreLostIfTheLimiterStopsDuringAnOutage) {
  start_limiter();
  redis.kill9();
  ASSERT_TRUE(run_until([&] { return limiter->health() == RedisHealth::down; }));
  charge(1);
  charge(1);
  limiter->stop();
  ASSERT_TRUE(run_until_settled());
  EXPECT_EQ(limiter->local().lost, (std::map<std::string, std::uint64_t>{{"test", 2}}));
  EXPECT_FALSE(charge(1));
}

TEST_F(Settlements, ThatAWorkingRedisRefusesAreGivenUpAfterThreeTries) {
  FakeServer server(loop);
  int asked = 0;
  server.on_decision = [&](FakeServer::Peer&, const FakeServer::Words&) {
    ++asked;
    return std::string("-ERR this script is broken\r\n");
  };
  options.nodes[0].port = server.port();
  options.timeout = 200ms;
  limiter.emplace(loop, options);
  ASSERT_TRUE(run_until_up(*limiter));
  charge(5);
  ASSERT_TRUE(run_until_settled());
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(limiter->local().lost, (std::map<std::string, std::uint64_t>{{"test", 1}}));
}

}  // namespace
}  // namespace headgate::redis
