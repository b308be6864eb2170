// Requests that wait for a permit in flight, with a real Redis: the first of each gateway has a place there.
#include "redis_fixture.hpp"

#include "headgate/limit/in_flight.hpp"

namespace headgate::redis {
namespace {

class LimiterFlightQueue : public RedisLimiter {
 protected:
  void SetUp() override {
    RedisLimiter::SetUp();
    if (IsSkipped()) return;
    start();
    rule = {};
    rule.limit = "flights";
    rule.algorithm = &limit::in_flight;
    rule.burst = 1;
    rule.rate = {1, limit::kFlightLease};
    rule.wait = 60s;
    rule.queue = 10;
    limit::name_rule(rule, false, limit::PeriodInKey::no);
  }
  limit::Check permit(std::string_view token, std::uint32_t waited, std::int64_t cost = 1) {
    auto check = check_of(rule, "caller", cost);
    check.token = token;
    check.waited = waited;
    return check;
  }
  static Task<void> decide_one(SharedLimiter& limiter, limit::Check check, Answer& answer) {
    auto task = limiter.decide({&check, 1}, {&answer.decision, 1});
    answer.result = co_await task;
    answer.done = true;
  }
  /// `waited`: 0 if it does not stand in the queue, else one more than the milliseconds since it came.
  bool passes(SharedLimiter& limiter, std::string_view token, std::uint32_t waited) {
    Answer answer;
    spawn(decide_one(limiter, permit(token, waited), answer), "test");
    EXPECT_TRUE(run_until([&] { return answer.done; }));
    return answer.allowed();
  }
  void give_back(SharedLimiter& limiter, std::string_view token) {
    const auto before = limiter.local().settled;
    const auto check = permit(token, 0, -1);
    EXPECT_TRUE(limiter.settle({&check, 1}));
    EXPECT_TRUE(run_until([&] { return limiter.local().settled > before; }));
  }
};

TEST_F(LimiterFlightQueue, GivesThePermitToTheOneThatCameFirst) {
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(run_until_up(limiter));
  EXPECT_TRUE(passes(limiter, "holder", 0));
  EXPECT_FALSE(passes(limiter, "second", 1));
  EXPECT_FALSE(passes(limiter, "first", 5001)) << "it came five seconds earlier, on another gateway";
  EXPECT_FALSE(passes(limiter, "nobody", 0));
  give_back(limiter, "holder");
  EXPECT_FALSE(passes(limiter, "nobody", 0)) << "the permit is for those who wait";
  EXPECT_FALSE(passes(limiter, "second", 31));
  EXPECT_TRUE(passes(limiter, "first", 5031));
  EXPECT_FALSE(passes(limiter, "second", 61));
  give_back(limiter, "first");
  EXPECT_TRUE(passes(limiter, "second", 91));
  give_back(limiter, "second");
  EXPECT_TRUE(passes(limiter, "nobody", 0)) << "nobody waits any more";
  limiter.stop();
  run_for(50ms);
}

TEST_F(LimiterFlightQueue, KeepsNoPlaceForOneThatLeaves) {
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(run_until_up(limiter));
  EXPECT_TRUE(passes(limiter, "holder", 0));
  EXPECT_FALSE(passes(limiter, "leaver", 1));
  give_back(limiter, "leaver");
  give_back(limiter, "holder");
  EXPECT_TRUE(passes(limiter, "next", 0));
  limiter.stop();
  run_for(50ms);
}

TEST_F(LimiterFlightQueue, KeepsThePlaceOfAKilledGatewayForASecond) {
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(run_until_up(limiter));
  EXPECT_TRUE(passes(limiter, "holder", 0));
  EXPECT_FALSE(passes(limiter, "killed", 1));
  const auto since = std::chrono::steady_clock::now();
  give_back(limiter, "holder");
  while (!passes(limiter, "next", 1)) {
    ASSERT_LT(std::chrono::steady_clock::now() - since, 5s);
    run_for(10ms);
  }
  EXPECT_GT(std::chrono::steady_clock::now() - since, 800ms);
  EXPECT_LT(std::chrono::steady_clock::now() - since, 2s);
  limiter.stop();
  run_for(50ms);
}

TEST_F(LimiterFlightQueue, KeepsItsOrderIfRedisForgetsIt) {
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(run_until_up(limiter));
  EXPECT_TRUE(passes(limiter, "holder", 0));
  EXPECT_FALSE(passes(limiter, "first", 101));
  EXPECT_FALSE(passes(limiter, "second", 1));
  command({"FLUSHALL"});
  EXPECT_TRUE(passes(limiter, "other", 0));
  EXPECT_FALSE(passes(limiter, "second", 31));
  EXPECT_FALSE(passes(limiter, "first", 131));
  give_back(limiter, "other");
  EXPECT_FALSE(passes(limiter, "second", 61));
  EXPECT_TRUE(passes(limiter, "first", 161));
  limiter.stop();
  run_for(50ms);
}

TEST_F(LimiterFlightQueue, ReplacesAKeyOfAnotherType) {
  SharedLimiter limiter(loop, options);
  ASSERT_TRUE(run_until_up(limiter));
  EXPECT_TRUE(passes(limiter, "one", 0));
  const auto key = command({"EVAL", "return redis.call('KEYS', '*:flights:in_flight')[1]", "0"});
  command({"DEL", key});
  command({"SET", key, "text"});
  EXPECT_TRUE(passes(limiter, "one", 1));
  EXPECT_FALSE(passes(limiter, "two", 1));
  limiter.stop();
  run_for(50ms);
}

}  // namespace
}  // namespace headgate::redis
