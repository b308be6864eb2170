// Requests that an operator ends, in each of their states: what the client gets, and what is given back.

#include "unit/gateway/path/path.hpp"

#include "headgate/gateway/request_under_way.hpp"

namespace headgate::gateway::test {
namespace {

using testing::Contains;
using testing::Not;

class PathOperator : public Path {
 protected:
  /// Ends the request, which must be in this state.
  void end_in(std::string_view state) {
    ASSERT_FALSE(done);
    EXPECT_EQ(state_of(x), state);
    leave(ActiveExchange::Because::operator_);
    clock.advance(Duration(0));
  }
  void expect_503() {
    ASSERT_TRUE(done);
    EXPECT_EQ(client.status, 503U);
    EXPECT_EQ(x.status, 503U);
    EXPECT_EQ(x.ended_by, EndedBy::operator_);
    EXPECT_TRUE(counted(503));
    EXPECT_EQ(app->report.alive, 0U);
    EXPECT_EQ(clock.armed(), 0U) << "nobody waits any more";
  }
  void places(std::uint32_t most) {
    const shed::ConcurrencyOptions some{.adaptive = shed::ConcurrencyRange{.least = most, .most = most}};
    bound(some);
    app->counted.emplace(some);
  }
};

TEST_F(PathOperator, EndsAWaitForAPermitOfARate) {
  auto& limit = in_memory("plan", "10/second");
  limit.tiers[0].rules[0] = headgate::test::make_rule("10/second", 0, "plan", "leaky_bucket", seconds(1));
  limit::name_rule(limit.tiers[0].rules[0], false, limit::PeriodInKey::no);
  check("GET /first");
  ask_again("GET /second");
  end_in("limit");
  expect_503();
  EXPECT_THAT(trace.lines, Not(Contains("connect")));
}

TEST_F(PathOperator, EndsAWaitForAPlaceAtTheUpstream) {
  shed::ConcurrencyOptions one{.adaptive = shed::ConcurrencyRange{.least = 1, .most = 1}};
  one.queue = shed::QueueOptions{.length = 10, .wait = milliseconds(500)};
  bound(one);
  app->counted.emplace(one);
  app->counted->enter(shed::Priority::normal);
  check("GET /a");
  end_in("queue");
  expect_503();
  EXPECT_EQ(app->counted->queue()->size(), 0U);
  EXPECT_EQ(app->counted->in_flight(), 1U) << "that of the other one";
}

TEST_F(PathOperator, EndsAWaitForAServer) {
  upstream().server_queue = ServerQueue{.length = 10, .wait = milliseconds(500)};
  app->places.emplace(1);
  ASSERT_TRUE(app->places->take());
  check("GET /a");
  end_in("queue");
  expect_503();
  EXPECT_EQ(app->places->taken(), 1U) << "that of the other one";
}

TEST_F(PathOperator, EndsThePauseBeforeARetry) {
  retries();
  server.status = 503;
  server.fields = {{http::Known::retry_after, "Retry-After", "9"}};
  check("GET /a");
  end_in("retry");
  expect_503();
  EXPECT_EQ(x.attempts, 1U);
}

TEST_F(PathOperator, EndsABodyThatIsHeld) {
  route.held_body = 6;
  check("POST /a", "Content-Length: 6\r\n", {{"one", Duration(0), {}}, {"two", seconds(1), {}}});
  end_in("receiving");
  expect_503();
  EXPECT_THAT(trace.lines, Not(Contains("connect")));
}

TEST_F(PathOperator, EndsAnUploadToAServer) {
  server.head_after = seconds(20);
  check("POST /a", "Content-Length: 6\r\n", {{"one", Duration(0), {}}, {"two", seconds(1), {}}});
  end_in("receiving");
  expect_503();
}

TEST_F(PathOperator, EndsTheWaitForAnAnswerAndFreesWhatItHeld) {
  in_flight("flights", 3);
  places(2);
  server.head_after = seconds(20);
  check("GET /a");
  EXPECT_EQ(app->counted->in_flight(), 1U);
  end_in("server");
  expect_503();
  EXPECT_EQ(left("flights"), 3U);
  EXPECT_EQ(app->counted->in_flight(), 0U);
}

TEST_F(PathOperator, LetsTheClientPayForTheWorkOfTheServer) {
  in_memory("plan", "10/hour");
  settles(4);
  server.head_after = seconds(20);
  check("GET /a");
  end_in("server");
  expect_503();
  EXPECT_EQ(left("plan"), 6U);
}

TEST_F(PathOperator, EndsAConnectOnceItIsThere) {
  server.connect_after = seconds(1);
  check("GET /a");
  end_in("connecting");
  EXPECT_FALSE(done);
  clock.advance(seconds(1));
  expect_503();
}

TEST_F(PathOperator, EndsAConnectThatFails) {
  retries();
  server.connect_after = seconds(1);
  server.unreachable = Failure{Failed::no_connection, {}, false, ""};
  check("GET /a");
  end_in("connecting");
  clock.advance(seconds(1));
  expect_503();
  EXPECT_EQ(x.attempts, 1U);
}

TEST_F(PathOperator, EndsAConnectOfAnUploadThatIsNotWhole) {
  server.connect_after = seconds(1);
  check("POST /a", "Content-Length: 6\r\n", {{"one", Duration(0), {}}, {"two", seconds(5), {}}});
  end_in("connecting");
  clock.advance(seconds(1));
  expect_503();
}

TEST_F(PathOperator, EndsARequestThatItsServerDoesNotTake) {
  retries();
  server.takes_after = seconds(1);
  server.takes_none = error::timed_out;
  check("GET /a");
  end_in("connecting");
  clock.advance(seconds(1));
  expect_503();
  EXPECT_EQ(x.attempts, 1U);
}

TEST_F(PathOperator, WinsOverALimitThatRejectsMeanwhile) {
  in_redis("plan", "10/hour");
  redis->rejects = "plan";
  redis->answers_after = seconds(1);
  check("GET /a");
  end_in("deciding");
  clock.advance(seconds(1));
  expect_503();
}

TEST_F(PathOperator, IsNoOffenceOfTheCaller) {
  auto& policy = in_memory("abuse", "10/hour").ban.emplace();
  policy.offences = headgate::test::make_rule("1/minute", 0, "abuse", "sliding_log");
  policy.statuses = {503};
  policy.first = policy.longest = seconds(60);
  server.head_after = seconds(20);
  check("GET /a");
  end_in("server");
  expect_503();
  ask_again("GET /a");
  EXPECT_FALSE(done) << "it is not suspended";
}

TEST_F(PathOperator, BreaksOffAnAnswerThatHasBegun) {
  server.body = {{"o", Duration(0), {}}, {"k", seconds(6), {}}};
  check("GET /a");
  EXPECT_EQ(x.status, 200U);
  leave(ActiveExchange::Because::operator_);
  ASSERT_TRUE(done);
  EXPECT_EQ(x.ended_by, EndedBy::operator_);
  EXPECT_EQ(client.status, 200U);
  EXPECT_TRUE(counted(200));
}

}  // namespace
}  // namespace headgate::gateway::test
