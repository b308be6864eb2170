// The decisions of the limiter while Redis works, and how the limiter stops.
#include "headgate/redis/limiter.hpp"

#include "redis_fixture.hpp"

#include <algorithm>
#include <array>
#include <coroutine>
#include <memory>

namespace headgate::redis {
namespace {

TEST_F(RedisLimiter, AllowsUntilTheBurstIsSpentThenRejectsWithAWait) {
  start();
  SharedLimiter limiter(loop, options);
  for (std::uint64_t left = 10; left-- > 0;) {
    const Answer answer = decide(limiter);
    EXPECT_TRUE(answer.allowed()) << answer.error().message();
    EXPECT_EQ(answer.decision.remaining, left);
    EXPECT_EQ(answer.decision.limit, 10u);
  }
  const Answer answer = decide(limiter);
  EXPECT_TRUE(answer.rejected());
  EXPECT_GT(answer.decision.retry_after, 5min);
  EXPECT_LE(answer.decision.retry_after, 6min);
  EXPECT_TRUE(decide(limiter, 1, "somebody else").allowed());
  limiter.stop();
}

TEST_F(RedisLimiter, GivesBackIfALaterStepFails) {
  start();
  SharedLimiter limiter(loop, options);
  EXPECT_TRUE(decide(limiter, 10).allowed());
  EXPECT_TRUE(decide(limiter).rejected());
  EXPECT_TRUE(decide(limiter, -3).allowed());
  EXPECT_TRUE(decide(limiter, 3).allowed());
  EXPECT_TRUE(decide(limiter).rejected());
  limiter.stop();
}

TEST_F(RedisLimiter, TakesFromAllRulesOrFromNone) {
  start();
  SharedLimiter limiter(loop, options);
  const auto wide = rule_of(100, 1h, "wide");
  std::array<limit::Check, 2> checks{check_of(wide, "caller"), check_of(rule, "caller", 20)};
  std::array<limit::Decision, 2> decisions;
  std::optional<Result<bool>> result;
  const auto both = [&]() -> Task<void> {
    auto task = limiter.decide(checks, decisions);
    result = co_await task;
  };
  spawn(both(), "test");
  ASSERT_TRUE(run_until([&] { return result.has_value(); }));
  ASSERT_TRUE(result->has_value()) << result->error().message();
  EXPECT_FALSE(**result);
  EXPECT_TRUE(decisions[0].allowed);
  EXPECT_FALSE(decisions[1].allowed);
  EXPECT_EQ(decisions[0].remaining, 100u);
  limiter.stop();
}

TEST_F(RedisLimiter, CarriesManyConcurrentDecisionsInFewWrites) {
  start();
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(run_until_up(limiter));
  const auto before = limiter.counters();
  const auto answers = ask_many(limiter, 500);
  ASSERT_TRUE(run_until([&] { return all_done(answers); }));
  const auto after = limiter.counters();
  EXPECT_EQ(std::count_if(answers.begin(), answers.end(), [](const auto& a) { return a.allowed(); }), 10);
  EXPECT_EQ(std::count_if(answers.begin(), answers.end(), [](const auto& a) { return a.rejected(); }), 490);
  EXPECT_EQ(after.sent - before.sent, 500u);
  EXPECT_LE(after.writes - before.writes, 3u);
  EXPECT_EQ(after.connects, 1u);
  limiter.stop();
}

TEST_F(RedisLimiter, FailsCallsAtOnceBeyondTheMaximumInFlight) {
  start();
  options.max_in_flight = 20;
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(run_until_up(limiter));
  const auto answers = ask_many(limiter, 50);
  EXPECT_EQ(std::count_if(answers.begin(), answers.end(), [](const auto& a) { return a.error() == Errc::overloaded; }),
            30)
      << "before the loop ran at all";
  ASSERT_TRUE(run_until([&] { return all_done(answers); }));
  EXPECT_EQ(limiter.counters().decided, 20u);
  EXPECT_TRUE(decide(limiter).rejected());
  limiter.stop();
}

TEST_F(RedisLimiter, LetsTheFirstCallsWaitForTheFirstConnection) {
  start();
  SharedLimiter limiter(loop, options);
  EXPECT_EQ(limiter.health(), RedisHealth::trying);
  const auto answers = ask_many(limiter, 12);
  ASSERT_TRUE(run_until([&] { return all_done(answers); }));
  EXPECT_EQ(std::count_if(answers.begin(), answers.end(), [](const auto& a) { return a.allowed(); }), 10);
  limiter.stop();
}

TEST_F(RedisLimiter, KeepsItsKeysUnderThePrefixInTheDatabase) {
  start();
  options.database = 5;
  options.key_prefix = "shop:";
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(decide(limiter).allowed());
  EXPECT_EQ(command({"EVAL", "redis.call('SELECT', 5); return redis.call('KEYS', '*:test:')[1]", "0"}),
            "shop:v1:{caller}:test:");
  limiter.stop();
}

TEST_F(RedisLimiter, FailsWhatIsWaitingWhenStoppedAndLeavesTheLoopDry) {
  start();
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(run_until_up(limiter));
  redis.pause();
  const auto answers = ask_many(limiter, 20);
  limiter.stop();
  ASSERT_TRUE(all_done(answers)) << "at once";
  for (const auto& answer : answers) EXPECT_EQ(answer.error(), Errc::stopped);
  EXPECT_EQ(decide(limiter).error(), Errc::stopped);
  keeps_running.reset();
  loop.run_for(2s);
  EXPECT_TRUE(loop.stopped()) << "handlers are left";
}

TEST_F(RedisLimiter, MayBeStoppedAndDestroyedByACallerThatItResumes) {
  start();
  for (const bool by_answer : {true, false}) {
    auto limiter = std::make_unique<SharedLimiter>(loop, options);
    ASSERT_TRUE(run_until_up(*limiter));
    if (!by_answer) redis.pause();
    bool done = false;
    const auto destroyer = [&]() -> Task<void> {
      Answer answer;
      auto task = check(*limiter, rule, "caller", 1, answer);
      co_await task;
      limiter.reset();
      done = true;
    };
    spawn(destroyer(), "test");
    const auto others = ask_many(*limiter, 20);
    ASSERT_TRUE(run_until([&] { return done && all_done(others); }));
    for (const auto& answer : others) EXPECT_EQ(answer.error(), Errc::stopped);
  }
}

TEST_F(RedisLimiter, SurvivesATaskThatIsDestroyedBeforeTheAnswer) {
  start();
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(run_until_up(limiter));
  {
    std::string key = "caller";
    std::array<limit::Check, 1> checks{check_of(rule, key, 4)};
    std::array<limit::Decision, 1> decisions;
    auto task = limiter.decide(checks, decisions);
    ASSERT_TRUE(task.await_suspend(std::noop_coroutine())) << "an answer takes a turn of the loop";
  }
  const Answer next = decide(limiter);
  EXPECT_TRUE(next.allowed());
  EXPECT_EQ(next.decision.remaining, 5u) << "what was sent was counted, and answers still find their callers";
  EXPECT_EQ(limiter.counters().decided, 1u);
  limiter.stop();
}

}  // namespace
}  // namespace headgate::redis
