// Costs that only the answer says: held before the request, settled after it.

#include "unit/gateway/path/path.hpp"

#include "headgate/limit/algorithm.hpp"

namespace headgate::gateway::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class PathSettle : public Path {
 protected:
  void hold_in_memory() {
    in_memory("plan", "100/hour");
    settles(5);
  }
  void hold_in_redis() {
    in_redis("plan", "100/hour");
    settles(5);
  }
  void answer_costs(std::string_view cost) { server.fields = {{http::Known::unknown, "Cost", cost}}; }
};

TEST_F(PathSettle, GivesBackWhatWasNotUsed) {
  hold_in_memory();
  answer_costs("2");
  check("GET /a");
  ASSERT_TRUE(done);
  EXPECT_EQ(left("plan"), 98U);
  EXPECT_THAT(client.fields["RateLimit"], HasSubstr("r=98")) << "foretold with the answer";
}

TEST_F(PathSettle, ChargesWhatWasUsedBeyondTheHold) {
  hold_in_memory();
  answer_costs("40");
  check("GET /a");
  EXPECT_EQ(left("plan"), 60U);
}

TEST_F(PathSettle, TellsTheResetOfWhatWasUsedAndNotOfTheHold) {
  hold_in_memory();
  answer_costs("2");
  check("GET /a");
  EXPECT_EQ(client.fields["RateLimit"], "\"plan\";r=98;t=72") << "two of a hundred an hour";
  const auto seconds_at = [this](int more) {
    return std::to_string(std::chrono::ceil<seconds>((clock.wall() + seconds(more)).time_since_epoch()).count());
  };
  EXPECT_EQ(client.fields["X-RateLimit-Reset"], seconds_at(72));
  answer_costs("40");
  ask_again("GET /a");
  EXPECT_EQ(client.fields["RateLimit"], "\"plan\";r=58;t=1512") << "42 of a hundred an hour";
  EXPECT_EQ(client.fields["X-RateLimit-Reset"], seconds_at(1512));
  server.status = 500;
  server.fields.clear();
  ask_again("GET /a");
  EXPECT_EQ(client.fields["RateLimit"], "\"plan\";r=58;t=1512") << "nothing was used";
}

TEST_F(PathSettle, TellsNoResetOfAWindowInWhichNothingIsUsed) {
  limit_by("client_ip", "plan", "100/hour").tiers[0].rules[0].algorithm = limit::find_algorithm("fixed_window");
  settles(5);
  answer_costs("0");
  check("GET /a");
  EXPECT_EQ(client.fields["RateLimit"], "\"plan\";r=100;t=1");
  answer_costs("3");
  ask_again("GET /a");
  const auto left = std::chrono::hours(1) - clock.wall().time_since_epoch() % std::chrono::hours(1);
  const auto told = std::to_string(std::chrono::ceil<seconds>(left).count());
  EXPECT_EQ(client.fields["RateLimit"], "\"plan\";r=97;t=" + told) << "to the end of the window";
}

TEST_F(PathSettle, ChargesAFailedAnswerThatSaysItsCost) {
  hold_in_memory();
  server.status = 500;
  answer_costs("30");
  check("GET /a");
  EXPECT_EQ(left("plan"), 70U) << "the server says what the work has cost";
}

TEST_F(PathSettle, KeepsTheHoldIfTheAnswerHasNoCost) {
  hold_in_memory();
  check("GET /a");
  EXPECT_EQ(left("plan"), 95U);
}

TEST_F(PathSettle, KeepsTheHoldIfTheCostIsNoNumber) {
  hold_in_memory();
  answer_costs("many");
  check("GET /a");
  EXPECT_EQ(left("plan"), 95U);
  EXPECT_EQ(x.reason, "the answer's cost in cost is no number: many");
}

TEST_F(PathSettle, GivesAllBackIfTheServerFailed) {
  hold_in_memory();
  server.status = 500;
  check("GET /a");
  EXPECT_EQ(left("plan"), 100U);
}

TEST_F(PathSettle, GivesAllBackIfTheServerFailedAndItsClientIsGoneBeforeItIsTold) {
  hold_in_memory();
  route.timeout = seconds(5);
  server.head_after = seconds(20);
  client.takes = 0;
  check("GET /a");
  clock.advance(seconds(5));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 504U);
  EXPECT_EQ(x.ended_by, EndedBy::client_closed);
  EXPECT_EQ(left("plan"), 100U) << "it was the server that failed";
}

TEST_F(PathSettle, GivesAllBackIfNoServerWasReached) {
  hold_in_memory();
  server.unreachable = Failure{};
  check("GET /a");
  EXPECT_EQ(left("plan"), 100U);
}

TEST_F(PathSettle, KeepsTheHoldOfAClientThatLeavesWhileTheServerWorks) {
  hold_in_memory();
  server.head_after = seconds(1);
  check("GET /a");
  leave();
  ASSERT_TRUE(done);
  EXPECT_EQ(left("plan"), 95U) << "else who hangs up works for free";
}

TEST_F(PathSettle, GivesNothingBackOfAnExpiredHold) {
  hold_in_memory();
  answer_costs("2");
  server.head_after = seconds(20);
  limits[0].tiers[0].rules[0] = headgate::test::make_rule("10/second", 10, "plan");
  limit::name_rule(limits[0].tiers[0].rules[0], false, limit::PeriodInKey::no);
  check("GET /a");
  clock.advance(seconds(20));
  ASSERT_TRUE(done);
  EXPECT_THAT(trace.lines, Not(Contains("memory plan -3"))) << "what is in it now is others'";
}

TEST_F(PathSettle, SettlesInRedisAfterTheAnswer) {
  hold_in_redis();
  answer_costs("2");
  check("GET /a");
  ASSERT_TRUE(done);
  EXPECT_THAT(trace.lines,
              ElementsAre("redis plan 5", "connect", "send GET /a", "head", "answer 200", "settle plan -3"));
}

TEST_F(PathSettle, OwesRedisWhatWasUsedDuringAnOutage) {
  hold_in_redis();
  answer_costs("9");
  redis->away = error::timed_out;
  check("GET /a");
  EXPECT_EQ(left("plan"), 91U) << "charged here";
  redis->away.reset();
  clock.advance(milliseconds(50));
  EXPECT_TRUE(trace.has("charge plan 9")) << "and there: what was held, and what came on top";
}

TEST_F(PathSettle, DoesNotSettleARejectedRequest) {
  hold_in_memory();
  in_redis("far", "10/hour");
  redis->rejects = "far";
  check("GET /a");
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(left("plan"), 100U) << "given back once, not twice";
}

}  // namespace
}  // namespace headgate::gateway::test
