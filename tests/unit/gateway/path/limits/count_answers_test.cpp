// Limits that count only answers of some statuses: held before the request, given back if the answer does not count.

#include "unit/gateway/path/path.hpp"

namespace headgate::gateway::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

class PathCountAnswers : public Path {
 protected:
  limit::Limit& failures(limit::Store store = limit::Store::memory, std::string_view rate = "3/hour") {
    auto& limit = limit_by("client_ip", "failures", rate, store);
    limit.counted_statuses = {401, 403};
    return limit;
  }
};

TEST_F(PathCountAnswers, GiveBackWhatDoesNotCount) {
  failures();
  check("POST /login");
  ASSERT_TRUE(done);
  EXPECT_EQ(left("failures"), 3U);
  EXPECT_THAT(client.fields["RateLimit"], HasSubstr("r=3")) << "told with the answer";
}

TEST_F(PathCountAnswers, KeepWhatCounts) {
  failures();
  server.status = 401;
  for (unsigned attempt = 0; attempt < 3; ++attempt) {
    attempt == 0 ? check("POST /login") : ask_again("POST /login");
    EXPECT_EQ(client.status, 401U);
    EXPECT_EQ(left("failures"), 2U - attempt);
  }
  server.status = 200;
  ask_again("POST /login");
  EXPECT_EQ(client.status, 429U) << "the right password, too late";
}

TEST_F(PathCountAnswers, GiveBackIfNoServerWasReached) {
  failures();
  server.unreachable = Failure{};
  check("POST /login");
  EXPECT_EQ(client.status, 502U);
  EXPECT_EQ(left("failures"), 3U);
  EXPECT_THAT(client.fields["RateLimit"], HasSubstr("r=3"));
}

TEST_F(PathCountAnswers, KeepTheHoldOfAClientThatDoesNotWaitForTheAnswer) {
  failures();
  server.status = 401;
  server.head_after = seconds(1);
  check("POST /login");
  leave();
  ASSERT_TRUE(done);
  EXPECT_EQ(left("failures"), 2U) << "else a guesser hangs up before the answer counts";
}

TEST_F(PathCountAnswers, CountAnswersOfTheGatewayToo) {
  failures().counted_statuses = {404};
  route.to.clear();
  route.respond.emplace().status = 404;
  check("GET /missing");
  EXPECT_EQ(client.status, 404U);
  EXPECT_THAT(client.fields["RateLimit"], HasSubstr("r=2"));
  EXPECT_EQ(left("failures"), 2U);
}

TEST_F(PathCountAnswers, GiveBackForOtherAnswersOfTheGateway) {
  failures();
  route.to.clear();
  route.respond.emplace().status = 204;
  check("GET /fine");
  EXPECT_THAT(client.fields["RateLimit"], HasSubstr("r=3"));
  EXPECT_EQ(left("failures"), 3U);
}

TEST_F(PathCountAnswers, CountARefusedToken) {
  believe_tokens();
  route.require = Require::jwt;
  failures();
  check("GET /a", "Authorization: Bearer bad\r\n");
  EXPECT_EQ(client.status, 401U);
  EXPECT_EQ(left("failures"), 2U);
}

TEST_F(PathCountAnswers, DoNotCountARefusedTokenIfTheyCountSomethingElse) {
  believe_tokens();
  route.require = Require::jwt;
  failures().counted_statuses = {404};
  check("GET /a", "Authorization: Bearer bad\r\n");
  EXPECT_EQ(client.status, 401U);
  EXPECT_EQ(left("failures"), 3U);
}

TEST_F(PathCountAnswers, GiveBackInRedisAfterTheAnswer) {
  failures(limit::Store::redis);
  check("POST /login");
  ASSERT_TRUE(done);
  EXPECT_THAT(trace.lines, ElementsAre("redis failures 1", "connect", "send POST /login", "head", "answer 200",
                                       "settle failures -1"));
}

TEST_F(PathCountAnswers, SettleACostThatTheAnswerSaysOnlyIfItCounts) {
  failures(limit::Store::memory, "100/hour");
  settles(5);
  server.fields = {{http::Known::unknown, "Cost", "7"}};
  check("POST /login");
  EXPECT_EQ(left("failures"), 100U);
  server.status = 403;
  ask_again("POST /login");
  EXPECT_EQ(left("failures"), 93U);
  EXPECT_THAT(client.fields["RateLimit"], HasSubstr("r=93"));
}

TEST_F(PathCountAnswers, OweRedisOnlyWhatCounts) {
  failures(limit::Store::redis);
  redis->away = error::timed_out;
  check("POST /login");
  EXPECT_EQ(left("failures"), 3U) << "given back here";
  redis->away.reset();
  clock.advance(milliseconds(50));
  EXPECT_FALSE(trace.has("charge failures 1"));
}

TEST_F(PathCountAnswers, GiveBackIfTheServerBreaksOff) {
  failures();
  server.breaks = Failure{};
  check("POST /login");
  EXPECT_EQ(client.status, 502U);
  EXPECT_EQ(left("failures"), 3U);
}

TEST_F(PathCountAnswers, CountARefusedTokenInRedisBeforeItIsChecked) {
  other_redis = std::make_shared<StoredRedis>(clock, trace);
  believe_tokens();
  route.require = Require::jwt;
  failures(limit::Store::redis);
  check("GET /a", "Authorization: Bearer bad\r\n");
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(client.status, 401U);
    ask_again("GET /a", "Authorization: Bearer bad\r\n");
  }
  EXPECT_EQ(client.status, 401U);
  ask_again("GET /a", "Authorization: Bearer alice\r\n");
  EXPECT_EQ(client.status, 429U);
  EXPECT_THAT(trace.lines, testing::Not(Contains(HasSubstr("token"))));
}

TEST_F(PathCountAnswers, AskRedisOnceIfNoCredentialIsChecked) {
  failures(limit::Store::redis);
  in_redis("plan", "100/hour");
  check("GET /a");
  EXPECT_EQ(redis->asked.size(), 1U);
}

}  // namespace
}  // namespace headgate::gateway::test
