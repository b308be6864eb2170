// The capacity of an upstream on the path: who gets a place, when it is asked for, and when it is free again.

#include "unit/gateway/path/path.hpp"

#include "headgate/identity/network.hpp"

namespace headgate::gateway::test {
namespace {

using shed::Priority;
using testing::ElementsAre;

constexpr std::uint32_t kHalfOfAll = shed::ConcurrencyOptions::kWhole / 2;

class PathFleet : public Path {
 protected:
  void use(const shed::ConcurrencyOptions& concurrency, limit::Store store = limit::Store::memory) {
    bound(concurrency, store);
    app->counted.emplace(concurrency);
  }

  /// How many requests the upstream has, as the memory store counts them.
  std::uint64_t used() {
    const auto& rule = capacity_->sizes().front().front().all;
    const limit::Check look{.rule = &rule, .key = "app", .hash = keyed_hash("app", rule.seed), .cost = 0};
    limit::Decision decision;
    memory.store().decide({&look, 1}, clock.wall(), {&decision, 1});
    return rule.burst - decision.remaining;
  }
  std::string shown() const { return metric("headgate_limit_in_flight{limit=\"upstream:app\",worker=\"0\"}"); }
  std::string decisions(const std::string& decision, const std::string& source) const {
    return metric("headgate_limit_decisions_total{limit=\"upstream:app\",tier=\"normal\",decision=\"" + decision +
                  "\",source=\"" + source + "\"}");
  }
  /// Another request of normal priority has the only place.
  limit::Check take_the_place() {
    find_capacity();
    const auto& rule = capacity_->sizes()[1].front().all;
    limit::Check other{.rule = &rule, .key = "app", .hash = keyed_hash("app", rule.seed), .cost = 1};
    limit::Decision decision;
    memory.store().decide({&other, 1}, clock.wall(), {&decision, 1});
    EXPECT_TRUE(decision.allowed);
    return other;
  }
  void find_capacity() { capacity_ = x.snapshot->compiled->capacities().front().get(); }
  const Capacity* capacity_ = nullptr;
};

TEST_F(PathFleet, IsCountedUntilTheEndOfTheAnswer) {
  use({.in_flight = 4, .reserved = kHalfOfAll});
  server.head_after = seconds(3);
  server.body = {{"o", Duration(0), {}}, {"k", seconds(3), {}}};
  check("GET /a");
  find_capacity();
  EXPECT_EQ(used(), 1U);
  clock.advance(seconds(3));
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(client.fields.count("RateLimit"), 0U) << "callers have no share of it";
  EXPECT_EQ(used(), 1U);
  clock.advance(seconds(3));
  ASSERT_TRUE(done);
  EXPECT_EQ(used(), 0U);
}

TEST_F(PathFleet, LeavesTheReserveToCriticalRequests) {
  use({.in_flight = 4, .reserved = kHalfOfAll}, limit::Store::redis);
  redis->rejects = "upstream:app";
  in_memory("flood", "10/hour");
  check("GET /a");
  EXPECT_EQ(client.status, 503U);
  EXPECT_EQ(client.fields["Retry-After"], "1");
  EXPECT_EQ(client.fields.count("RateLimit"), 0U);
  EXPECT_EQ(x.ended_by, EndedBy::shed);
  EXPECT_EQ(x.reason, "fleet");
  EXPECT_EQ(left("flood"), 10U);
  EXPECT_EQ(x.capacity.check.rule->burst, 2U) << "a normal request may use half";
}

TEST_F(PathFleet, GivesACriticalRequestAllPlaces) {
  route.priority = Priority::critical;
  use({.in_flight = 4, .reserved = kHalfOfAll}, limit::Store::redis);
  check("GET /a");
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(x.capacity.check.rule->burst, 4U);
  EXPECT_THAT(redis->settled, ElementsAre("upstream:app -1"));
}

TEST_F(PathFleet, GivesALowRequestEveryPlaceThatNobodyElseWants) {
  route.priority = Priority::low;
  use({.in_flight = 4});
  server.head_after = seconds(3);
  check("GET /a");
  EXPECT_EQ(x.capacity.check.rule->burst, 4U);
  clock.advance(seconds(3));
  ASSERT_TRUE(done);
}

TEST_F(PathFleet, HoldsPlacesFreeForAPriorityThatWasRefused) {
  options.shedding.priority_from = "x-priority";
  identity.trusted_proxies = {*identity::parse_network("192.0.2.0/24")};
  const std::string from = "X-Forwarded-For: 198.51.100.1\r\nX-Priority: ";
  use({.in_flight = 40}, limit::Store::redis);
  redis->rejects = "upstream:app";
  check("GET /a", from + "critical\r\n");
  EXPECT_EQ(client.status, 503U);
  EXPECT_EQ(x.reason, "fleet");
  for (int i = 0; i < 2; ++i) ask_again("GET /a", from + "critical\r\n");  // a fiftieth of all places each
  redis->rejects.clear();
  ask_again("GET /a", from + "normal\r\n");
  EXPECT_EQ(client.status, 200U);
  EXPECT_LT(x.capacity.check.rule->burst, 39U) << "two of 40 are held for critical ones";
  EXPECT_GT(x.capacity.check.rule->burst, 35U);
  ask_again("GET /a", from + "critical\r\n");
  EXPECT_EQ(x.capacity.check.rule->burst, 40U);
}

TEST_F(PathFleet, SaysThatRequestsAreRefused) {
  use({.in_flight = 4}, limit::Store::redis);
  redis->rejects = "upstream:app";
  check("GET /a");
  EXPECT_EQ(app->overloaded.in_words(clock.steady()),
            "1 normal refused since it began: all gateways together have as many requests there as they may");
  clock.advance(seconds(10));
  EXPECT_FALSE(app->overloaded.in_words(clock.steady()));
}

TEST_F(PathFleet, LetsARequestWaitForAPlace) {
  use({.in_flight = 1, .queue = shed::QueueOptions{.length = 1, .wait = seconds(2)}});
  check("GET /a");
  const auto other = take_the_place();
  ask_again("GET /a");
  EXPECT_FALSE(done);
  clock.advance(milliseconds(700));
  memory.store().give_back({&other, 1}, clock.wall());
  flights.freed(other.hash);
  clock.advance(Duration(0));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(x.flight.waited, Duration(milliseconds(700)));
  EXPECT_EQ(x.capacity.waited, Duration(milliseconds(700)));
  take_the_place();
  ask_again("GET /a");
  clock.advance(seconds(2));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 503U);
  EXPECT_EQ(x.reason, "fleet");
}

TEST_F(PathFleet, WaitsNoLongerThanTheTimeoutOfTheRoute) {
  route.timeout = milliseconds(100);
  use({.in_flight = 1, .queue = shed::QueueOptions{.length = 1, .wait = seconds(2)}});
  check("GET /a");
  take_the_place();
  ask_again("GET /a");
  clock.advance(milliseconds(99));
  EXPECT_FALSE(done);
  clock.advance(milliseconds(1));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 503U);
  EXPECT_EQ(x.reason, "fleet");
}

TEST_F(PathFleet, TellsTheWaitForItsPlaceApartFromThatForAPermit) {
  auto& rule = in_flight("flights", 1, limit::Store::memory).tiers.front().rules.front();
  rule.wait = seconds(2);
  rule.queue = 10;
  use({.in_flight = 1, .queue = shed::QueueOptions{.length = 1, .wait = seconds(2)}});
  check("GET /a");
  ASSERT_TRUE(done);
  find_capacity();
  const auto& places = capacity_->sizes()[1].front().all;
  const auto permit = headgate::test::make_check(limits.front().tiers.front().rules.front(), "192.0.2.7", 1);
  const limit::Check place{.rule = &places, .key = "app", .hash = keyed_hash("app", places.seed), .cost = 1};
  limit::Decision decision;
  for (const auto* const others : {&permit, &place}) {
    memory.store().decide({others, 1}, clock.wall(), {&decision, 1});
    ASSERT_TRUE(decision.allowed);
  }
  ask_again("GET /a");
  clock.advance(milliseconds(300));
  memory.store().give_back({&permit, 1}, clock.wall());
  flights.freed(permit.hash);
  clock.advance(milliseconds(700));
  EXPECT_FALSE(done);
  memory.store().give_back({&place, 1}, clock.wall());
  flights.freed(place.hash);
  clock.advance(Duration(0));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(x.flight.waited, Duration(seconds(1)));
  EXPECT_EQ(metric("headgate_limit_wait_seconds_sum{limit=\"flights\"}"), "0.3");
  EXPECT_EQ(metric("headgate_limit_wait_seconds_sum{limit=\"upstream:app\"}"), "0.7");
}

TEST_F(PathFleet, IsAskedWhenTheLimitsHaveLetTheRequestPass) {
  in_redis("plan", "10/hour");
  in_flight("flights", 3, limit::Store::redis);
  use({.in_flight = 4}, limit::Store::redis);
  check("GET /a");
  EXPECT_EQ(client.status, 200U);
  EXPECT_THAT(redis->asked, ElementsAre("192.0.2.7", "app"));
  EXPECT_EQ(redis->settled.back(), "flights -1, upstream:app -1") << "what is held comes back in one call";
  for (const auto& limit : x.snapshot->compiled->limits()) EXPECT_NE(limit->base, "upstream:app");
}

TEST_F(PathFleet, HoldsNoPlaceForARequestThatIsDelayed) {
  auto& rule = in_memory("plan", "6/minute").tiers[0].rules[0];
  rule = headgate::test::make_rule("6/minute", 0, "plan", "leaky_bucket", seconds(20));
  limit::name_rule(rule, false, limit::PeriodInKey::no);
  use({.in_flight = 4});
  server.head_after = seconds(1);
  check("GET /a");
  clock.advance(seconds(1));
  ASSERT_TRUE(done);
  find_capacity();
  ask_again("GET /a");
  EXPECT_GT(x.admission.delay, Duration(0));
  EXPECT_EQ(used(), 0U);
  clock.advance(x.admission.delay);
  EXPECT_EQ(used(), 1U);
  clock.advance(seconds(1));
  ASSERT_TRUE(done);
  EXPECT_EQ(used(), 0U);
}

TEST_F(PathFleet, GivesThePlaceBackIfALaterStepRefusesTheRequest) {
  use({.adaptive = shed::ConcurrencyRange{.least = 2, .most = 2},
       .in_flight = 4,
       .queue = shed::QueueOptions{.length = 1, .wait = seconds(1)}});
  for (int i = 0; i < 2; ++i) app->counted->enter(Priority::normal);
  check("GET /a");
  find_capacity();
  EXPECT_EQ(used(), 1U) << "it waits for a place of its worker";
  EXPECT_EQ(shown(), "1");
  clock.advance(seconds(1));
  ASSERT_TRUE(done);
  EXPECT_EQ(x.reason, "queue");
  EXPECT_EQ(used(), 0U);
  EXPECT_EQ(shown(), "0");
}

TEST_F(PathFleet, IsCountedHereWhileRedisIsDown) {
  use({.in_flight = 4}, limit::Store::redis);
  redis->away = error::timed_out;
  server.head_after = seconds(1);
  check("GET /a");
  find_capacity();
  EXPECT_EQ(used(), 1U);
  EXPECT_EQ(shown(), "1");
  clock.advance(seconds(1));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(used(), 0U);
  EXPECT_EQ(decisions("allowed", "fallback"), "1");
}

TEST_F(PathFleet, CountsWhomItRefusesAndLeavesNothingToTheNextRequest) {
  use({.in_flight = 4}, limit::Store::redis);
  redis->rejects = "upstream:app";
  check("GET /a");
  EXPECT_EQ(client.status, 503U);
  EXPECT_EQ(decisions("rejected", "redis"), "1");
  EXPECT_EQ(shown(), "0");
  EXPECT_EQ(redis->settled.size(), 0U) << "it holds nothing";
  redis->rejects.clear();
  ask_again("GET /a");
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(decisions("allowed", "redis"), "1");
  EXPECT_EQ(decisions("rejected", "redis"), "1");
  x.reset();
  EXPECT_EQ(x.capacity.state, CapacityPart::State::none);
  EXPECT_EQ(x.capacity.took, Duration(0));
}

TEST_F(PathFleet, LeavesLimitsUncountedThatWereNotChargedBecauseItRefused) {
  in_memory("flood", "10/hour");
  use({.in_flight = 4}, limit::Store::redis);
  redis->rejects = "upstream:app";
  const auto allowed = [this] {
    return metric("headgate_limit_decisions_total{limit=\"flood\",tier=\"\",decision=\"allowed\",source=\"memory\"}");
  };
  check("GET /a");
  EXPECT_EQ(client.status, 503U);
  EXPECT_EQ(allowed(), "0");
  redis->rejects.clear();
  ask_again("GET /a");
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(allowed(), "1");
}

TEST_F(PathFleet, TellsRedisWhoHasWaitedAndForHowLong) {
  use({.in_flight = 1, .queue = shed::QueueOptions{.length = 1, .wait = seconds(2)}}, limit::Store::redis);
  redis->rejects = "upstream:app";
  check("GET /a");
  EXPECT_FALSE(done);
  clock.advance(milliseconds(25));
  redis->rejects.clear();
  clock.advance(seconds(1));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 200U);
  ASSERT_GE(redis->waited.size(), 3U);
  EXPECT_EQ(redis->waited.front(), 0U) << "it stood in no queue yet";
  EXPECT_GT(redis->waited.back(), 1'000'000'000U) << "a normal request came much earlier than a low one";
  EXPECT_GT(x.flight.waited, Duration(0));
}

TEST_F(PathFleet, AnswersALimitOfTheCallerFirst) {
  in_redis("plan", "10/hour");
  redis->rejects = "plan";
  use({.in_flight = 4, .reserved = kHalfOfAll}, limit::Store::redis);
  check("GET /a");
  EXPECT_EQ(client.status, 429U);
}

}  // namespace
}  // namespace headgate::gateway::test
