// Retries on the path: when they are sent, what they cost, and what ends them.

#include "unit/gateway/path/retries.hpp"

namespace headgate::gateway::test {
namespace {

TEST_F(PathRetry, GivesUpAnAttemptThatIsTooSlow) {
  auto& retry = retries();
  retry.on_timeout = true;
  retry.timeout_each = seconds(1);
  server.head_after = seconds(20);
  then();
  check("GET /a");
  clock.advance(seconds(1));
  EXPECT_FALSE(done);
  pause();
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(x.retried, "timeout");
  EXPECT_EQ(app->report.given_back, 1U) << "the slow one's connection is closed";
  EXPECT_EQ(app->report.alive, 0U);
}

TEST_F(PathRetry, GivesUpNoAttemptThatNothingCanFollow) {
  auto& retry = retries();
  retry.on_timeout = true;
  retry.timeout_each = seconds(1);
  server.head_after = seconds(20);
  check("POST /a", "Content-Length: 3\r\n", {at_once("one")});
  clock.advance(seconds(19));
  EXPECT_FALSE(done);
  clock.advance(seconds(1));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 200U);
}

TEST_F(PathRetry, GivesUpNoSlowAttemptIfTheBudgetIsUsedUp) {
  auto& retry = retries();
  retry.on_timeout = true;
  retry.timeout_each = seconds(1);
  server.head_after = seconds(5);
  use_up_budget();
  check("GET /a");
  clock.advance(seconds(5));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(x.attempts, 1U);
  EXPECT_EQ(exhausted(), "1");
}

TEST_F(PathRetry, TakesNoLongerThanTheTimeoutOfTheRoute) {
  auto& retry = retries(10);
  retry.on_timeout = true;
  retry.timeout_each = seconds(2);
  route.timeout = seconds(5);
  server.head_after = seconds(20);
  check("GET /a");
  clock.advance(seconds(5) - milliseconds(1));
  EXPECT_FALSE(done);
  clock.advance(milliseconds(1));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 504U);
  EXPECT_EQ(x.attempts, 3U);
  EXPECT_EQ(app->report.alive, 0U);
}

TEST_F(PathRetry, AnswersTheFirstFailureIfTheBudgetIsUsedUp) {
  retries();
  server.status = 503;
  then();
  use_up_budget();
  check("GET /a");
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 503U);
  EXPECT_EQ(x.attempts, 1U);
  EXPECT_EQ(exhausted(), "1");
  EXPECT_EQ(retried("status"), "0");
}

TEST_F(PathRetry, PaysWhenTheRetryIsScheduled) {
  retries();
  server.status = 503;
  server.fields = {{http::Known::retry_after, "Retry-After", "3"}};
  then();
  for (int i = 0; i < 99; ++i) ASSERT_TRUE(budget->pay(clock.steady(), 0));
  check("GET /a");
  ASSERT_FALSE(done) << "it pauses";
  EXPECT_FALSE(budget->pay(clock.steady(), 0)) << "the last one is its own already";
  leave();
  clock.advance(Duration(0));
  ASSERT_TRUE(done);
  EXPECT_FALSE(budget->pay(clock.steady(), 0)) << "also if it is never sent";
}

TEST_F(PathRetry, WaitsAsLongAsTheServerAsks) {
  retries();
  server.status = 503;
  server.fields = {{http::Known::retry_after, "Retry-After", "3"}};
  then();
  check("GET /a");
  clock.advance(seconds(3) - milliseconds(1));
  EXPECT_FALSE(done);
  clock.advance(milliseconds(1));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 200U);
}

TEST_F(PathRetry, AnswersAtOnceIfTheServerAsksForMoreTimeThanIsLeft) {
  retries();
  route.timeout = seconds(3);
  server.status = 503;
  server.fields = {{http::Known::retry_after, "Retry-After", "3"}};
  then();
  check("GET /a");
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 503U);
  EXPECT_EQ(client.fields["Retry-After"], "3") << "the caller may wait as long";
  EXPECT_EQ(retried("status"), "0") << "nothing was paid";
}

TEST_F(PathRetry, EndsThePauseIfTheClientGoesAway) {
  retries();
  server.status = 503;
  server.fields = {{http::Known::retry_after, "Retry-After", "9"}};
  check("GET /a");
  leave();
  clock.advance(Duration(0));
  ASSERT_TRUE(done);
  EXPECT_EQ(x.ended_by, EndedBy::client_closed);
  EXPECT_EQ(x.attempts, 1U);
  EXPECT_EQ(clock.armed(), 0U);
}

TEST_F(PathRetry, EndsThePauseAtTheEndOfADrain) {
  retries();
  server.status = 503;
  server.fields = {{http::Known::retry_after, "Retry-After", "9"}};
  check("GET /a");
  leave(ActiveExchange::Because::broken_off);
  clock.advance(Duration(0));
  ASSERT_TRUE(done);
  EXPECT_EQ(x.ended_by, EndedBy::drain);
}

TEST_F(PathRetry, KeepsThePlaceAtTheUpstreamUntilTheLastAttempt) {
  const shed::ConcurrencyOptions two{.adaptive = shed::ConcurrencyRange{.least = 2, .most = 2}};
  bound(two);
  app->counted.emplace(two);
  retries();
  server.status = 503;
  server.fields = {{http::Known::retry_after, "Retry-After", "3"}};
  then().head_after = seconds(1);
  check("GET /a");
  EXPECT_EQ(app->counted->in_flight(), 1U) << "in the pause";
  clock.advance(seconds(3));
  EXPECT_EQ(app->counted->in_flight(), 1U) << "in the second attempt";
  clock.advance(seconds(1));
  ASSERT_TRUE(done);
  EXPECT_EQ(app->counted->in_flight(), 0U);
}

TEST_F(PathRetry, KeepsThePlaceIfNoServerCouldBeConnectedTo) {
  const shed::ConcurrencyOptions two{.adaptive = shed::ConcurrencyRange{.least = 2, .most = 2}};
  bound(two);
  app->counted.emplace(two);
  retries();
  server.unreachable = refused();
  then();
  check("GET /a");
  EXPECT_EQ(app->counted->in_flight(), 1U) << "in the pause";
  pause();
  ASSERT_TRUE(done);
  EXPECT_EQ(app->counted->in_flight(), 0U);
}

}  // namespace
}  // namespace headgate::gateway::test
