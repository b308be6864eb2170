// If a later limit rejects, what an earlier one took is given back: all are charged or none. A failed authentication
// stays counted.

#include "unit/gateway/path/path.hpp"

namespace headgate::gateway::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kAlice = "Authorization: Bearer alice\r\n";

/// A limit of each stage, ten of each.
class GivenBack : public Path {
 protected:
  GivenBack() {
    in_memory("flood", "10/hour");
    with_proof("proof", "10/hour");
    in_redis("plan", "10/hour");
  }
};

TEST_F(GivenBack, IsNothingIfAllLimitsAllow) {
  check("GET /a", kAlice);
  ASSERT_TRUE(done);
  EXPECT_EQ(left("flood"), 9U);
  EXPECT_EQ(left("proof"), 9U);
}

TEST_F(GivenBack, IsNothingIfAServerFails) {
  server.unreachable = Failure{};
  check("GET /a", kAlice);
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 502U);
  EXPECT_EQ(left("flood"), 9U);
  EXPECT_EQ(left("proof"), 9U);
}

TEST_F(GivenBack, IsAllThatMemoryTookIfRedisRejects) {
  redis->rejects = "plan";
  check("GET /a", kAlice);
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(client.fields["Retry-After"], "7");
  EXPECT_THAT(trace.lines, Contains("give-back flood 1, proof 1"));
  EXPECT_EQ(left("flood"), 10U);
  EXPECT_EQ(left("proof"), 10U);
  EXPECT_TRUE(counted(429));
}

TEST_F(GivenBack, IsNothingOfALimitThatCountsRejectedRequests) {
  limits[0].count_rejected = true;
  limits[0].tiers[0].rules[0].count_rejected = true;
  redis->rejects = "plan";
  check("GET /a", kAlice);
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(left("flood"), 9U);
  EXPECT_EQ(left("proof"), 10U);
}

TEST_F(GivenBack, IsNothingOfSuchALimitSoTheCallerIsToldItsWaitAsWell) {
  limits[0].count_rejected = true;
  auto& rule = limits[0].tiers[0].rules[0];
  rule.count_rejected = true;
  rule.burst = 1;  // a permit comes back every six minutes
  redis->rejects = "plan";
  check("GET /a", kAlice);
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(client.fields["Retry-After"], "360") << "longer than the 7 s of the limit that rejected";
}

TEST_F(GivenBack, IsWhatTheFirstStageTookIfTheNextRejects) {
  limits[1].tiers[0].rules[0].rate.count = 1;
  limits[1].tiers[0].rules[0].burst = 1;
  check("GET /a", kAlice);
  ask_again("GET /a", kAlice);
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(x.problem_limit, "proof");
  EXPECT_THAT(trace.lines, Not(Contains(HasSubstr("redis"))));
  EXPECT_EQ(left("flood"), 9U) << "the first request's";
}

TEST_F(GivenBack, IsNothingIfTheAuthenticationFails) {
  check("GET /a", "Authorization: Bearer bad\r\n");
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 401U);
  EXPECT_EQ(left("flood"), 9U) << "guessing is not free";
}

TEST_F(GivenBack, IsAllIfRedisIsDownAndALimitRejectsThen) {
  limits[2].if_redis_down = limit::IfRedisDown::reject;
  redis->away = error::timed_out;
  check("GET /a", kAlice);
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 503U);
  EXPECT_EQ(x.problem_limit, "plan");
  EXPECT_EQ(left("flood"), 10U);
  EXPECT_EQ(left("proof"), 10U);
}

TEST_F(GivenBack, IsAllIfTheLocalShareIsUsedUp) {
  limits[2].tiers[0].rules[0].burst = 1;
  redis->away = error::timed_out;
  check("GET /a", kAlice);
  EXPECT_EQ(client.status, 200U);
  EXPECT_TRUE(trace.has("memory plan 1")) << "in its place";
  ask_again("GET /a", kAlice);
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 429U);
  EXPECT_THAT(trace.lines, Contains("give-back flood 1, proof 1"));
  EXPECT_EQ(left("flood"), 9U);
  EXPECT_EQ(left("proof"), 9U);
}

TEST_F(GivenBack, IsAllIfTheKeyOfALaterLimitIsMissing) {
  auto& tenants = limit_by("header:x-tenant", "tenants", "10/hour", limit::Store::redis);
  tenants.if_absent.last = limit::IfAbsent::Last::reject;
  check("GET /a", kAlice);
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 400U);
  EXPECT_THAT(trace.lines, Not(Contains(HasSubstr("redis")))) << "it need not be asked";
  EXPECT_EQ(left("flood"), 10U);
  EXPECT_EQ(left("proof"), 10U);
}

TEST_F(GivenBack, AMissingKeyThatIsAnsweredWith401HasAChallenge) {
  auto& by_user = limit_by("auth.x-user", "users", "10/hour", limit::Store::redis);
  by_user.if_absent.last = limit::IfAbsent::Last::reject;
  by_user.if_absent.status = 401;
  check("GET /a", kAlice);
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 401U);
  EXPECT_EQ(client.fields["WWW-Authenticate"], "Bearer");
}

TEST_F(GivenBack, IsTheShareIfRedisRejects) {
  redis->others_owe_until = clock.steady() + seconds(1);
  redis->rejects = "plan";
  check("GET /a", kAlice);
  ASSERT_TRUE(done);
  EXPECT_THAT(trace.lines, ElementsAre("memory flood 1", "memory failed-authentication 1", "token alice",
                                       "give-back failed-authentication 1", "memory proof 1", "memory plan 1",
                                       "redis plan 1", "give-back plan 1", "give-back flood 1, proof 1", "answer 429"));
  EXPECT_EQ(left("plan"), 10U);
}

TEST_F(GivenBack, IsTheShareIfRedisDoesNotAnswer) {
  redis->others_owe_until = clock.steady() + seconds(1);
  redis->away = error::timed_out;
  check("GET /a", kAlice);
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(left("plan"), 9U) << "taken once, in the place of Redis";
}

TEST_F(GivenBack, IsNotTheShareIfRedisAllows) {
  redis->others_owe_until = clock.steady() + seconds(1);
  check("GET /a", kAlice);
  ASSERT_TRUE(done);
  for (const auto& checked : x.admission.limits) EXPECT_NE(checked.source, Source::fallback) << "nobody is told of it";
  EXPECT_EQ(left("plan"), 9U);
  clock.advance(seconds(1));
  ask_again("GET /a", kAlice);
  EXPECT_FALSE(trace.has("memory plan 1")) << "the others have found back";
}

TEST_F(GivenBack, IsAllIfTheShareRejects) {
  limits[2].tiers[0].rules[0].burst = 1;
  redis->others_owe_until = clock.steady() + seconds(1);
  check("GET /a", kAlice);
  ask_again("GET /a", kAlice);
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 429U);
  EXPECT_FALSE(trace.has("redis plan 1"));
  EXPECT_EQ(left("flood"), 9U);
}

TEST_F(GivenBack, IsWhatRedisTookForACallThatWaitedForTheEndOfAnOutage) {
  limits[2].tiers[0].rules[0].burst = 1;
  redis->away = error::timed_out;
  check("GET /a", kAlice);
  ASSERT_EQ(client.status, 200U) << "this gateway's share, all of it";
  redis->away.reset();
  redis->answers_after = milliseconds(20);
  ask_again("GET /a", kAlice);
  redis->others_owe_until = clock.steady() + seconds(1);
  clock.advance(milliseconds(20));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 429U) << "others may still owe what Redis has just granted";
  EXPECT_EQ(redis->settled, std::vector<std::string>{"plan -1"});
}

TEST_F(GivenBack, IsChargedToRedisOnceItIsBack) {
  redis->away = error::timed_out;
  check("GET /a", kAlice);
  redis->away.reset();
  trace.lines.clear();
  clock.advance(milliseconds(50));
  EXPECT_THAT(trace.lines, ElementsAre("memory plan 0", "charge plan 1"));
  clock.advance(seconds(10));
  EXPECT_EQ(trace.lines.size(), 2U) << "once";
  EXPECT_EQ(clock.armed(), 0U) << "and nothing is left to look for";
}

TEST_F(GivenBack, IsNothingInObserveMode) {
  limits[2].mode = limit::Mode::observe;
  redis->rejects = "plan";
  check("GET /a", kAlice);
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(left("flood"), 9U);
  ASSERT_NE(x.admission.observed(), nullptr);
}

}  // namespace
}  // namespace headgate::gateway::test
