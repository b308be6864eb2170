// Bodies that are held before a server is chosen.

#include "unit/gateway/path/path.hpp"

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
  const shed::Options one{.adaptive = shed::Bounds{.least = 1, .most = 1}};
  options.concurrency.push_back({"app", one, limit::Store::memory, {}});
  app->counted.emplace(one);
  check("POST /a", "Content-Length: 6\r\n", {{"one", Duration(0), {}}, {"two", seconds(1), {}}});
  EXPECT_EQ(app->counted->in_flight(), 0U);
  clock.advance(seconds(1));
  EXPECT_TRUE(done);
}

TEST_F(PathHeldBody, OfALargerSizeStreamFromTheirBegin) {
  server.head_after = seconds(2);
  check("POST /a", "Content-Length: 7\r\n", {{"one", Duration(0), {}}, {"four", seconds(1), {}}});
  EXPECT_THAT(trace.lines, Contains("connect"));
  EXPECT_EQ(x.held, nullptr);
  clock.advance(seconds(3));
  ASSERT_TRUE(done);
  EXPECT_THAT(app->report.bodies, ElementsAre("onefour"));
}

TEST_F(PathHeldBody, OfUnknownSizeStreamOnceTheyAreLarger) {
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

TEST_F(PathHeldBody, ThatStopAreAnsweredWithoutAServer) {
  check("POST /a", "Content-Length: 6\r\n", {{"one", Duration(0), {}}, {"two", seconds(20), {}}});
  clock.advance(options.timeouts.body);
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 408U);
  EXPECT_EQ(x.ended_by, EndedBy::timeout_client);
  EXPECT_THAT(trace.lines, Not(Contains("connect")));
}

TEST_F(PathHeldBody, OfAClientThatLeavesGoNowhere) {
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
