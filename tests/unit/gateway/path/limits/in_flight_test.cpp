// Limits of requests at the same time: a permit is held until the exchange ends.

#include "gateway/limits/in_flight.hpp"

#include "unit/gateway/path/path.hpp"

namespace headgate::gateway::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class PathInFlight : public Path {
 protected:
  /// Another exchange of this caller takes a permit.
  void take(const std::string& name) {
    const limit::Check check{.rule = &limits.front().tiers.front().rules.front(),
                             .key = "192.0.2.7",
                             .hash = keyed_hash("192.0.2.7", seed())};
    limit::Decision decision;
    memory.store().decide({&check, 1}, clock.wall(), {&decision, 1});
    ASSERT_TRUE(decision.allowed) << name;
  }
  std::string shown() const { return metric("headgate_limit_in_flight{limit=\"flights\",worker=\"0\"}"); }
  std::uint64_t seed() const { return limits.front().tiers.front().rules.front().seed; }
};

TEST_F(PathInFlight, HoldTheirPermitUntilTheAnswerHasEnded) {
  in_flight("flights", 2);
  server.head_after = seconds(3);
  server.body = {{"o", Duration(0), {}}, {"k", seconds(3), {}}};
  check("GET /a");
  EXPECT_EQ(left("flights"), 1U);
  clock.advance(seconds(3));
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(left("flights"), 1U) << "its body is not complete";
  clock.advance(seconds(3));
  ASSERT_TRUE(done);
  EXPECT_EQ(left("flights"), 2U);
}

TEST_F(PathInFlight, RejectTheOneTooMany) {
  in_flight("flights", 1);
  take("flights");
  check("GET /a");
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(client.fields["Retry-After"], "1");
  EXPECT_EQ(client.fields["RateLimit-Policy"], "\"flights\";q=1;qu=\"concurrent-requests\"");
  EXPECT_EQ(client.fields["RateLimit"], "\"flights\";r=0") << "nobody knows when a request ends";
  EXPECT_EQ(client.fields.count("X-RateLimit-Limit"), 0U) << "it would look like a rate";
  EXPECT_THAT(client.body, HasSubstr("The limit of 1 request at the same time is reached. Try again in 1 second."));
  EXPECT_EQ(left("flights"), 0U) << "the rejected one held nothing, and gives nothing back";
}

TEST_F(PathInFlight, OnlyObserveIfTheLimitDoes) {
  in_flight("flights", 1).mode = limit::Mode::observe;
  take("flights");
  check("GET /a");
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(left("flights"), 0U) << "the permit of the other one is not given back";
  EXPECT_EQ(shown(), "0") << "it had none";
}

TEST_F(PathInFlight, AreShownByTheMetricsUntilTheyEnd) {
  in_flight("flights", 1);
  server.head_after = seconds(3);
  check("GET /a");
  EXPECT_EQ(shown(), "1");
  clock.advance(seconds(3));
  ASSERT_TRUE(done);
  EXPECT_EQ(shown(), "0");
  take("flights");
  ask_again("GET /a");
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(shown(), "0") << "a rejected one holds nothing";
}

TEST_F(PathInFlight, AreShownByTheMetricsWhereverTheyAreCounted) {
  in_flight("flights", 2, limit::Store::redis);
  server.head_after = seconds(3);
  check("GET /a");
  EXPECT_EQ(shown(), "1");
  leave();
  ASSERT_TRUE(done);
  EXPECT_EQ(shown(), "0");
  redis->away = error::timed_out;
  ask_again("GET /a");
  EXPECT_EQ(shown(), "1") << "here, while Redis is away";
  clock.advance(seconds(3));
  ASSERT_TRUE(done);
  EXPECT_EQ(shown(), "0");
}

TEST_F(PathInFlight, HoldTheirPermitInATunnel) {
  in_flight("flights", 2);
  server.status = 101;
  in_tunnel = {{"x", seconds(5), {}}, {"", Duration(0), error::eof}};
  check("GET /a", "Connection: Upgrade\r\nUpgrade: websocket\r\n");
  EXPECT_EQ(left("flights"), 1U);
  clock.advance(seconds(700));
  ASSERT_TRUE(done);
  EXPECT_EQ(left("flights"), 2U);
}

TEST_F(PathInFlight, GiveBackWhatTheyTookIfALaterLimitRejects) {
  in_flight("flights", 2);
  in_redis("far", "10/hour");
  redis->rejects = "far";
  check("GET /a");
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(left("flights"), 2U);
  EXPECT_EQ(shown(), "0");
}

TEST_F(PathInFlight, GiveBackInRedisWhenTheyEnd) {
  in_flight("flights", 2, limit::Store::redis);
  check("GET /a");
  ASSERT_TRUE(done);
  EXPECT_THAT(trace.lines,
              ElementsAre("redis flights 1", "connect", "send GET /a", "head", "answer 200", "settle flights -1"));
}

TEST_F(PathInFlight, AreRenewedInRedisUntilTheyEnd) {
  in_flight("flights", 2, limit::Store::redis);
  server.head_after = seconds(9);
  check("GET /a");
  clock.advance(seconds(3));
  EXPECT_THAT(redis->settled, ElementsAre());
  clock.advance(seconds(1));
  EXPECT_THAT(redis->settled, ElementsAre("flights 1"));
  clock.advance(seconds(4));
  EXPECT_THAT(redis->settled, ElementsAre("flights 1", "flights 1"));
  clock.advance(seconds(1));
  ASSERT_TRUE(done);
  clock.advance(seconds(60));
  EXPECT_THAT(redis->settled, ElementsAre("flights 1", "flights 1", "flights -1"));
  EXPECT_EQ(clock.armed(), 0U);
}

TEST_F(PathInFlight, AreAllRenewedInTimeHoweverManyThereAre) {
  in_flight("flights", 10'000, limit::Store::redis);
  server.head_after = seconds(9);
  check("GET /a");
  Random random(1);
  Turns turns(clock, flights);
  InFlight permits(clock, memory, turns, random);
  std::deque<Exchange> many(5000);
  for (auto& each : many) {
    each.snapshot = x.snapshot;
    each.admission = x.admission;
    each.flight = x.flight;
    permits.keep(each);
  }
  clock.advance(milliseconds(4500));
  EXPECT_EQ(redis->settled.size(), many.size() + 1) << "a permit that is not renewed ends, and another request gets it";
  clock.advance(milliseconds(3500));
  EXPECT_EQ(redis->settled.size(), 2 * (many.size() + 1));
  many.clear();
}

TEST_F(PathInFlight, AreCountedHereWhileRedisIsDownAndThereAsSoonAsItIsBack) {
  in_flight("flights", 2, limit::Store::redis);
  redis->away = error::timed_out;
  server.head_after = seconds(9);
  check("GET /a");
  EXPECT_EQ(left("flights"), 1U);
  clock.advance(seconds(4));
  EXPECT_THAT(redis->settled, ElementsAre()) << "nobody is there to be told";
  redis->away.reset();
  clock.advance(seconds(4));
  EXPECT_THAT(redis->settled, ElementsAre("flights 1"));
  clock.advance(seconds(1));
  ASSERT_TRUE(done);
  EXPECT_THAT(redis->settled, ElementsAre("flights 1", "flights -1"));
  EXPECT_EQ(left("flights"), 2U);
  clock.advance(seconds(60));
  EXPECT_THAT(trace.lines, Not(Contains(HasSubstr("charge")))) << "a permit that is given back is not owed";
}

TEST_F(PathInFlight, AreReleasedInRedisByAClientThatLeaves) {
  in_flight("flights", 2, limit::Store::redis);
  server.head_after = seconds(9);
  check("GET /a");
  leave();
  ASSERT_TRUE(done);
  EXPECT_THAT(redis->settled, ElementsAre("flights -1"));
}

}  // namespace
}  // namespace headgate::gateway::test
