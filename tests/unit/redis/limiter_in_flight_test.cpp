// Requests at the same time with a real Redis: a permit belongs to a token.
#include "redis_fixture.hpp"

#include "headgate/limit/in_flight.hpp"

namespace headgate::redis {
namespace {

class LimiterInFlight : public RedisLimiter {
 protected:
  void SetUp() override {
    RedisLimiter::SetUp();
    if (IsSkipped()) return;
    start();
    rule = {};
    rule.limit = "flights";
    rule.algorithm = &limit::in_flight;
    rule.burst = 2;
    rule.rate = {2, limit::kFlightLease};
    limit::name_rule(rule, false, limit::PeriodInKey::no);
  }
  limit::Check permit(std::string_view token, std::int64_t cost = 1, limit::How how = limit::How::take) {
    auto check = check_of(rule, "caller", cost);
    check.token = token;
    check.how = how;
    return check;
  }
  static Task<void> decide_one(SharedLimiter& limiter, limit::Check check, Answer& answer) {
    auto task = limiter.decide({&check, 1}, {&answer.decision, 1});
    answer.result = co_await task;
    answer.done = true;
  }
  Answer ask(SharedLimiter& limiter, std::string_view token, std::int64_t cost = 1, limit::How how = limit::How::take) {
    Answer answer;
    spawn(decide_one(limiter, permit(token, cost, how), answer), "test");
    EXPECT_TRUE(run_until([&] { return answer.done; }));
    return answer;
  }
  void settle(SharedLimiter& limiter, std::string_view token, std::int64_t cost, limit::How how = limit::How::take) {
    const auto before = limiter.local().settled;
    const auto check = permit(token, cost, how);
    EXPECT_TRUE(limiter.settle({&check, 1}));
    EXPECT_TRUE(run_until([&] { return limiter.local().settled > before; }));
  }
};

TEST_F(LimiterInFlight, BelongToTheirTokens) {
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(run_until_up(limiter));
  EXPECT_EQ(ask(limiter, "one").decision.remaining, 1U);
  EXPECT_EQ(ask(limiter, "two").decision.remaining, 0U);
  EXPECT_FALSE(ask(limiter, "three").allowed());
  EXPECT_TRUE(ask(limiter, "two").allowed()) << "the same call once more";
  settle(limiter, "one", -1);
  settle(limiter, "one", -1);
  EXPECT_EQ(ask(limiter, "three").decision.remaining, 0U) << "given back twice is given back once";
  EXPECT_FALSE(ask(limiter, "one").allowed());
  limiter.stop();
  run_for(50ms);
}

TEST_F(LimiterInFlight, AreAskedForEachTimeAsOneMayComeBackAtAnyMoment) {
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(run_until_up(limiter));
  EXPECT_TRUE(ask(limiter, "one").allowed());
  EXPECT_TRUE(ask(limiter, "two").allowed());
  EXPECT_FALSE(ask(limiter, "three").allowed());
  settle(limiter, "two", -1);
  EXPECT_TRUE(ask(limiter, "three").allowed());
  limiter.stop();
  run_for(50ms);
}

TEST_F(LimiterInFlight, AreHeldByARenewalEvenIfRedisForgotThem) {
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(run_until_up(limiter));
  EXPECT_TRUE(ask(limiter, "one").allowed());
  command({"FLUSHALL"});
  settle(limiter, "one", 1, limit::How::debt);
  EXPECT_EQ(ask(limiter, "two").decision.remaining, 0U);
  EXPECT_FALSE(ask(limiter, "three").allowed());
  limiter.stop();
  run_for(50ms);
}

TEST_F(LimiterInFlight, ExpireWithoutARenewal) {
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(run_until_up(limiter));
  EXPECT_TRUE(ask(limiter, "one").allowed());
  EXPECT_TRUE(ask(limiter, "two").allowed());
  // As if ten seconds had passed for one of them.
  const auto key = command({"EVAL", "return redis.call('KEYS', '*:flights:in_flight')[1]", "0"});
  command({"ZADD", key, "1", "one"});
  EXPECT_EQ(ask(limiter, "three").decision.remaining, 0U);
  EXPECT_EQ(command({"ZCARD", key}), ":2") << "the expired one is gone";
  EXPECT_LE(std::stoll(command({"PTTL", key}).substr(1)), 10'002);
  limiter.stop();
  run_for(50ms);
}

TEST_F(LimiterInFlight, ReplaceAKeyOfAnotherType) {
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(run_until_up(limiter));
  EXPECT_TRUE(ask(limiter, "one").allowed());
  const auto key = command({"EVAL", "return redis.call('KEYS', '*:flights:in_flight')[1]", "0"});
  command({"DEL", key});
  command({"SET", key, "of a limit that was a rate"});
  EXPECT_EQ(ask(limiter, "two").decision.remaining, 1U);
  limiter.stop();
  run_for(50ms);
}

}  // namespace
}  // namespace headgate::redis
