// What a request pays for that ends before the answer that somebody was asked for: limits that count answers,
// suspensions by their statuses, and costs that only the answer says.

#include "unit/gateway/path/path.hpp"

#include "headgate/net/pace.hpp"

#include <boost/system/errc.hpp>

namespace headgate::gateway::test {
namespace {

using testing::HasSubstr;

class PathUnanswered : public Path {
 protected:
  /// Three answers with 401 an hour, and a server that takes its time for a wrong guess.
  PathUnanswered() {
    limit_by("client_ip", "guesses", "3/hour").counted_statuses = {401};
    server.status = 401;
    server.head_after = seconds(20);
  }
  /// Two of them suspend the address.
  void bans() {
    auto& policy = limits.back().ban.emplace();
    policy.offences = headgate::test::make_rule("2/minute", 0, "guesses", "sliding_log");
    policy.statuses = {401};
    policy.first = std::chrono::minutes(10);
    policy.longest = std::chrono::hours(24);
  }
  /// A body whose second piece fails with this.
  static std::deque<Piece> breaking(const error_code& cause) {
    return {{"user=a", Duration(0), {}}, {"", seconds(1), cause}};
  }
  void guess(const error_code& cause) {
    check("POST /login", "Transfer-Encoding: chunked\r\n", breaking(cause));
    clock.advance(seconds(1));
    ASSERT_TRUE(done);
    EXPECT_EQ(app->report.targets.size(), 1U) << "a server was asked";
  }
  void call_grpc(std::string_view fields = {}) {
    upstream().http2 = true;
    check("POST /test.Login/Try", "Content-Type: application/grpc\r\n" + std::string(fields));
  }
};

/// Ways in which a client spoils its own body, and what it gets.
struct Spoiled {
  std::string name;
  error_code cause;
  unsigned status;
};

class PathUnansweredBodies : public PathUnanswered, public testing::WithParamInterface<Spoiled> {};

INSTANTIATE_TEST_SUITE_P(
    All, PathUnansweredBodies,
    testing::Values(Spoiled{"malformed", boost::system::errc::make_error_code(boost::system::errc::bad_message), 400},
                    Spoiled{"too_large", boost::system::errc::make_error_code(boost::system::errc::message_size), 413},
                    Spoiled{"late", error::timed_out, 408}, Spoiled{"slow", net::too_slow(), 408},
                    Spoiled{"ended", error::eof, 400}),
    [](const auto& given) { return given.param.name; });

TEST_P(PathUnansweredBodies, KeepTheirPermit) {
  guess(GetParam().cause);
  EXPECT_EQ(client.status, GetParam().status);
  EXPECT_EQ(left("guesses"), 2U);
  EXPECT_THAT(client.fields["RateLimit"], HasSubstr("r=2"));
}

TEST_P(PathUnansweredBodies, AreOffences) {
  bans();
  guess(GetParam().cause);
  ask_again("GET /", {});
  clock.advance(seconds(20));
  EXPECT_EQ(client.status, 401U) << "the second offence";
  ask_again("GET /", {});
  EXPECT_EQ(x.ended_by, EndedBy::ban);
}

TEST_P(PathUnansweredBodies, KeepTheHoldOfTheirCost) {
  limits.clear();
  route.limits.clear();
  in_memory("plan", "100/hour");
  settles(5);
  guess(GetParam().cause);
  EXPECT_EQ(left("plan"), 95U);
}

TEST_P(PathUnansweredBodies, CostNothingIfNoServerWasAsked) {
  route.held_body = 1000;
  bans();
  check("POST /login", "Transfer-Encoding: chunked\r\n", breaking(GetParam().cause));
  clock.advance(seconds(1));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, GetParam().status);
  EXPECT_TRUE(app->report.targets.empty());
  EXPECT_EQ(left("guesses"), 3U);
}

TEST_F(PathUnanswered, KeepsThePermitOfAClientThatLeaves) {
  bans();
  for (int i = 0; i < 2; ++i) {
    i == 0 ? check("POST /login") : ask_again("POST /login");
    leave();
    ASSERT_TRUE(done);
  }
  EXPECT_EQ(left("guesses"), 1U);
  ask_again("POST /login");
  EXPECT_EQ(x.ended_by, EndedBy::ban) << "leaving is an offence, too";
}

TEST_F(PathUnanswered, CostsNothingIfAClientLeavesBeforeAServerWasAsked) {
  server.connect_after = seconds(5);
  check("POST /login");
  leave();
  clock.advance(seconds(5));
  ASSERT_TRUE(done);
  EXPECT_TRUE(app->report.targets.empty());
  EXPECT_EQ(left("guesses"), 3U);
}

TEST_F(PathUnanswered, IsNoOffenceOfAClientWhoseAnswerHasBegun) {
  bans();
  server.status = 200;
  server.head_after = Duration(0);
  server.framing = {http::Framing::Kind::length, 4};
  server.body = {{"ok", Duration(0), {}}, {"ok", seconds(5), {}}};
  for (int i = 0; i < 3; ++i) {
    i == 0 ? check("GET /page") : ask_again("GET /page");
    EXPECT_EQ(client.status, 200U);
    leave();
    ASSERT_TRUE(done);
  }
  EXPECT_EQ(left("guesses"), 3U);
}

TEST_F(PathUnanswered, IsNoOffenceIfAnOperatorOrADrainEndsIt) {
  bans();
  auto& rule = limits.back().tiers.front().rules.front();
  rule = headgate::test::make_rule("100/hour", 0, "guesses");
  limit::name_rule(rule, false, limit::PeriodInKey::no);
  for (const auto because : {ActiveExchange::Because::operator_, ActiveExchange::Because::broken_off}) {
    for (int i = 0; i < 3; ++i) {
      gateway == nullptr ? check("POST /login") : ask_again("POST /login");
      leave(because);
      ASSERT_TRUE(done);
      EXPECT_NE(x.ended_by, EndedBy::ban);
    }
  }
}

TEST_F(PathUnanswered, KeepsThePermitIfTheCallersDeadlineComesFirst) {
  version = 20;
  call_grpc("grpc-timeout: 60m\r\n");
  clock.advance(milliseconds(60));
  ASSERT_TRUE(done);
  EXPECT_EQ(x.ended_by, EndedBy::deadline);
  EXPECT_EQ(left("guesses"), 2U);
}

TEST_F(PathUnanswered, KeepsThePermitIfTheServerItselfSaysThatTheCallersDeadlineIsOver) {
  server.status = 200;
  server.head_after = milliseconds(60);
  server.fields = {{http::Known::content_type, "content-type", "application/grpc"},
                   {http::Known::unknown, "grpc-status", "4"}};
  call_grpc("grpc-timeout: 60m\r\n");  // over HTTP/1.1, where the server alone looks at it
  clock.advance(milliseconds(60));
  ASSERT_TRUE(done);
  EXPECT_EQ(left("guesses"), 2U);
}

TEST_F(PathUnanswered, GivesBackIfTheServerFoundADeadlineOfItsOwn) {
  server.status = 200;
  server.head_after = milliseconds(60);
  server.fields = {{http::Known::content_type, "content-type", "application/grpc"},
                   {http::Known::unknown, "grpc-status", "4"}};
  call_grpc();
  clock.advance(milliseconds(60));
  ASSERT_TRUE(done);
  EXPECT_EQ(left("guesses"), 3U);
}

TEST_F(PathUnanswered, KeepsThePermitIfTheServerAnswers504AfterTheCallersDeadline) {
  server.status = 504;
  server.head_after = milliseconds(300);
  const auto at = std::chrono::duration<double>(clock.wall().time_since_epoch()).count() + 0.2;
  check("POST /login", "X-Request-Deadline: " + std::to_string(at) + "\r\n");
  clock.advance(milliseconds(300));
  ASSERT_TRUE(done);
  EXPECT_EQ(left("guesses"), 2U);
}

TEST_F(PathUnanswered, GivesBackAfterA504WithoutADeadlineOfTheCaller) {
  server.status = 504;
  check("POST /login");
  clock.advance(seconds(20));
  ASSERT_TRUE(done);
  EXPECT_EQ(left("guesses"), 3U);
}

TEST_F(PathUnanswered, KeepsThePermitIfTheServerFindsTheBodyTooSlow) {
  server.status = 408;
  server.head_after = seconds(5);
  check("POST /login", "Content-Length: 9\r\n", {{"a=1", Duration(0), {}}, {"&b=2&c", seconds(8), {}}});
  clock.advance(seconds(5));
  EXPECT_EQ(client.status, 408U);
  EXPECT_EQ(left("guesses"), 2U);
}

TEST_F(PathUnanswered, GivesBackIfACallerLeavesACallWhoseAnswerHasBegun) {
  bans();
  server.status = 200;
  server.head_after = Duration(0);
  server.fields = {{http::Known::content_type, "content-type", "application/grpc"}};
  server.framing = {http::Framing::Kind::unknown, 0};
  server.body = {{"m", Duration(0), {}}, {"n", seconds(9), {}}};
  call_grpc();
  EXPECT_EQ(client.status, 200U);
  leave();
  ASSERT_TRUE(done);
  EXPECT_EQ(left("guesses"), 3U) << "whoever watches something leaves at some time";
}

// The server sends its head at once, a message for a right guess, and the status of a wrong one late.
TEST_F(PathUnanswered, KeepsThePermitIfACallerLeavesACallBeforeItsFirstMessage) {
  bans();
  server.status = 200;
  server.head_after = Duration(0);
  server.fields = {{http::Known::content_type, "content-type", "application/grpc"}};
  server.framing = {http::Framing::Kind::unknown, 0};
  server.body = {{"", seconds(9), {}}};
  call_grpc();
  EXPECT_EQ(client.status, 200U);
  leave();
  ASSERT_TRUE(done);
  EXPECT_EQ(left("guesses"), 2U);
}

TEST_F(PathUnanswered, KeepsThePermitIfTheCallersDeadlineEndsACallBeforeItsFirstMessage) {
  version = 20;
  server.status = 200;
  server.head_after = Duration(0);
  server.fields = {{http::Known::content_type, "content-type", "application/grpc"}};
  server.framing = {http::Framing::Kind::unknown, 0};
  server.body = {{"", seconds(9), {}}};
  call_grpc("grpc-timeout: 60m\r\n");
  clock.advance(seconds(9));
  ASSERT_TRUE(done);
  EXPECT_EQ(left("guesses"), 2U);
}

TEST_F(PathUnanswered, KeepsThePermitIfACallerLeavesBehindAMessageThatTheServerHasNotAnswered) {
  upstream().http2 = true;
  server.status = 200;
  server.head_after = Duration(0);
  server.fields = {{http::Known::content_type, "content-type", "application/grpc"}};
  server.framing = {http::Framing::Kind::unknown, 0};
  server.body = {{"hello", seconds(1), {}}, {"right", seconds(9), {}}};
  check("POST /test.Login/Talk", "Content-Type: application/grpc\r\nTransfer-Encoding: chunked\r\n",
        {{"hello", Duration(0), {}}, {"guess", seconds(2), {}}, {"", seconds(60), {}}});
  clock.advance(seconds(3));
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(client.body, "hello");
  leave();
  ASSERT_TRUE(done);
  EXPECT_EQ(left("guesses"), 2U);
}

TEST_F(PathUnanswered, GivesBackIfTheServerBreaksOffACallBeforeItsFirstMessage) {
  server.status = 200;
  server.head_after = Duration(0);
  server.fields = {{http::Known::content_type, "content-type", "application/grpc"}};
  server.framing = {http::Framing::Kind::unknown, 0};
  server.body = {{"", seconds(1), error::eof}};
  call_grpc();
  clock.advance(seconds(1));
  ASSERT_TRUE(done);
  EXPECT_EQ(left("guesses"), 3U);
}

TEST_F(PathUnanswered, GivesBackIfTheServerBreaksOffBeforeItsTrailers) {
  server.status = 200;
  server.head_after = Duration(0);
  server.fields = {{http::Known::content_type, "content-type", "application/grpc"}};
  server.framing = {http::Framing::Kind::unknown, 0};
  server.body = {{"m", Duration(0), {}}, {"", seconds(1), error::eof}};
  call_grpc();
  clock.advance(seconds(1));
  ASSERT_TRUE(done);
  EXPECT_EQ(left("guesses"), 3U);
}

TEST_F(PathUnanswered, CountsTheStatusOfGrpcWhateverTypeTheRequestHas) {
  upstream().http2 = true;
  server.status = 200;
  server.head_after = Duration(0);
  server.fields = {{http::Known::content_type, "content-type", "application/grpc"},
                   {http::Known::unknown, "grpc-status", "16"}};
  for (const auto* const type : {"application/grpcx", "application/json", ""}) {
    const auto field = *type == '\0' ? "" : "Content-Type: " + std::string(type) + "\r\n";
    gateway == nullptr ? check("POST /test.Login/Try", field) : ask_again("POST /test.Login/Try", field);
  }
  EXPECT_EQ(left("guesses"), 0U);
}

TEST_F(PathUnanswered, KeepsThePermitIfTheMessagesOfItsCallExceedAnotherLimit) {
  limit_by("client_ip", "talk", "2/hour").messages = true;
  upstream().http2 = true;
  const std::string message("\0\0\0\0\1m", 6);
  check("POST /test.Login/Try", "Content-Type: application/grpc\r\nTransfer-Encoding: chunked\r\n",
        {{message, Duration(0), {}}, {message + message + message, seconds(1), {}}});
  clock.advance(seconds(1));
  ASSERT_TRUE(done);
  EXPECT_EQ(x.ended_by, EndedBy::limit);
  EXPECT_EQ(left("guesses"), 2U);
}

TEST_F(PathUnanswered, GivesBackIfTheServerFails) {
  server.head_after = Duration(0);
  for (const auto what : {Failed::closed, Failed::malformed, Failed::reply_timeout}) {
    server.breaks = Failure{what, {}, false, ""};
    gateway == nullptr ? check("POST /login") : ask_again("POST /login");
    EXPECT_EQ(left("guesses"), 3U) << static_cast<int>(what);
  }
}

TEST_F(PathUnanswered, KeepsThePermitOfAClientThatLeavesInThePauseBeforeARetry) {
  retries();
  server.status = 503;
  server.head_after = Duration(0);
  server.fields = {{http::Known::retry_after, "Retry-After", "9"}};
  check("GET /login");
  ASSERT_FALSE(done);
  leave();
  clock.advance(Duration(0));
  ASSERT_TRUE(done);
  EXPECT_EQ(left("guesses"), 2U);
}

TEST_F(PathUnanswered, CostsNothingOnceATunnelIsOpen) {
  bans();
  server.status = 101;
  server.head_after = Duration(0);
  server.fields = {{http::Known::upgrade, "Upgrade", "websocket"}};
  server.framing = {};
  server.body = {{"hello", seconds(5), {}}};
  check("GET /a", "Connection: Upgrade\r\nUpgrade: websocket\r\n");
  EXPECT_EQ(client.status, 101U);
  EXPECT_THAT(client.fields["RateLimit"], HasSubstr("r=3"));
  leave();
  ASSERT_TRUE(done);
  EXPECT_EQ(left("guesses"), 3U);
}

}  // namespace
}  // namespace headgate::gateway::test
