// The auth service of a route.

#include "unit/gateway/path/auth_service.hpp"

namespace headgate::gateway::test {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST_F(AuthServicePath, AsksByTheHeadAloneAndTellsTheServerWhoIsCalling) {
  says(200, {field("X-User", "alice"), field("X-Role", "admin")});
  check("POST /orders/7?page=2",
        "Authorization: Basic abc\r\nContent-Type: text/plain\r\nContent-Length: 2\r\nRange: bytes=0-1\r\n",
        {{"hi", Duration(0), {}}});
  EXPECT_EQ(client.status, 200U);
  EXPECT_THAT(shadow->report.targets, testing::ElementsAre("GET /check?from=gateway"));
  EXPECT_EQ(shadow->report.body, "");
  for (const auto* const line :
       {"Host: shadow\n", "Authorization: Basic abc\n", "X-Forwarded-Method: POST\n", "X-Original-Method: POST\n",
        "X-Forwarded-Uri: /orders/7?page=2\n", "X-Original-URI: /orders/7?page=2\n",
        "X-Original-URL: http://a.example/orders/7?page=2\n", "X-Forwarded-For: 192.0.2.7\n",
        "X-Forwarded-Host: a.example\n", "X-Forwarded-Proto: http\n"})
    EXPECT_THAT(question(), HasSubstr(line));
  EXPECT_THAT(question(), Not(HasSubstr("Content-")));
  EXPECT_THAT(question(), Not(HasSubstr("Range")));
  EXPECT_THAT(app->report.head, HasSubstr("X-User: alice\n"));
  EXPECT_THAT(app->report.head, Not(HasSubstr("X-Role")));
  EXPECT_EQ(app->report.body, "hi");
}

TEST_F(AuthServicePath, NeverPassesOnWhatACallerWritesInAFieldThatIsCopied) {
  says(200);
  check("GET /a", "X-User: root\r\nx_user: root\r\n");
  EXPECT_EQ(client.status, 200U);
  EXPECT_THAT(app->report.head, Not(HasSubstr("root")));
}

TEST_F(AuthServicePath, TellsTheServiceNothingThatACallerSaysOfTheRequestItself) {
  options.proxy_fields.clear();
  check("GET /admin", "X-Forwarded-Uri: /public\r\nX-Original-URI: /public\r\nX-Forwarded-Method: HEAD\r\n");
  EXPECT_THAT(question(), HasSubstr("X-Forwarded-Uri: /admin\n"));
  EXPECT_THAT(question(), Not(HasSubstr("/public")));
  EXPECT_THAT(question(), Not(HasSubstr("HEAD")));
}

TEST_F(AuthServicePath, TellsThePathThatRoutesAreFoundBy) {
  check("GET /public/../%61dmin/%20?x=/%61");
  for (const auto* const line : {"X-Original-URI: /admin/%20?x=/%61\n", "X-Forwarded-Uri: /admin/%20?x=/%61\n",
                                 "X-Original-URL: http://a.example/admin/%20?x=/%61\n"})
    EXPECT_THAT(question(), HasSubstr(line));
  EXPECT_THAT(app->report.targets, testing::ElementsAre("GET /%61dmin/%20?x=/%61"));
}

TEST_F(AuthServicePath, AsksOnlyByTheFieldsAndWordsThatAreChosen) {
  options_of_service.fields = {"Authorization"};
  options_of_service.told = {false, false, true, false};
  use_service();
  check("GET /a", "Authorization: Basic abc\r\nCookie: a=b\r\n");
  EXPECT_THAT(question(), HasSubstr("Authorization"));
  EXPECT_THAT(question(), HasSubstr("X-Forwarded-Uri: /a\n"));
  for (const auto* const word : {"Cookie", "Method", "X-Forwarded-For", "X-Forwarded-Host", "X-Original-URL"})
    EXPECT_THAT(question(), Not(HasSubstr(word)));
}

TEST_F(AuthServicePath, GivesARefusalToTheCallerAsItIs) {
  says(401, {field("WWW-Authenticate", "Basic realm=\"x\""), field("Set-Cookie", "a=1"), field("Set-Cookie", "b=2"),
             field("Connection", "X-Hop"), field("X-Hop", "1"), field("Keep-Alive", "timeout=5"),
             field("Transfer-Encoding", "chunked"), field("Content_Length", "7"), field("Content-Type", "text/plain")});
  check("GET /a");
  EXPECT_EQ(client.status, 401U);
  EXPECT_EQ(client.body, "ok");
  EXPECT_EQ(client.fields["WWW-Authenticate"], "Basic realm=\"x\"");
  EXPECT_EQ(client.names.count("set-cookie"), 2U);
  EXPECT_EQ(client.fields["Cache-Control"], "no-store");
  for (const auto* const name : {"x-hop", "keep-alive", "transfer-encoding", "content_length"})
    EXPECT_EQ(client.names.count(name), 0U) << name;
  EXPECT_TRUE(app->report.targets.empty());
  EXPECT_EQ(to_text(x.ended_by), "auth");
}

TEST_F(AuthServicePath, SendsTheCallerWhereTheServiceSays) {
  says(302, {field("Location", "https://login.example/?back=1")});
  check("GET /a");
  EXPECT_EQ(client.status, 302U);
  EXPECT_EQ(client.fields["Location"], "https://login.example/?back=1");
}

TEST_F(AuthServicePath, LetsNobodyInWhileTheServiceFails) {
  says(500);
  check("GET /a");
  EXPECT_EQ(client.status, 503U);
  EXPECT_EQ(client.fields["Retry-After"], "1");
  EXPECT_EQ(x.reason, "the auth service: it answered with 500");
  EXPECT_TRUE(app->report.targets.empty());
}

TEST_F(AuthServicePath, LetsRequestsInWhileTheServiceFailsIfTheRouteSaysSo) {
  options_of_service.if_down = AuthIfDown::allow;
  use_service();
  says(500, {field("X-User", "mallory")});
  check("GET /a", "X-User: root\r\n");
  EXPECT_EQ(client.status, 200U);
  EXPECT_THAT(app->report.head, Not(HasSubstr("X-User")));
}

// A caller may provoke such an answer: by a field that the service finds too long, for one.
TEST_F(AuthServicePath, TakesNoAnswerThatACallerCanProvokeForAnAdmission) {
  options_of_service.if_down = AuthIfDown::allow;
  use_service();
  for (const unsigned status : {400U, 404U, 431U, 304U, 302U}) {
    says(status);
    done ? ask_again("GET /a") : check("GET /a");
    EXPECT_EQ(client.status, 503U) << status;
  }
}

TEST_F(AuthServicePath, WaitsOnlySoLong) {
  service().head_after = seconds(60);
  check("GET /a");
  EXPECT_FALSE(done);
  clock.advance(seconds(2));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 503U);
  EXPECT_EQ(shadow->report.alive, 0U);
  EXPECT_EQ(x.reason, "the auth service: it did not answer in time");
}

TEST_F(AuthServicePath, WaitsOnlySoLongForAConnectionToo) {
  service().connect_after = seconds(60);
  check("GET /a");
  clock.advance(seconds(2));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 503U);
  clock.advance(seconds(60));
  EXPECT_EQ(asked(), 0U);
}

TEST_F(AuthServicePath, WaitsNoLongerThanItsCallerWhoSaysHowLong) {
  version = 20;
  options_of_service.if_down = AuthIfDown::allow;
  use_service();
  service().head_after = seconds(60);
  check("POST /a", "Content-Type: application/grpc\r\ngrpc-timeout: 300m\r\n");
  clock.advance(std::chrono::milliseconds(299));
  EXPECT_FALSE(done);
  clock.advance(std::chrono::milliseconds(1));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.fields["grpc-status"], "4");
  EXPECT_EQ(to_text(x.ended_by), "deadline");
  EXPECT_EQ(shadow->report.alive, 0U) << "nobody waits for the call";
  EXPECT_TRUE(app->report.targets.empty());
  says(200);
  service().head_after = Duration(0);
  ask_again("POST /a", "Content-Type: application/grpc\r\n");
  EXPECT_EQ(client.fields.count("grpc-status"), 0U) << "it says as little about the service as a caller that leaves";
}

TEST_F(AuthServicePath, KeepsARefusalWhosePageIsTooLongOrNeverComes) {
  options_of_service.if_down = AuthIfDown::allow;
  use_service();
  says(403);
  service().framing = {http::Framing::Kind::unknown, 0};
  service().body = {{std::string(100'000, 'x'), Duration(0), {}}};
  check("GET /a");
  EXPECT_EQ(client.status, 403U);
  EXPECT_EQ(client.body, "");
  service().body = {{"ok", seconds(60), {}}};
  ask_again("GET /a");
  EXPECT_FALSE(done);
  clock.advance(seconds(2));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 403U);
  EXPECT_TRUE(app->report.targets.empty());
}

TEST_F(AuthServicePath, NeedsNothingOfTheBodyOfAnAdmission) {
  says(200);
  service().framing = {http::Framing::Kind::unknown, 0};
  service().body = {{std::string(100'000, 'x'), Duration(0), {}}, {"more", seconds(60), {}}};
  check("GET /a");
  EXPECT_TRUE(done);
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(shadow->report.alive, 0U);
}

TEST_F(AuthServicePath, EndsTheCallWhenItsClientLeaves) {
  service().head_after = seconds(1);
  check("GET /a");
  leave();
  clock.advance(Duration(1));
  ASSERT_TRUE(done);
  EXPECT_EQ(shadow->report.alive, 0U);
  EXPECT_EQ(to_text(x.ended_by), "client_closed");
  EXPECT_TRUE(app->report.targets.empty());
}

TEST_F(AuthServicePath, AsksAgainOnANewConnectionIfAKeptOneWasClosed) {
  shadow->scripts.front().kept = true;
  shadow->scripts.front().breaks = Failure{Failed::closed, error::eof, true, ""};
  shadow->scripts.emplace_back();
  check("GET /a");
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(asked(), 2U);
}

TEST_F(AuthServicePath, CountsByWhatTheServiceSays) {
  limit_by("auth.X-User", "user", "1/hour");
  says(200, {field("x-user", "alice")});
  check("GET /a", "X-User: root\r\n");
  EXPECT_EQ(client.status, 200U);
  ask_again("GET /a", "X-User: other\r\n");
  EXPECT_EQ(client.status, 429U);
  says(200, {field("X-User", "bob")});
  ask_again("GET /a");
  EXPECT_EQ(client.status, 200U);
  says(200);
  ask_again("GET /a");
  EXPECT_EQ(client.status, 403U);
}

TEST_F(AuthServicePath, ChoosesAServerByWhatTheServiceSaysInEachUpstreamOfARoute) {
  next_app = std::make_shared<ScriptedUpstream>(clock, trace, "next");
  upstream("next").balance_per = {headgate::test::make_per("auth.X-Team")};
  Split split;
  split.by = {headgate::test::make_per("auth.X-User")};  // known only after the service has answered
  split.shares = {{.upstream = "app", .weight = 0, .when = {}, .seed = 1},
                  {.upstream = "next", .weight = 1, .when = {}, .seed = 2}};
  route.split = std::make_shared<const Split>(split);
  says(200, {field("X-Team", "red")});
  check("GET /a");
  const auto red = next_app->report.key;
  EXPECT_TRUE(red.has_value());
  says(200, {field("X-Team", "blue")});
  ask_again("GET /a");
  EXPECT_EQ(next_app->report.targets.size(), 2U);
  EXPECT_NE(next_app->report.key, red);
}

TEST_F(AuthServicePath, CountsByAddressBeforeItAsks) {
  in_memory("few", "1/hour");
  check("GET /a");
  ask_again("GET /a");
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(asked(), 1U);
}

TEST_F(AuthServicePath, ChargesAGuessToItsAddressAndARepetitionToNobody) {
  identity.failures = identity::FailureLimit{.rate = {2, std::chrono::hours(1)}, .burst = 2};
  says(401);
  check("GET /a", "Authorization: Basic one\r\n");
  for (int i = 0; i < 5; ++i) ask_again("GET /a", "Authorization: Basic one\r\n");
  for (int i = 0; i < 5; ++i) ask_again("GET /a");  // a browser that shows nothing guesses nothing
  EXPECT_EQ(client.status, 401U);
  ask_again("GET /a", "Authorization: Basic two\r\n");
  EXPECT_EQ(client.status, 401U);
  const auto before = asked();
  ask_again("GET /a", "Authorization: Basic three\r\n");
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(asked(), before);
}

TEST_F(AuthServicePath, AnswersACallOfGrpcWithAStatus) {
  version = 20;
  for (const auto& [status, told] :
       std::vector<std::pair<unsigned, std::string>>{{403, "7"}, {302, "16"}, {500, "14"}}) {
    says(status, {field("Location", "/login")});
    done ? ask_again("POST /a", "Content-Type: application/grpc\r\n")
         : check("POST /a", "Content-Type: application/grpc\r\n");
    EXPECT_EQ(client.status, 200U);
    EXPECT_EQ(client.fields["grpc-status"], told);
    EXPECT_EQ(client.names.count("location"), 0U);
  }
}

TEST_F(AuthServicePath, CopiesFieldsToTheAnswerOfTheServer) {
  options_of_service.copy_to_answer = {"Set-Cookie", "X-Session"};
  use_service();
  says(200, {field("Set-Cookie", "a=1"), field("Set-Cookie", "b=2"), field("X-Session", "new")});
  server.fields = {field("Set-Cookie", "c=3"), field("X-Session", "of the server")};
  check("GET /a");
  EXPECT_EQ(client.names.count("set-cookie"), 3U);
  EXPECT_EQ(client.fields["X-Session"], "new");
  EXPECT_EQ(client.names.count("x-session"), 1U);
}

TEST_F(AuthServicePath, ExplainsWithoutAskingIt) {
  const auto told = explain("GET /a");
  EXPECT_EQ(besides(told, "auth_service_decides_too"), "http://shadow/check?from=gateway");
  EXPECT_EQ(told.status, 0U);
  EXPECT_EQ(asked(), 0U);
}

TEST_F(AuthServicePath, AsksNothingWhileItsCircuitIsOpen) {
  shadow->door.emplace(shadow->gate);
  shadow->gate.state = balance::CircuitState::open;
  check("GET /a");
  EXPECT_EQ(client.status, 503U);
  EXPECT_EQ(asked(), 0U);
}

TEST_F(AuthServicePath, CountsWhatItSaysAmongCredentials) {
  says(403);
  check("GET /a");
  EXPECT_EQ(metric("headgate_auth_total{route=\"things\",kind=\"service\",result=\"refused\"}"), "1");
}

TEST_F(AuthServicePath, LetsAGuessPayInALimitInRedisBeforeItIsAnswered) {
  other_redis = std::make_shared<StoredRedis>(clock, trace);
  limit_by("client_ip", "guesses", "3/hour", limit::Store::redis).counted_statuses = {401};
  in_redis("plan", "100/hour");
  says(200);
  check("GET /a");
  EXPECT_EQ(client.status, 200U);
  EXPECT_THAT(trace.lines, testing::IsSupersetOf({"redis guesses 1", "redis plan 1", "settle guesses -1"}));
  says(401);
  for (int i = 0; i < 3; ++i) {
    ask_again("GET /a");
    EXPECT_EQ(client.status, 401U) << "what was right is given back";
  }
  says(200);
  ask_again("GET /a");
  EXPECT_EQ(client.status, 429U) << "the right one, too late";
  EXPECT_EQ(x.problem_limit, "guesses");
  EXPECT_EQ(asked(), 4U) << "nobody says whether it is right";
  EXPECT_THAT(trace.lines, Not(testing::Contains("redis plan 1")));
}

TEST_F(AuthServicePath, LetsAGuessPayInALimitInRedisIfItsClientDoesNotWait) {
  const auto stored = std::make_shared<StoredRedis>(clock, trace);
  other_redis = stored;
  limit_by("client_ip", "guesses", "3/hour", limit::Store::redis).counted_statuses = {401};
  says(401);
  service().head_after = seconds(1);
  check("GET /a", "Authorization: Basic abc\r\n");
  leave();
  clock.advance(seconds(1));
  ASSERT_TRUE(done);
  EXPECT_THAT(trace.lines, Not(testing::Contains("settle guesses -1")));
}

TEST_F(AuthServicePath, LetsAGuessPayHereWhileRedisIsDown) {
  limit_by("client_ip", "guesses", "3/hour", limit::Store::redis).counted_statuses = {401};
  redis->away = make_error_code(error::timed_out);
  says(401);
  check("GET /a");
  for (int i = 0; i < 3; ++i) ask_again("GET /a");
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(asked(), 3U);
}

}  // namespace
}  // namespace headgate::gateway::test
