// Retries on the path: what is sent again, and to whom.

#include "unit/gateway/path/retries.hpp"

namespace headgate::gateway::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST_F(PathRetry, SendsTheRequestToAnotherServerAfterAnAnswerThatIsNamed) {
  retries();
  server.status = 503;
  then();
  check("GET /a?b=c");
  EXPECT_FALSE(done) << "there is a pause first";
  pause();
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 200U);
  EXPECT_THAT(trace.lines,
              ElementsAre("connect", "send GET /a?b=c", "head", "connect", "send GET /a?b=c", "head", "answer 200"));
  EXPECT_THAT(app->report.tried_before, ElementsAre(0U, 1U)) << "the first server is not asked again";
  EXPECT_EQ(x.attempts, 2U);
  EXPECT_EQ(x.retried, "503");
  EXPECT_EQ(retried("status"), "1");
  EXPECT_EQ(app->report.given_back, 2U) << "the answer that nobody got was read, so its connection is kept";
  EXPECT_EQ(clock.armed(), 0U);
}

TEST_F(PathRetry, PausesForAtMostTheBoundOfTheBackOff) {
  retries();
  server.status = 503;
  then();
  check("GET /a");
  clock.advance(kFirstBackOff);
  EXPECT_TRUE(done);
}

TEST_F(PathRetry, SendsNothingAgainUnlessTheUpstreamHasRetries) {
  server.status = 503;
  then();
  check("GET /a");
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 503U);
  EXPECT_EQ(x.attempts, 1U);
  EXPECT_THAT(x.retried, IsEmpty());
}

TEST_F(PathRetry, SendsNothingAgainAfterAnAnswerThatIsNotNamed) {
  retries();
  server.status = 500;
  check("GET /a");
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 500U);
  EXPECT_EQ(x.attempts, 1U);
}

TEST_F(PathRetry, AnswersWithTheLastFailure) {
  retries(3);
  server.status = 503;
  then().breaks = closed();
  then().status = 502;
  check("GET /a");
  pause();
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 502U);
  EXPECT_EQ(x.ended_by, EndedBy::upstream);
  EXPECT_EQ(x.attempts, 3U);
  EXPECT_EQ(x.retried, "503,closed");
  EXPECT_THAT(app->report.tried_before, ElementsAre(0U, 1U, 2U));
}

TEST_F(PathRetry, ConnectsAgainWhateverTheMethodIsBecauseNothingWasSent) {
  retries();
  server.unreachable = refused();
  then().head_after = seconds(2);
  check("POST /a", "Content-Length: 6\r\n", {at_once("one"), {"two", milliseconds(900), {}}});
  clock.advance(seconds(3));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(x.retried, "connect_error");
  EXPECT_THAT(app->report.bodies, ElementsAre("onetwo"));
  EXPECT_EQ(retried("connect_error"), "1");
}

TEST_F(PathRetry, NeverSendsAPostTwice) {
  retries(5).statuses = {500, 502, 503, 504};
  upstream().retry->on_timeout = true;
  upstream().retry->timeout_each = seconds(1);
  for (const auto& breaks : {std::optional<Failure>(), std::optional(closed()),
                             std::optional(Failure{Failed::closed, error::eof, true, ""})}) {
    ServerScript script;
    script.status = 503;
    script.breaks = breaks;
    app->scripts = {script};
    app->report.bodies.clear();
    if (done) {
      x.reset();
      client.forget();
    }
    check("POST /a", "Content-Length: 3\r\n", {at_once("one")});
    pause();
    ASSERT_TRUE(done);
    EXPECT_THAT(app->report.bodies, ElementsAre("one"));
    EXPECT_GE(client.status, 502U);
  }
}

TEST_F(PathRetry, SendsNoBodyTwiceThatIsNotHeld) {
  retries();
  server.status = 503;
  server.head_after = milliseconds(10);
  check("PUT /a", "Content-Length: 6\r\n", {at_once("one"), {"two", milliseconds(5), {}}});
  pause();
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 503U);
  EXPECT_EQ(x.attempts, 1U);
}

TEST_F(PathRetry, SendsABodyAgainThatCameWithTheHead) {
  retries(3);
  server.status = 503;
  then().status = 503;
  then();
  check("PUT /a", "Content-Length: 3\r\n", {at_once("one")});
  pause();
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 200U);
  EXPECT_THAT(app->report.bodies, ElementsAre("one", "one", "one"));
  EXPECT_EQ(x.body_bytes, 3U) << "of the client's body";
}

TEST_F(PathRetry, SendsTheSameBytesAgainOfABodyThatIsHeld) {
  retries();
  route.held_body = 100;
  server.status = 503;
  then();
  check("PUT /a", "Transfer-Encoding: chunked\r\n",
        {at_once("one"), {"two", seconds(1), {}}, {std::string("\0\r\n", 3), seconds(1), {}}});
  clock.advance(seconds(1));
  EXPECT_THAT(trace.lines, testing::Not(testing::Contains("connect"))) << "a slow upload holds no server";
  clock.advance(seconds(1));
  pause();
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 200U);
  const std::string all = std::string("onetwo") + std::string("\0\r\n", 3);
  EXPECT_THAT(app->report.bodies, ElementsAre(all, all));
  EXPECT_TRUE(app->report.whole);
  EXPECT_EQ(x.body_bytes, all.size());
}

TEST_F(PathRetry, SendsNothingAgainOnceTheAnswerHasBegun) {
  retries();
  server.body = {{"o", Duration(0), {}}, {"", Duration(0), error::eof}};
  then();
  check("GET /a");
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(x.ended_by, EndedBy::upstream_closed);
  EXPECT_EQ(x.attempts, 1U);
}

TEST_F(PathRetry, SendsNothingAgainAfterAnInterimAnswer) {
  retries();
  server.interims = {103};
  server.status = 503;
  then();
  check("GET /a");
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 503U);
  EXPECT_EQ(x.attempts, 1U);
}

TEST_F(PathRetry, ClosesTheConnectionOfAnAnswerThatHasNotArrivedAsAWhole) {
  retries();
  server.status = 503;
  server.body = {{"so", Duration(0), {}}, {"rry", seconds(5), {}}};
  then();
  check("GET /a");
  pause();
  ASSERT_TRUE(done);
  EXPECT_EQ(client.body, "ok");
  EXPECT_EQ(app->report.alive, 0U);
}

TEST_F(PathRetry, DoesNotCountThePoolsOwnSecondAttempt) {
  retries();
  server.kept = true;
  server.breaks = Failure{Failed::closed, error::eof, true, ""};
  then().status = 503;
  then();
  use_up_budget();
  check("GET /a");
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 503U) << "a new connection is free, the retry is not";
  EXPECT_EQ(x.attempts, 2U);
  EXPECT_EQ(exhausted(), "1");
}

TEST_F(PathRetry, ChargesTheCallerOnce) {
  in_memory("plan", "10/hour");
  retries(3);
  server.status = 503;
  check("GET /a");
  pause();
  ASSERT_TRUE(done);
  EXPECT_EQ(x.attempts, 3U);
  EXPECT_EQ(left("plan"), 9U);
}

TEST_F(PathRetry, NeverFollowsARefusalOfOurs) {
  retries().statuses = {429, 503};
  in_memory("plan", "1/hour");
  check("GET /a");
  ASSERT_TRUE(done);
  ask_again("GET /a");
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(x.attempts, 0U);
  EXPECT_EQ(retried("status"), "0");
}

TEST_F(PathRetry, RepeatsAHeadRequest) {
  retries();
  server.status = 503;
  server.body = {};
  then();
  check("HEAD /a");
  pause();
  ASSERT_TRUE(done);
  EXPECT_THAT(app->report.targets, ElementsAre("HEAD /a", "HEAD /a"));
}

TEST_F(PathRetry, RepeatsAnUpgradeThatWasRefusedAndNoTunnel) {
  retries();
  server.status = 503;
  auto& second = then();
  second.status = 101;
  second.framing = {};
  second.body = {{"hello", seconds(1), {}}};
  in_tunnel = {{"ping", seconds(2), {}}};
  check("GET /a", "Connection: upgrade\r\nUpgrade: websocket\r\n");
  clock.advance(seconds(3));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 101U);
  EXPECT_EQ(client.body, "hello");
  EXPECT_EQ(x.attempts, 2U);
}

}  // namespace
}  // namespace headgate::gateway::test
