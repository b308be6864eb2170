// What a request costs in the end, and whom: for bills.

#include "unit/gateway/path/path.hpp"

#include "headgate/identity/network.hpp"

#include <map>

namespace headgate::gateway::test {
namespace {

using limit::Use;
using Bill = std::map<std::string, Use>;

class PathBill : public Path {
 protected:
  PathBill() {
    options.billing_days =
        std::make_shared<const limit::Calendar>(limit::Calendar::Unit::day, "UTC", std::vector<limit::ZoneOffset>());
  }
  static limit::Limit& billed(limit::Limit& limit) {
    limit.bill = true;
    return limit;
  }
  /// What is billed to each key since the last call; the day is that of the clock.
  Bill bill() {
    Bill out;
    const auto taken = sheet.take();
    for (const auto& [day, uses] : taken.days) {
      EXPECT_EQ(day, std::chrono::floor<std::chrono::days>(clock.wall()));
      for (const auto& [field, use] : uses) out[field] += use;
    }
    return out;
  }
  static Bill costs(std::uint64_t used, std::uint64_t requests = 1) { return {{"plan 192.0.2.7", {used, requests}}}; }
  void tier_without_rates(const std::string& name) {
    auto& limit = limits.back();
    limit.tiers.push_back({.name = name, .rules = {}});
    limit.default_tier = limit.tiers.size() - 1;
  }
};

TEST_F(PathBill, BillsEachRequestToItsKey) {
  billed(in_memory("plan", "2/hour"));
  check("GET /a");
  ask_again("GET /a");
  EXPECT_EQ(bill(), costs(2, 2));
  ask_again("GET /a");
  ASSERT_EQ(client.status, 429U);
  EXPECT_EQ(bill(), Bill()) << "it was rejected";
}

TEST_F(PathBill, BillsOnlyLimitsThatSaySo) {
  in_memory("plan", "10/hour");
  billed(in_memory("other", "10/hour"));
  check("GET /a");
  EXPECT_EQ(bill(), (Bill{{"other 192.0.2.7", {1, 1}}}));
}

TEST_F(PathBill, BillsTheCostOfTheRoute) {
  billed(in_redis("plan", "100/hour"));
  route.limits.back().cost.default_value = 7;
  check("GET /a");
  EXPECT_EQ(bill(), costs(7));
}

TEST_F(PathBill, BillsNothingOfWhatALaterLimitRejects) {
  billed(in_memory("plan", "10/hour"));
  in_redis("far", "10/hour");
  redis->rejects = "far";
  check("GET /a");
  ASSERT_EQ(client.status, 429U);
  EXPECT_EQ(bill(), Bill()) << "its permit was given back";
}

TEST_F(PathBill, BillsWhatTheAnswerCosts) {
  billed(in_memory("plan", "100/hour"));
  settles(5);
  server.fields = {{http::Known::unknown, "Cost", "40"}};
  check("GET /a");
  EXPECT_EQ(bill(), costs(40));
  server.fields = {{http::Known::unknown, "Cost", "2"}};
  ask_again("GET /a");
  EXPECT_EQ(bill(), costs(2));
  server.fields = {{http::Known::unknown, "Cost", "0"}};
  ask_again("GET /a");
  EXPECT_EQ(bill(), Bill()) << "what costs nothing is in no bill";
}

TEST_F(PathBill, BillsTheHoldIfTheAnswerDoesNotSay) {
  billed(in_redis("plan", "100/hour"));
  settles(5);
  check("GET /a");
  EXPECT_EQ(bill(), costs(5));
}

TEST_F(PathBill, BillsNoFailureOfTheServerWhereTheAnswerSaysTheCost) {
  billed(in_memory("plan", "100/hour"));
  settles(5);
  server.status = 500;
  check("GET /a");
  EXPECT_EQ(bill(), Bill());
  server.unreachable = Failure{};
  ask_again("GET /a");
  EXPECT_EQ(bill(), Bill());
}

TEST_F(PathBill, BillsWhoLeavesWhileTheServerWorks) {
  billed(in_memory("plan", "100/hour"));
  settles(5);
  server.head_after = seconds(1);
  check("GET /a");
  leave();
  ASSERT_TRUE(done);
  EXPECT_EQ(bill(), costs(5));
}

TEST_F(PathBill, BillsOnlyAnswersThatCount) {
  billed(in_memory("plan", "100/hour")).counted_statuses = {200};
  check("GET /a");
  EXPECT_EQ(bill(), costs(1));
  server.status = 404;
  ask_again("GET /a");
  EXPECT_EQ(bill(), Bill());
}

TEST_F(PathBill, BillsWhatPassesALimitThatObserves) {
  billed(in_memory("plan", "1/hour")).mode = limit::Mode::observe;
  check("GET /a");
  ask_again("GET /a");
  ASSERT_EQ(client.status, 200U);
  EXPECT_EQ(bill(), costs(2, 2));
}

TEST_F(PathBill, BillsWhatIsCountedHereWhileRedisIsDown) {
  billed(in_redis("plan", "100/hour"));
  redis->away = error::timed_out;
  check("GET /a");
  ASSERT_EQ(client.status, 200U);
  EXPECT_EQ(bill(), costs(1));
  redis->away.reset();
  clock.advance(milliseconds(50));
  EXPECT_EQ(bill(), Bill()) << "Redis is charged later, and the bill was made once";
}

TEST_F(PathBill, BillsWhatPassesUncountedWhileRedisIsDown) {
  billed(in_redis("plan", "100/hour")).if_redis_down = limit::IfRedisDown::allow;
  settles(5);
  server.fields = {{http::Known::unknown, "Cost", "9"}};
  redis->away = error::timed_out;
  check("GET /a");
  ASSERT_EQ(client.status, 200U);
  EXPECT_EQ(bill(), costs(9));
}

TEST_F(PathBill, BillsNobodyWhoIsRejectedWhileRedisIsDown) {
  billed(in_redis("plan", "100/hour")).if_redis_down = limit::IfRedisDown::allow;
  in_redis("strict", "100/hour").if_redis_down = limit::IfRedisDown::reject;
  redis->away = error::timed_out;
  check("GET /a");
  ASSERT_EQ(client.status, 503U);
  EXPECT_EQ(bill(), Bill());
}

TEST_F(PathBill, BillsCallersWithoutALimit) {
  billed(in_memory("plan", "100/hour"));
  tier_without_rates("unlimited");
  settles(5);
  server.fields = {{http::Known::unknown, "Cost", "11"}};
  check("GET /a");
  EXPECT_EQ(bill(), costs(11));
  server.fields.clear();
  ask_again("GET /a");
  EXPECT_EQ(bill(), costs(5)) << "the hold";
  server.status = 500;
  ask_again("GET /a");
  EXPECT_EQ(bill(), Bill()) << "the server failed";
}

TEST_F(PathBill, BillsNobodyWithoutALimitWhomAnotherOneRejects) {
  billed(in_memory("plan", "100/hour"));
  tier_without_rates("unlimited");
  in_memory("strict", "1/hour");
  check("GET /a");
  EXPECT_EQ(bill(), costs(1));
  ask_again("GET /a");
  ASSERT_EQ(client.status, 429U);
  EXPECT_EQ(bill(), Bill());
}

TEST_F(PathBill, BillsNobodyWhomTheLimitExempts) {
  billed(in_memory("plan", "100/hour"));
  auto& exempt = options.exemptions.emplace_back();
  exempt.limit = "plan";
  exempt.addresses.push_back(*identity::parse_network("192.0.2.0/24"));
  check("GET /a");
  EXPECT_EQ(bill(), Bill());
}

TEST_F(PathBill, BillsAScaledLimitUnderItsOwnName) {
  billed(in_memory("plan", "100/hour"));
  route.limits.back().scale_down = 10;
  check("GET /a");
  EXPECT_EQ(bill(), costs(1)) << "not plan@things";
}

TEST_F(PathBill, BillsTheKeyAndNotItsShard) {
  billed(in_redis("plan", "100/hour")).shards = 4;
  check("GET /a");
  ASSERT_EQ(client.status, 200U);
  EXPECT_EQ(bill(), costs(1));
}

TEST_F(PathBill, BillsTheDayOnWhichTheExchangeEnds) {
  billed(in_memory("plan", "100/hour"));
  server.head_after = seconds(20);
  const auto rest = std::chrono::ceil<std::chrono::days>(clock.wall()) - clock.wall();
  clock.advance(rest - seconds(10));
  check("GET /a");
  clock.advance(seconds(20));
  ASSERT_TRUE(done);
  EXPECT_EQ(bill(), costs(1));
}

TEST_F(PathBill, AsksForNothingWhatIsExplained) {
  billed(in_memory("plan", "100/hour"));
  tier_without_rates("unlimited");
  (void)explain("GET /a");
  EXPECT_EQ(bill(), Bill());
}

}  // namespace
}  // namespace headgate::gateway::test
