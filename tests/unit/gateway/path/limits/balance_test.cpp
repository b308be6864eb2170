// Limits whose keys have a balance: what callers are told, and what comes back.

#include "headgate/limit/balance.hpp"

#include "unit/gateway/path/path.hpp"

#include <nlohmann/json.hpp>

namespace headgate::gateway::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// A balance in Redis that begins with 20 tokens.
class PathCredit : public Path {
 protected:
  PathCredit() {
    other_redis = stored;
    options.usage = "/.headgate/usage";
    auto& limit = limit_by("client_ip", "credit", "1/hour", limit::Store::redis);
    limit.unit = limit::Unit::token;
    limit.if_redis_down = limit::IfRedisDown::reject;
    auto& rule = limit.tiers.front().rules.front();
    rule.unit = limit::Unit::token;
    limit::make_balance(rule, 20);
    limit::name_rule(rule, false, limit::PeriodInKey::no);
  }
  std::int64_t change(std::int64_t cost, limit::How how = limit::How::take) {
    const auto look = headgate::test::make_check(limits.front().tiers.front().rules.front(), "192.0.2.7", cost, how);
    limit::Decision decision;
    stored->store().decide({&look, 1}, clock.wall(), {&decision, 1});
    return limit::balance_in(decision);
  }
  std::int64_t balance() { return change(0); }
  void costs(std::string_view cost) { server.fields = {{http::Known::unknown, "Cost", cost}}; }
  bool has(const std::string& field) { return client.fields.contains(field); }

  std::shared_ptr<StoredRedis> stored = std::make_shared<StoredRedis>(clock, trace);
};

TEST_F(PathCredit, TellsWhatIsLeftAndNeitherASizeNorAReset) {
  check("GET /a");
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(client.fields["RateLimit"], "\"credit\";r=19");
  EXPECT_EQ(client.fields["X-RateLimit-Remaining"], "19");
  for (const auto* const field : {"RateLimit-Policy", "X-RateLimit-Limit", "X-RateLimit-Reset", "Retry-After"})
    EXPECT_FALSE(has(field)) << field;
}

TEST_F(PathCredit, RejectsWhatItCannotPayWithoutATimeToComeBackAndForgetsIt) {
  route.limits.back().cost.default_value = 15;
  check("GET /a");
  ask_again("GET /a");
  EXPECT_EQ(client.status, 429U);
  EXPECT_THAT(client.body, HasSubstr("The balance of tokens is used up: this request needs 15, and 5 are left. Waiting "
                                     "does not help: the balance must be topped up."));
  EXPECT_EQ(explain("GET /a").remaining, 5U) << "as in the fields of the answer";
  EXPECT_FALSE(has("Retry-After"));
  EXPECT_EQ(client.fields["RateLimit"], "\"credit\";r=5");
  EXPECT_EQ(change(-10), 15);
  ask_again("GET /a");
  EXPECT_EQ(client.status, 200U) << "a top-up counts at once";
  EXPECT_EQ(balance(), 0);
}

TEST_F(PathCredit, TellsARateFirstAndTheBalanceOnceItRejects) {
  in_memory("plan", "100/hour");
  check("GET /a");
  EXPECT_THAT(client.fields["RateLimit"], HasSubstr("\"plan\";r=99"));
  EXPECT_EQ(client.fields["X-RateLimit-Limit"], "100");
  change(19);
  ask_again("GET /a");
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(client.fields["RateLimit"], "\"credit\";r=0");
  EXPECT_EQ(left("plan"), 99U) << "the rate gets its permit back";
}

TEST_F(PathCredit, GetsAHoldBackHoweverLongTheAnswerTakes) {
  settles(10);
  costs("3");
  server.head_after = seconds(3000);
  route.timeout = seconds(4000);
  check("GET /a");
  EXPECT_EQ(balance(), 10);
  clock.advance(seconds(3000));
  ASSERT_TRUE(done);
  EXPECT_EQ(balance(), 17);
  EXPECT_EQ(client.fields["RateLimit"], "\"credit\";r=17");
}

TEST_F(PathCredit, OwesWhatAnAnswerCostsBeyondIt) {
  settles(10);
  route.limits.back().cost.debt = true;
  costs("50");
  check("GET /a");
  EXPECT_EQ(balance(), -30);
  ask_again("GET /a");
  EXPECT_EQ(client.status, 429U);
  EXPECT_THAT(client.body, HasSubstr("this request needs 10, and 0 are left."));
}

TEST_F(PathCredit, OnlyObservesIfItIsToldTo) {
  limits.front().mode = limit::Mode::observe;
  route.limits.back().cost.default_value = 15;
  check("GET /a");
  ask_again("GET /a");
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(balance(), 5) << "what is not there is not taken";
}

TEST_F(PathCredit, RefusesWhileRedisIsAway) {
  stored->away = true;
  check("GET /a");
  EXPECT_EQ(client.status, 503U);
}

TEST_F(PathCredit, PassesUncountedWhileRedisIsAwayIfThatIsAllowed) {
  limits.front().if_redis_down = limit::IfRedisDown::allow;
  stored->away = true;
  check("GET /a");
  EXPECT_EQ(client.status, 200U);
  stored->away = false;
  clock.advance(seconds(60));
  EXPECT_EQ(balance(), 20);
}

TEST_F(PathCredit, IsExplainedByWhatIsLeft) {
  route.limits.back().cost.default_value = 30;
  const auto told = explain("GET /a");
  ASSERT_EQ(told.limits.size(), 1U);
  const auto& rule = told.limits[0].rules.at(0);
  EXPECT_TRUE(rule.balance);
  EXPECT_EQ(rule.rate, "balance of tokens");
  EXPECT_EQ(rule.remaining, 20U);
  EXPECT_FALSE(rule.allowed);
  EXPECT_EQ(rule.retry_after, limit::kNever);
}

TEST_F(PathCredit, TellsItsCallerWhatIsLeft) {
  check("GET /.headgate/usage");
  ASSERT_TRUE(done);
  const auto told = nlohmann::json::parse(client.body).at("limits").at(0);
  EXPECT_EQ(told.at("name"), "credit");
  EXPECT_EQ(told.at("rate"), "balance of tokens");
  EXPECT_EQ(told.at("unit"), "token");
  EXPECT_EQ(told.at("remaining"), 20);
  EXPECT_EQ(told.at("allowed"), true);
  for (const auto* const member : {"limit", "used", "reset", "retry_after"}) EXPECT_FALSE(told.contains(member));
}

}  // namespace
}  // namespace headgate::gateway::test
