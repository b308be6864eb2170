// The answers to requests that a budget rejects: they never fit, calls under way hold the budget, or the budget is
// spent.

#include "unit/gateway/path/path.hpp"

#include "headgate/limit/balance.hpp"

namespace headgate::gateway::test {
namespace {

using std::chrono::minutes;
using testing::HasSubstr;

/// A budget of 1000 in each hour, with a cost that the answer says.
class PathRefusals : public Path {
 protected:
  void budget_of_calls(std::int64_t held, limit::Store store = limit::Store::memory) {
    limit_by("client_ip", "plan", "1000/hour", store).tiers[0].rules[0].algorithm =
        limit::find_algorithm("fixed_window");
    settles(held);
  }
  const limit::Rule& rule() const { return limits.front().tiers.front().rules.front(); }
  limit::Check check_of(std::int64_t permits) const { return headgate::test::make_check(rule(), "192.0.2.7", permits); }
  limit::Decision take(std::int64_t permits, limit::How how = limit::How::take) {
    auto taken = check_of(permits);
    taken.how = how;
    limit::Decision decision;
    memory.store().decide({&taken, 1}, clock.wall(), {&decision, 1});
    return decision;
  }
  /// Another call of the same caller holds so many permits.
  void under_way(std::int64_t permits) {
    const auto until = clock.steady() + take(permits).reset_after;
    others_.emplace_back(holds, check_of(permits), until);
  }
  void all_end() { others_.clear(); }
  std::int64_t held() const { return holds.held(check_of(0).hash, clock.steady()); }
  std::string gauge() const { return metric(R"(headgate_limit_held_units{limit="plan",worker="0"})"); }
  std::string seconds_of_window() const {
    const auto left = std::chrono::hours(1) - clock.wall().time_since_epoch() % std::chrono::hours(1);
    return std::to_string(std::chrono::ceil<seconds>(left).count());
  }

 private:
  std::vector<limit::HeldPermits> others_;
};

TEST_F(PathRefusals, SayThatCallsUnderWayHoldTheBudget) {
  budget_of_calls(400);
  under_way(700);
  check("GET /a");
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(client.fields["Retry-After"], "1");
  EXPECT_EQ(client.fields["RateLimit"], R"("plan";r=0;t=1)");
  EXPECT_EQ(client.fields.count("X-Should-Retry"), 0U);
  EXPECT_THAT(client.body, HasSubstr("This request may use 400 of the limit of 1000/hour. 300 are left, because calls "
                                     "under way hold 700. Try again in 1 second."));
  EXPECT_THAT(client.body, HasSubstr(R"("violated-policies": ["plan"], "retry_after": 1)"));
  EXPECT_EQ(x.retry_after, seconds(1)) << "in the access log";
}

TEST_F(PathRefusals, WaitAsLongAsCallsUsuallyLast) {
  budget_of_calls(400);
  under_way(1000);
  holds.lasted(rule().seed, minutes(5));
  check("GET /a");
  EXPECT_EQ(client.fields["Retry-After"], "30") << "at most";
  for (int i = 0; i < 100; ++i) holds.lasted(rule().seed, seconds(12));
  ask_again("GET /a");
  EXPECT_EQ(client.fields["Retry-After"], "13") << "the mean is a little above 12 seconds";
}

TEST_F(PathRefusals, WaitForTheWindowIfItEndsBeforeTheCallsDo) {
  budget_of_calls(400);
  clock.advance(std::chrono::hours(1) - clock.wall().time_since_epoch() % std::chrono::hours(1) - seconds(3));
  under_way(1000);
  holds.lasted(rule().seed, minutes(5));
  check("GET /a");
  EXPECT_EQ(client.fields["Retry-After"], "3");
}

TEST_F(PathRefusals, WaitForTheWindowIfTheBudgetIsSpent) {
  budget_of_calls(400);
  take(700);
  check("GET /a");
  EXPECT_EQ(client.fields["Retry-After"], seconds_of_window());
  EXPECT_EQ(client.fields["X-Should-Retry"], "false");
  EXPECT_THAT(client.body,
              HasSubstr("This request may use 400 of the limit of 1000/hour, and 300 are left. Try again"));
  under_way(50);
  ask_again("GET /a");
  EXPECT_EQ(client.fields["Retry-After"], seconds_of_window()) << "it would not fit without that call either";
  take(250);
  all_end();
  ask_again("GET /a");
  EXPECT_THAT(client.body, HasSubstr("The limit of 1000/hour is used up. Try again in "));
}

TEST_F(PathRefusals, ForgetTheHoldsOfAnEarlierWindow) {
  budget_of_calls(400);
  under_way(700);
  clock.advance(std::chrono::hours(1));
  take(700);
  check("GET /a");
  EXPECT_EQ(client.fields["Retry-After"], seconds_of_window()) << "the end of that call gives nothing back";
  EXPECT_THAT(client.body, HasSubstr("and 300 are left. Try again"));
}

TEST_F(PathRefusals, WaitForTheDebtEvenIfACallIsUnderWay) {
  budget_of_calls(400);
  route.limits.back().cost.debt = true;
  under_way(500);
  take(2000, limit::How::debt);
  check("GET /a");
  EXPECT_GT(x.retry_after, minutes(60));
}

TEST_F(PathRefusals, SayThatACallNeverFits) {
  budget_of_calls(1001);
  under_way(900);
  check("GET /a");
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(client.fields.count("Retry-After"), 0U);
  EXPECT_EQ(client.fields["X-Should-Retry"], "false");
  EXPECT_THAT(client.body, HasSubstr("costs more than its limit ever allows at once"));
}

TEST_F(PathRefusals, HaveAStatusOfTheirOwnIfTheBudgetIsSpent) {
  budget_of_calls(400);
  limits.back().spent_status = 402;
  under_way(700);
  check("GET /a");
  EXPECT_EQ(client.status, 429U) << "waiting helps";
  all_end();
  ask_again("GET /a");
  EXPECT_EQ(client.status, 402U);
  EXPECT_EQ(client.fields["Retry-After"], seconds_of_window());
  EXPECT_EQ(client.fields["X-Should-Retry"], "false");
  EXPECT_THAT(client.body, HasSubstr(R"("title": "Payment Required", "status": 402, "code": "limit")"));
  EXPECT_THAT(client.body, HasSubstr("and 300 are left. Try again in "));
  take(300);
  ask_again("GET /a");
  EXPECT_EQ(client.status, 402U);
  EXPECT_THAT(client.body, HasSubstr("The limit of 1000/hour is used up. Try again in "));
}

TEST_F(PathRefusals, OfABalanceWaitOnlyForCallsUnderWay) {
  budget_of_calls(400);
  auto& rule = limits.back().tiers[0].rules[0];
  rule.algorithm = &limit::balance;
  limit::make_balance(rule, 1000);
  limits.back().spent_status = 402;
  under_way(700);
  check("GET /a");
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(client.fields["Retry-After"], "1");
  EXPECT_THAT(client.body, HasSubstr("This request may use 400 of the balance of requests. 300 are left, because calls "
                                     "under way hold 700. Try again in 1 second."));
  all_end();
  ask_again("GET /a");
  EXPECT_EQ(client.status, 402U);
  EXPECT_EQ(client.fields.count("Retry-After"), 0U) << "nobody knows when an operator adds to it";
  EXPECT_THAT(client.body, HasSubstr("The balance of requests is used up: this request needs 400, and 300 are left. "
                                     "Waiting does not help: the balance must be topped up."));
}

TEST_F(PathRefusals, AreShortInRedisAsWell) {
  budget_of_calls(400, limit::Store::redis);
  redis->rejects = "plan";
  redis->known_waits["plan"] = minutes(40);
  const limit::HeldPermits other(holds, check_of(700), clock.steady() + minutes(1));
  check("GET /a");
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(client.fields["Retry-After"], "1");
  EXPECT_THAT(client.body, HasSubstr("0 are left, because calls under way hold 700. Try again in 1 second."));
}

TEST_F(PathRefusals, CountACallAsLongAsItIsUnderWay) {
  budget_of_calls(400);
  server.head_after = seconds(20);
  server.fields = {{http::Known::unknown, "Cost", "10"}};
  check("GET /a");
  EXPECT_EQ(held(), 400);
  EXPECT_EQ(gauge(), "400");
  clock.advance(seconds(20));
  ASSERT_TRUE(done);
  EXPECT_EQ(held(), 0);
  EXPECT_EQ(gauge(), "0");
  EXPECT_EQ(holds.usual(rule().seed), seconds(20));
}

TEST_F(PathRefusals, CountNoCallThatItsClientLeft) {
  budget_of_calls(400);
  server.head_after = seconds(20);
  check("GET /a");
  EXPECT_EQ(held(), 400);
  leave();
  clock.advance(kNever);
  ASSERT_TRUE(done);
  EXPECT_EQ(held(), 0);
}

TEST_F(PathRefusals, CountNoCallThatDied) {
  budget_of_calls(400);
  trace.bug_in = "answer";
  check("GET /a");
  ASSERT_TRUE(done);
  EXPECT_EQ(held(), 0);
  EXPECT_EQ(gauge(), "0");
}

TEST_F(PathRefusals, CountNoCallThatAnotherLimitRejects) {
  budget_of_calls(400);
  in_redis("all", "5/hour");
  redis->rejects = "all";
  check("GET /a");
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(held(), 0);
  EXPECT_EQ(gauge(), "0");
  EXPECT_EQ(holds.usual(rule().seed), Duration(0)) << "it was no call";
}

TEST_F(PathRefusals, CostNothingForLimitsWithoutASettledCost) {
  in_memory("plan", "1000/hour");
  server.head_after = seconds(20);
  check("GET /a");
  EXPECT_EQ(held(), 0);
  EXPECT_EQ(gauge(), "");
}

TEST_F(PathRefusals, ShowWhoSaidTheCosts) {
  budget_of_calls(100);
  const auto units = [this](const std::string& said) {
    return metric(R"(headgate_limit_settled_units_total{limit="plan",said=")" + said + "\"}");
  };
  server.fields = {{http::Known::unknown, "Cost", "130"}};
  check("GET /a");
  server.fields = {{http::Known::unknown, "Cost", "many"}};
  ask_again("GET /a");
  server.fields.clear();
  ask_again("GET /a");
  EXPECT_EQ(units("reported"), "130");
  EXPECT_EQ(units("held"), "200");
  EXPECT_EQ(units("counted"), "0");
  EXPECT_EQ(metric(R"(headgate_limit_overdrawn_units_total{limit="plan"})"), "30");
}

}  // namespace
}  // namespace headgate::gateway::test
