// Load shedding on the path: who is refused, what is given back, and when a place is free again.

#include "unit/gateway/path/path.hpp"

#include "headgate/identity/network.hpp"

namespace headgate::gateway::test {
namespace {

using shed::Priority;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr std::uint32_t kHalf = shed::ConcurrencyOptions::kWhole / 2;

class PathShed : public Path {
 protected:
  /// The upstream takes `most` requests at the same time, half of them only critical ones.
  void places(std::uint32_t most) {
    use({.adaptive = shed::ConcurrencyRange{.least = most, .most = most}, .reserved = kHalf});
  }
  void use(const shed::ConcurrencyOptions& concurrency, limit::Store store = limit::Store::memory) {
    bound(concurrency, store);
    app->counted.emplace(concurrency);
  }
  /// So many other requests of this priority are at the upstream.
  void others(Priority priority, unsigned count) {
    for (unsigned i = 0; i < count; ++i) app->counted->enter(priority);
  }
  std::uint32_t in_flight() { return app->counted->in_flight(); }
};

TEST_F(PathShed, RefusesBeforeAConnectionIsTaken) {
  places(4);
  others(Priority::normal, 2);
  check("GET /a");
  EXPECT_EQ(client.status, 503U);
  EXPECT_EQ(client.fields["Retry-After"], "1");
  EXPECT_EQ(client.fields["Content-Type"], "application/problem+json");
  EXPECT_THAT(client.body, HasSubstr("are at capacity. Try again in 1 second."));
  EXPECT_EQ(x.ended_by, EndedBy::shed);
  EXPECT_EQ(to_text(x.ended_by), "shed");
  EXPECT_EQ(x.reason, "concurrency");
  EXPECT_THAT(trace.lines, Not(Contains(HasSubstr("connect"))));
  EXPECT_TRUE(counted(503));
  EXPECT_EQ(in_flight(), 2U);
}

TEST_F(PathShed, LetsCriticalRequestsUseTheReserve) {
  route.priority = Priority::critical;
  places(4);
  others(Priority::normal, 2);
  check("GET /a");
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(in_flight(), 2U);
}

TEST_F(PathShed, RefusesLowRequestsFirstButForATrickle) {
  route.priority = Priority::low;
  use({.adaptive = shed::ConcurrencyRange{.least = 8, .most = 8}});
  others(Priority::low, 7);
  check("GET /a");
  EXPECT_EQ(client.status, 200U) << "nobody else wants the place";
  for (int i = 0; i < 4; ++i) app->counted->refused(Priority::normal, clock.steady());  // a quarter of a place each
  ask_again("GET /a");
  EXPECT_EQ(client.status, 503U) << "now it is held for normal requests";
  clock.advance(seconds(1));
  ask_again("GET /a");
  EXPECT_EQ(client.status, 200U) << "one of each second is as good as a normal one";
}

TEST_F(PathShed, HoldsItsPlaceUntilTheHeadOfTheAnswer) {
  places(4);
  server.head_after = seconds(3);
  server.body = {{"o", Duration(0), {}}, {"k", seconds(3), {}}};
  check("GET /a");
  EXPECT_EQ(in_flight(), 1U);
  clock.advance(seconds(3));
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(in_flight(), 0U) << "its body is not complete";
  clock.advance(seconds(3));
  ASSERT_TRUE(done);
}

TEST_F(PathShed, HoldsNoPlaceInATunnel) {
  places(4);
  server.status = 101;
  in_tunnel = {{"x", seconds(5), {}}, {"", Duration(0), error::eof}};
  check("GET /a", "Connection: Upgrade\r\nUpgrade: websocket\r\n");
  EXPECT_EQ(in_flight(), 0U);
  clock.advance(seconds(700));
  ASSERT_TRUE(done);
}

TEST_F(PathShed, FreesThePlaceOfAClientThatLeaves) {
  places(4);
  server.head_after = seconds(9);
  check("GET /a");
  EXPECT_EQ(in_flight(), 1U);
  leave();
  ASSERT_TRUE(done);
  EXPECT_EQ(in_flight(), 0U);
}

TEST_F(PathShed, FreesThePlaceIfTheServerFails) {
  places(4);
  server.unreachable = Failure{};
  check("GET /a");
  EXPECT_EQ(client.status, 502U);
  EXPECT_EQ(in_flight(), 0U);
  ask_again("GET /a");
  EXPECT_EQ(in_flight(), 0U);
}

TEST_F(PathShed, FreesThePlaceIfTheServerIsTooSlow) {
  places(4);
  server.head_after = seconds(100);
  check("GET /a");
  clock.advance(seconds(31));
  EXPECT_EQ(client.status, 504U);
  EXPECT_EQ(in_flight(), 0U);
}

TEST_F(PathShed, TakesNoLatencyFromAnAnswerThatIsAnError) {
  places(4);
  server.head_after = seconds(3);
  server.status = 503;
  check("GET /a");
  clock.advance(seconds(3));
  EXPECT_EQ(client.status, 503U);
  EXPECT_EQ(x.ended_by, EndedBy::upstream);
  EXPECT_EQ(in_flight(), 0U);
  EXPECT_EQ(app->counted->usual_latency(), Duration(0));
}

TEST_F(PathShed, AsksNoLimitInRedisAndGivesBackWhatMemoryTook) {
  in_memory("flood", "10/hour");
  in_redis("plan", "10/hour");
  places(4);
  others(Priority::normal, 2);
  check("GET /a");
  EXPECT_EQ(client.status, 503U);
  EXPECT_EQ(left("flood"), 10U);
  EXPECT_THAT(trace.lines, Not(Contains(HasSubstr("redis"))));
  EXPECT_EQ(client.fields.count("RateLimit"), 0U);
}

TEST_F(PathShed, GivesBackInRedisIfThePlacesWereTakenMeanwhile) {
  in_memory("flood", "10/hour");
  in_redis("plan", "10/hour");
  redis->answers_after = milliseconds(2);
  places(4);
  check("GET /a");
  others(Priority::normal, 2);
  clock.advance(milliseconds(2));
  EXPECT_EQ(client.status, 503U);
  EXPECT_EQ(left("flood"), 10U);
  EXPECT_THAT(redis->settled, ElementsAre("plan -1"));
  EXPECT_EQ(client.fields.count("RateLimit"), 0U);
  EXPECT_EQ(in_flight(), 2U);
}

TEST_F(PathShed, GivesBackPermitsInFlight) {
  Path::in_flight("flights", 2);
  places(4);
  others(Priority::normal, 2);
  check("GET /a");
  EXPECT_EQ(client.status, 503U);
  EXPECT_EQ(left("flights"), 2U);
}

TEST_F(PathShed, BelievesAPriorityOnlyFromATrustedHop) {
  options.shedding.priority_from = "x-priority";
  places(4);
  others(Priority::normal, 2);
  check("GET /a", "X-Priority: critical\r\n");
  EXPECT_EQ(client.status, 503U);
}

TEST_F(PathShed, BelievesThePriorityOfATrustedHop) {
  options.shedding.priority_from = "x-priority";
  identity.trusted_proxies = {*identity::parse_network("192.0.2.0/24")};
  places(4);
  others(Priority::normal, 2);
  check("GET /a", "X-Forwarded-For: 198.51.100.1\r\nX-Priority: critical\r\n");
  EXPECT_EQ(client.status, 200U);
  ask_again("GET /a", "X-Forwarded-For: 198.51.100.1\r\nX-Priority: urgent\r\n");
  EXPECT_EQ(client.status, 503U) << "an unknown word says nothing";
  ask_again("GET /a", "X-Forwarded-For: 198.51.100.1\r\nX-Priority: critical\r\nX-Priority: low\r\n");
  EXPECT_EQ(client.status, 400U) << "of two the server could read the other one";
}

TEST_F(PathShed, TakesThePriorityOfTheCallersTier) {
  auto& plan = in_memory("plan", "10/hour");
  plan.tiers.front().name = "gold";
  options.tier_priorities.push_back({"plan", "gold", Priority::critical});
  places(4);
  others(Priority::normal, 2);
  check("GET /a");
  EXPECT_EQ(client.status, 200U);
}

TEST_F(PathShed, TakesThePriorityOfTheFirstLimitThatHasOneEvenIfAnotherIsCheckedEarlier) {
  in_redis("plan", "10/hour").tiers.front().name = "gold";
  in_memory("bulk", "10/hour").tiers.front().name = "any";
  options.tier_priorities.push_back({"plan", "gold", Priority::critical});
  options.tier_priorities.push_back({"bulk", "any", Priority::low});
  places(4);
  others(Priority::normal, 2);
  check("GET /a");
  EXPECT_EQ(client.status, 200U);
}

TEST_F(PathShed, ShowsNothingMoreOfALimitThatAReloadRemoved) {
  const std::string limit = "headgate_upstream_concurrency_limit{upstream=\"app\",worker=\"0\"}";
  places(4);
  server.head_after = seconds(3);
  check("GET /a");
  EXPECT_EQ(metric(limit), "4");
  upstream().concurrency.reset();
  reload();
  EXPECT_EQ(metric(limit), "0");
  clock.advance(seconds(3));
  ASSERT_TRUE(done);
  EXPECT_EQ(metric(limit), "0") << "also when a request of before has ended";
}

class PathLag : public PathShed {
 protected:
  PathLag() { options.shedding.loop_lag = milliseconds(50); }
};

TEST_F(PathLag, RefusesNothingWhileTheWorkerKeepsUp) {
  check("GET /a");
  clock.advance(seconds(10));
  ask_again("GET /a");
  EXPECT_EQ(client.status, 200U);
}

TEST_F(PathLag, RefusesLowRequestsFirstThenNormalOnesAndCriticalOnesNotAtAll) {
  options.shedding.priority_from = "x-priority";
  identity.trusted_proxies = {*identity::parse_network("192.0.2.0/24")};
  clock.late = milliseconds(60);  // each alarm rings that much later than it should
  const std::string from = "X-Forwarded-For: 198.51.100.1\r\nX-Priority: ";
  check("GET /a", from + "low\r\n");
  EXPECT_EQ(client.status, 200U);
  clock.advance(milliseconds(900));
  ask_again("GET /a", from + "normal\r\n");
  EXPECT_EQ(client.status, 200U);
  ask_again("GET /a", from + "low\r\n");
  EXPECT_EQ(client.status, 503U);
  EXPECT_EQ(x.reason, "loop_lag");
  EXPECT_THAT(client.body, HasSubstr("This gateway is overloaded."));
  clock.advance(seconds(2));
  ask_again("GET /a", from + "normal\r\n");
  EXPECT_EQ(client.status, 503U);
  EXPECT_EQ(client.fields["Retry-After"], "2");
  ask_again("GET /a", from + "critical\r\n");
  EXPECT_EQ(client.status, 200U);
  clock.late = Duration(0);
  clock.advance(seconds(5));
  ask_again("GET /a", from + "low\r\n");
  EXPECT_EQ(client.status, 200U);
}

TEST_F(PathLag, EndsWithTheGateway) {
  check("GET /a");
  EXPECT_EQ(clock.armed(), 1U);
  gateway->stop();
  EXPECT_EQ(clock.armed(), 0U);
}

}  // namespace
}  // namespace headgate::gateway::test
