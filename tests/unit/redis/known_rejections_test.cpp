// Known rejections with a real Redis.
#include "redis_fixture.hpp"

#include <vector>

namespace headgate::redis {
namespace {

class KnownRejections : public RedisLimiter {
 protected:
  void start_limiter() {
    start();
    limiter.emplace(loop, options);
    ASSERT_TRUE(run_until_up(*limiter));
  }
  void TearDown() override {
    if (!limiter) return;
    limiter->stop();
    run_for(50ms);
  }
  void settle(std::int64_t cost, limit::How how) {
    const std::string gone = "caller";  // of a request that is over
    const limit::Rule copy = rule;
    const std::array<limit::Check, 1> checks{check_of(copy, gone, cost, how)};
    limiter->settle(checks);
  }
  std::uint64_t left() { return decide(*limiter, 0).decision.remaining; }

  std::optional<SharedLimiter> limiter;
};

TEST_F(KnownRejections, MakeAnAttackOnASpentKeyFreeForRedis) {
  start_limiter();
  EXPECT_TRUE(decide(*limiter, 10).allowed());
  EXPECT_TRUE(decide(*limiter).rejected());
  const auto before = limiter->counters().sent;
  const auto begin = Clock::now();
  for (int i = 0; i < 5000; ++i) {
    const auto answer = decide(*limiter);
    ASSERT_TRUE(answer.rejected());
    EXPECT_GT(answer.decision.retry_after, 5min);
    EXPECT_LE(answer.decision.retry_after, 6min);
  }
  const std::chrono::duration<double> took = Clock::now() - begin;
  EXPECT_LE(limiter->counters().sent - before, 1 + static_cast<std::uint64_t>(took.count())) << "once a second";
  EXPECT_GE(limiter->local().rejected, 4980U);
}

TEST_F(KnownRejections, ReportAWaitAfterWhichTheRequestIsAllowed) {
  rule = rule_of(20, 1s);
  start_limiter();
  int waits = 0;
  for (const auto end = Clock::now() + 1s; Clock::now() < end;) {
    const auto answer = decide(*limiter);
    if (!answer.rejected()) continue;
    ++waits;
    run_for(answer.decision.retry_after + 1ms);
    EXPECT_TRUE(decide(*limiter).allowed());
  }
  EXPECT_GT(waits, 5);
}

TEST_F(KnownRejections, EndWhenSomethingIsGivenBack) {
  start_limiter();
  EXPECT_TRUE(decide(*limiter, 10).allowed());
  EXPECT_TRUE(decide(*limiter).rejected());
  EXPECT_TRUE(decide(*limiter, -1).allowed());
  EXPECT_TRUE(decide(*limiter).allowed());
  EXPECT_TRUE(decide(*limiter).rejected());
  settle(-1, limit::How::take);
  EXPECT_TRUE(run_until([&] { return limiter->local().settled == 1; }));
  EXPECT_TRUE(decide(*limiter).allowed());
}

TEST_F(KnownRejections, StillAskForWhatCostsLess) {
  start_limiter();
  EXPECT_TRUE(decide(*limiter, 8).allowed());
  EXPECT_TRUE(decide(*limiter, 3).rejected());
  EXPECT_TRUE(decide(*limiter, 5).rejected());
  EXPECT_TRUE(decide(*limiter, 2).allowed());
  EXPECT_EQ(decide(*limiter, 11).decision.retry_after, limit::kNever);
}

TEST_F(KnownRejections, EndASecondAfterAnOperatorsReset) {
  start_limiter();
  EXPECT_TRUE(decide(*limiter, 10).allowed());
  EXPECT_TRUE(decide(*limiter).rejected());
  command({"FLUSHALL"});
  EXPECT_TRUE(decide(*limiter).rejected());
  EXPECT_TRUE(decide_until(
      *limiter, [](const Answer& answer) { return answer.allowed(); }, 2s));
}

TEST_F(KnownRejections, AreUsedWhileRedisIsDown) {
  start_limiter();
  EXPECT_TRUE(decide(*limiter, 10).allowed());
  EXPECT_TRUE(decide(*limiter).rejected());
  redis.kill9();
  EXPECT_TRUE(decide(*limiter).rejected());
  EXPECT_TRUE(decide(*limiter, 1, "somebody else").error());
}

TEST_F(KnownRejections, AreFoundWithoutATask) {
  start_limiter();
  const std::array<limit::Check, 1> checks{check_of(rule, "caller")};
  std::array<limit::Decision, 1> decisions;
  EXPECT_EQ(limiter->decide_here(checks, decisions), std::nullopt);
  EXPECT_TRUE(decide(*limiter, 10).allowed());
  EXPECT_TRUE(decide(*limiter).rejected());
  EXPECT_EQ(limiter->decide_here(checks, decisions), false);
  EXPECT_GT(decisions[0].retry_after, 5min);
}

}  // namespace
}  // namespace headgate::redis
