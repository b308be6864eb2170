// The order of the steps of the path, and what the path reads and writes.

#include "unit/gateway/path/path.hpp"

namespace headgate::gateway::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST_F(Path, RunsItsStepsFromCheapToExpensive) {
  in_memory("flood", "10/second");
  with_proof("proof", "10/second");
  in_redis("plan", "10/second");
  redis->delay = seconds(3);
  check("GET /a", "Authorization: Bearer alice\r\n");
  EXPECT_FALSE(done) << "its permit comes in three seconds";
  clock.advance(seconds(3));
  ASSERT_TRUE(done);
  EXPECT_THAT(trace.lines, ElementsAre("memory flood 1", "memory failed-authentication 1", "token alice",
                                       "give-back failed-authentication 1", "memory proof 1", "redis plan 1", "connect",
                                       "send GET /a", "head", "answer 200"));
  EXPECT_EQ(x.ended_by, EndedBy::upstream);
  EXPECT_TRUE(counted(200));
}

TEST_F(Path, FindsTheRouteBeforeAnythingIsCounted) {
  route.path = "/a/*";
  in_memory("flood", "10/second");
  check("GET /b");
  ASSERT_TRUE(done);
  EXPECT_THAT(trace.lines, ElementsAre("answer 404"));
}

TEST_F(Path, ChecksTheSizeOfTheBodyBeforeAnythingIsCounted) {
  route.max_body = 3;
  in_memory("flood", "10/second");
  check("POST /a", "Content-Length: 4\r\n", {{"four", Duration(0), {}}});
  ASSERT_TRUE(done);
  EXPECT_THAT(trace.lines, ElementsAre("answer 413"));
}

TEST_F(Path, UsesNoLimiterWithoutALimit) {
  check("GET /a");
  ASSERT_TRUE(done);
  EXPECT_THAT(trace.lines, ElementsAre("connect", "send GET /a", "head", "answer 200"));
  EXPECT_EQ(client.body, "ok");
  EXPECT_TRUE(client.ended);
  EXPECT_EQ(app->report.given_back, 1U);
  EXPECT_EQ(app->report.alive, 0U);
}

TEST_F(Path, RelaysABodyWhileItWaitsForTheAnswer) {
  server.head_after = milliseconds(30);
  check("POST /a", "Content-Length: 6\r\n", {{"one", Duration(0), {}}, {"two", milliseconds(10), {}}});
  clock.advance(milliseconds(29));
  EXPECT_EQ(app->report.body, "onetwo");
  EXPECT_TRUE(app->report.whole);
  EXPECT_EQ(client.status, 0U);
  clock.advance(milliseconds(1));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(x.body_bytes, 6U);
  EXPECT_EQ(x.upstream_time, milliseconds(30));
}

TEST_F(Path, RelaysAnAnswerPieceByPiece) {
  server.framing = {http::Framing::Kind::unknown, 0};
  server.body = {{"one", Duration(0), {}}, {"two", seconds(1), {}}, {"three", seconds(2), {}}};
  check("GET /a");
  EXPECT_EQ(client.body, "one");
  clock.advance(seconds(1));
  EXPECT_EQ(client.body, "onetwo");
  EXPECT_FALSE(client.ended);
  clock.advance(seconds(2));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.body, "onetwothree");
  EXPECT_TRUE(client.ended);
}

TEST_F(Path, ForwardsInterimAnswersAndAnswers100Itself) {
  server.interims = {100, 103};
  check("GET /a");
  ASSERT_TRUE(done);
  EXPECT_THAT(client.interims, ElementsAre(103U));
  EXPECT_EQ(client.status, 200U);
}

TEST_F(Path, RetriesOnceIfAPooledConnectionWasClosed) {
  server.kept = true;
  server.breaks = Failure{Failed::closed, error::eof, true, ""};
  app->scripts.emplace_back();
  check("GET /a");
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(x.attempts, 2U);
  EXPECT_THAT(trace.lines,
              ElementsAre("take idle", "send GET /a", "head", "connect", "send GET /a", "head", "answer 200"));
}

TEST_F(Path, DoesNotRetryARequestThatIsNotIdempotent) {
  server.kept = true;
  server.breaks = Failure{Failed::closed, error::eof, true, ""};
  app->scripts.emplace_back();
  check("POST /a", "Content-Length: 2\r\n", {{"ab", Duration(0), {}}});
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 502U);
  EXPECT_EQ(x.attempts, 1U);
}

TEST_F(Path, DoesNotRetryAfterANewConnection) {
  server.breaks = Failure{Failed::closed, error::eof, false, ""};
  check("GET /a");
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 502U);
  EXPECT_EQ(x.attempts, 1U);
  EXPECT_EQ(app->report.given_back, 0U);
}

TEST_F(Path, SendsForwardingHeadersToServersAndLimitFieldsToClients) {
  in_memory("plan", "10/second");
  check("GET /a", "X-Request-Id: id-1\r\n");
  ASSERT_TRUE(done);
  EXPECT_THAT(app->report.head, AllOf(HasSubstr("X-Forwarded-For: 192.0.2.7\n"), HasSubstr("X-Request-Id: id-1\n")));
  EXPECT_EQ(client.fields["RateLimit"], R"("plan";r=9;t=1)");
  EXPECT_EQ(client.fields["Date"], "Sat, 21 Nov 2026 05:20:24 GMT") << "of the clock";
}

TEST_F(Path, TunnelsUntilBothSidesHaveClosed) {
  server.status = 101;
  server.framing = {};
  server.body = {{"hello", seconds(1), {}}};
  in_tunnel = {{"ping", seconds(2), {}}};
  check("GET /a", "Connection: upgrade\r\nUpgrade: websocket\r\n");
  EXPECT_EQ(client.status, 101U);
  EXPECT_TRUE(client.tunnelled);
  clock.advance(seconds(1));
  EXPECT_EQ(client.body, "hello");
  EXPECT_FALSE(done);
  clock.advance(seconds(1));
  ASSERT_TRUE(done);
  EXPECT_EQ(app->report.body, "ping");
  EXPECT_TRUE(app->report.whole);
}

TEST_F(Path, EndsAnIdleTunnel) {
  server.status = 101;
  server.framing = {};
  server.body = {{"hello", kNever, {}}};
  in_tunnel = {{"ping", kNever, {}}};
  check("GET /a", "Connection: upgrade\r\nUpgrade: websocket\r\n");
  clock.advance(options.tunnel_timeout - seconds(1));
  EXPECT_FALSE(done);
  clock.advance(seconds(1));
  EXPECT_TRUE(done);
}

}  // namespace
}  // namespace headgate::gateway::test
