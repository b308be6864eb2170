// Bodies that are held before a server is chosen.

#include "unit/gateway/path/path.hpp"

#include "headgate/net/pace.hpp"

namespace headgate::gateway::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;

class PathHeldBody : public Path {
 protected:
  PathHeldBody() { route.held_body = 6; }
};

TEST_F(PathHeldBody, AreReadBeforeAServerIsChosen) {
  check("POST /a", "Content-Length: 6\r\n", {{"one", Duration(0), {}}, {"two", seconds(1), {}}});
  EXPECT_THAT(trace.lines, Not(Contains("connect")));
  clock.advance(seconds(1));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 200U);
  EXPECT_THAT(app->report.bodies, ElementsAre("onetwo"));
  EXPECT_TRUE(app->report.whole);
  EXPECT_EQ(x.body_bytes, 6U);
}

TEST_F(PathHeldBody, HoldNoPlaceAtTheUpstreamMeanwhile) {
  const shed::ConcurrencyOptions one{.adaptive = shed::ConcurrencyRange{.least = 1, .most = 1}};
  bound(one);
  app->counted.emplace(one);
  check("POST /a", "Content-Length: 6\r\n", {{"one", Duration(0), {}}, {"two", seconds(1), {}}});
  EXPECT_EQ(app->counted->in_flight(), 0U);
  clock.advance(seconds(1));
  EXPECT_TRUE(done);
}

/// The capacity of the upstream: one request at the same time.
class PathHeldBodyAtAFullUpstream : public PathHeldBody {
 protected:
  void capacity(limit::Store store) {
    shed::ConcurrencyOptions one;
    one.in_flight = 1;
    bound(one, store);
    app->counted.emplace(one);
    in_memory("flood", "10/hour");
  }
  void send_slowly() { check("POST /a", "Content-Length: 6\r\n", {{"one", Duration(0), {}}, {"two", seconds(1), {}}}); }
  std::uint64_t used() {
    const auto& rule = x.snapshot->compiled->capacities().front()->sizes().front().front().all;
    const auto look = headgate::test::make_check(rule, "app", 0);
    limit::Decision decision;
    memory.store().decide({&look, 1}, clock.wall(), {&decision, 1});
    return rule.burst - decision.remaining;
  }
};

TEST_F(PathHeldBodyAtAFullUpstream, TakeNoPlaceBeforeTheyAreThere) {
  capacity(limit::Store::memory);
  server.head_after = seconds(1);
  send_slowly();
  EXPECT_EQ(used(), 0U);
  clock.advance(seconds(1));
  EXPECT_EQ(used(), 1U);
  clock.advance(seconds(1));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(used(), 0U);
}

TEST_F(PathHeldBodyAtAFullUpstream, TakeNoPlaceInRedisBeforeTheyAreThere) {
  capacity(limit::Store::redis);
  in_redis("plan", "10/hour");
  send_slowly();
  EXPECT_THAT(trace.lines, Contains("redis plan 1"));
  clock.advance(seconds(1));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 200U);
  EXPECT_THAT(trace.lines, Contains("redis upstream:app 1"));
  EXPECT_THAT(redis->settled, ElementsAre("upstream:app -1"));
}

TEST_F(PathHeldBodyAtAFullUpstream, GiveBackWhatTheyTookIfThereIsNoPlaceThen) {
  capacity(limit::Store::redis);
  in_redis("plan", "10/hour");
  redis->rejects = "upstream:app";
  send_slowly();
  clock.advance(seconds(1));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 503U);
  EXPECT_EQ(x.reason, "fleet");
  EXPECT_EQ(left("flood"), 10U);
  EXPECT_THAT(trace.lines, Not(Contains("connect")));
}

TEST_F(PathHeldBodyAtAFullUpstream, AreExplainedWithIt) {
  capacity(limit::Store::redis);
  redis->rejects = "upstream:app";
  EXPECT_EQ(explain("POST /a", "Content-Length: 6\r\n").status, 503U);
}

TEST_F(PathHeldBodyAtAFullUpstream, RenewThePermitsOfBothTimes) {
  capacity(limit::Store::redis);
  in_flight("flights", 3, limit::Store::redis);
  server.head_after = seconds(30);
  send_slowly();
  clock.advance(seconds(8));
  EXPECT_THAT(redis->settled, Contains("flights 1, upstream:app 1"));
  clock.advance(seconds(30));
  ASSERT_TRUE(done);
  EXPECT_EQ(redis->settled.back(), "flights -1, upstream:app -1");
}

TEST_F(PathHeldBody, IsAnsweredWithoutAServerIfItComesTooSlowly) {
  check("POST /a", "Content-Length: 6\r\n", {{"one", Duration(0), {}}, {"", seconds(1), net::too_slow()}});
  clock.advance(seconds(1));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 408U);
  EXPECT_EQ(x.ended_by, EndedBy::timeout_client);
  EXPECT_EQ(x.reason, "the client was slower than min_rate");
}

TEST_F(PathHeldBody, CostNothingBeforeTheyCome) {
  route.held_body = route.max_body.emplace(64U << 20);
  check("PUT /a", "Content-Length: 67108864\r\n", {{"x", Duration(0), {}}, {"y", kNever, {}}});
  EXPECT_EQ(lent_bytes.read(), 0U);
}

TEST_F(PathHeldBody, HaveRoomForNoMoreThanIsAnnounced) {
  constexpr std::size_t kSize = 3U << 20;
  route.held_body = route.max_body.emplace(64U << 20);
  server.head_after = seconds(1);
  check("PUT /a", "Content-Length: 3145728\r\n",
        {{std::string(kSize / 2 + 1, 'x'), Duration(0), {}}, {std::string(kSize / 2 - 1, 'x'), Duration(0), {}}});
  EXPECT_GE(lent_bytes.read(), kSize);
  EXPECT_LT(lent_bytes.read(), kSize + net::LentBytes::kStep);
  clock.advance(seconds(1));
  EXPECT_TRUE(done);
}

TEST_F(PathHeldBody, GoOnUnheldOnceThereIsNoMemoryLeft) {
  route.held_body = route.max_body.emplace(64U << 20);
  options.buffered = 1U << 20;
  server.head_after = seconds(9);
  check("PUT /a", "Content-Length: 2097153\r\n",
        {{std::string(2U << 20, 'x'), Duration(0), {}}, {"y", seconds(1), {}}});
  EXPECT_THAT(trace.lines, Contains("connect"));
  clock.advance(seconds(9));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(app->report.bodies.back().size(), (2U << 20) + 1);
}

TEST_F(PathHeldBody, OfALargerSizeStreamsFromTheBeginning) {
  server.head_after = seconds(2);
  check("POST /a", "Content-Length: 7\r\n", {{"one", Duration(0), {}}, {"four", seconds(1), {}}});
  EXPECT_THAT(trace.lines, Contains("connect"));
  EXPECT_EQ(x.held, nullptr);
  clock.advance(seconds(3));
  ASSERT_TRUE(done);
  EXPECT_THAT(app->report.bodies, ElementsAre("onefour"));
}

TEST_F(PathHeldBody, OfUnknownSizeStreamsOnceItIsTooLarge) {
  server.head_after = seconds(9);
  check("POST /a", "Transfer-Encoding: chunked\r\n",
        {{"one", Duration(0), {}}, {"four", seconds(1), {}}, {"five5", seconds(1), {}}});
  clock.advance(milliseconds(999));
  EXPECT_THAT(trace.lines, Not(Contains("connect")));
  clock.advance(milliseconds(1));
  EXPECT_THAT(app->report.bodies, ElementsAre("onefour"));
  clock.advance(seconds(9));
  ASSERT_TRUE(done);
  EXPECT_THAT(app->report.bodies, ElementsAre("onefourfive5"));
  EXPECT_EQ(x.body_bytes, 12U);
}

TEST_F(PathHeldBody, IsAnsweredWithoutAServerIfItStops) {
  check("POST /a", "Content-Length: 6\r\n", {{"one", Duration(0), {}}, {"two", seconds(20), {}}});
  clock.advance(kBodyTimeout);
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 408U);
  EXPECT_EQ(x.ended_by, EndedBy::timeout_client);
  EXPECT_THAT(trace.lines, Not(Contains("connect")));
}

TEST_F(PathHeldBody, OfAClientThatLeavesReachesNoServer) {
  check("POST /a", "Content-Length: 6\r\n", {{"one", Duration(0), {}}, {"two", seconds(5), {}}});
  leave();
  ASSERT_TRUE(done);
  EXPECT_EQ(x.ended_by, EndedBy::client_closed);
  EXPECT_THAT(trace.lines, Not(Contains("connect")));
}

TEST_F(PathHeldBody, AreReadOnlyAfterTheLimits) {
  in_memory("plan", "1/hour");
  check("POST /a", "Content-Length: 3\r\n", {{"one", Duration(0), {}}});
  ASSERT_TRUE(done);
  x.reset();
  client.forget();
  trace.lines.clear();
  check("POST /a", "Content-Length: 3\r\n", {{"one", seconds(1), {}}});
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 429U);
  EXPECT_THAT(trace.lines, Not(Contains("client-body")));
}

TEST_F(PathHeldBody, CountForTheBoundOfBufferedBytes) {
  route.held_body = 1 << 20;
  const std::string large(1 << 20, 'x');
  server.head_after = seconds(1);
  server.body = {{"o", Duration(0), {}}, {"k", seconds(1), {}}};
  check("PUT /a", "Content-Length: 1048576\r\n", {{large, Duration(0), {}}});
  EXPECT_GE(lent_bytes.read(), std::uint64_t{1} << 20);
  clock.advance(seconds(1));
  EXPECT_FALSE(done);
  EXPECT_EQ(lent_bytes.read(), 0U) << "its memory is free when the answer begins";
  clock.advance(seconds(1));
  EXPECT_TRUE(done);
}

TEST_F(PathHeldBody, CountNothingOnceTheirExchangeIsOver) {
  route.held_body = 1 << 20;
  check("PUT /a", "Content-Length: 1048576\r\n", {{std::string(1 << 19, 'x'), Duration(0), {}}, {"y", kNever, {}}});
  EXPECT_GT(lent_bytes.read(), 0U);
  leave();
  ASSERT_TRUE(done);
  x.reset();
  EXPECT_EQ(lent_bytes.read(), 0U);
}

}  // namespace
}  // namespace headgate::gateway::test
