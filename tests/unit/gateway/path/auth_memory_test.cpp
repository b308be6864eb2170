// What an auth service has said that counts for others: later, or while they wait.

#include "unit/gateway/path/auth_service.hpp"

namespace headgate::gateway::test {
namespace {

using testing::HasSubstr;

TEST_F(AuthServicePath, RemembersAnAdmissionForTheSameQuestionOnly) {
  remember_by_authorization();
  says(200, {field("X-User", "alice")});
  check("GET /a", "Authorization: Basic alice\r\n");
  ask_again("GET /b", "Authorization: Basic alice\r\nCookie: other=1\r\n");
  EXPECT_EQ(asked(), 1U);
  EXPECT_THAT(app->report.head, HasSubstr("X-User: alice\n"));
  says(200, {field("X-User", "bob")});
  ask_again("GET /a", "Authorization: Basic bob\r\n");
  EXPECT_EQ(asked(), 2U);
  EXPECT_THAT(app->report.head, HasSubstr("X-User: bob\n"));
  clock.advance(seconds(10));
  ask_again("GET /a", "Authorization: Basic alice\r\n");
  EXPECT_EQ(asked(), 3U);
}

TEST_F(AuthServicePath, AsksAgainWhereAClientNamesAnotherTrace) {
  remember_by_authorization();
  options_of_service.fields = {"Authorization", "traceparent", "tracestate"};
  use_service();
  check("GET /a", "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n");
  ask_again("GET /a", "traceparent: 00-1af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n");
  EXPECT_EQ(asked(), 2U) << "the service may have looked at it";
  ask_again("GET /a", "traceparent: 00-1af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n");
  EXPECT_EQ(asked(), 2U) << "the ids of the requests are others, and are the gateway's";
}

TEST_F(AuthServicePath, RemembersAnAdmissionWhateverElseItSays) {
  remember_by_authorization();
  const std::string long_text(4000, 'x');
  says(200, {field("X-User", "alice"), field("X-Other", long_text)});
  check("GET /a");
  ask_again("GET /a");
  EXPECT_EQ(asked(), 1U);
  says(200, {field("X-User", long_text)});
  for (const std::size_t calls : {2U, 3U}) {
    ask_again("GET /a", "Authorization: Basic long\r\n");
    EXPECT_EQ(asked(), calls) << "it is too long";
  }
}

TEST_F(AuthServicePath, FailsOnceForAllWhoWaitForIt) {
  remember_by_authorization();
  for (const unsigned status : {500U, 404U}) {
    shadow->report.targets.clear();
    says(status);
    service().head_after = seconds(1);
    done ? ask_again("GET /a") : check("GET /a");
    Other other(*this);
    check_also(other, "GET /b", {});
    clock.advance(seconds(1));
    ASSERT_TRUE(done && other.done);
    EXPECT_EQ(client.status, 503U);
    EXPECT_EQ(other.client.status, 503U);
    EXPECT_EQ(asked(), 1U);
  }
}

TEST_F(AuthServicePath, IsAskedAgainForACallerWhoWaitedOnlyWithinTheRemainingTime) {
  remember_by_authorization();
  says(200, {field("Set-Cookie", "s=1")});
  service().head_after = milliseconds(1500);
  check("GET /a");
  Other other(*this);
  check_also(other, "GET /a", {});
  EXPECT_EQ(asked(), 1U);
  clock.advance(milliseconds(1500));
  EXPECT_TRUE(done);
  EXPECT_EQ(asked(), 2U);
  EXPECT_FALSE(other.done);
  clock.advance(milliseconds(500));
  ASSERT_TRUE(other.done);
  EXPECT_EQ(other.client.status, 503U);
}

TEST_F(AuthServicePath, RemembersNothingForAConfigurationThatCameMeanwhile) {
  remember_by_authorization();
  says(200, {field("Set-Cookie", "s=1")});
  service().head_after = seconds(1);
  check("GET /a");
  Other other(*this);
  check_also(other, "GET /a", {});
  reload();
  says(200);
  service().head_after = Duration(0);
  clock.advance(seconds(1));
  ASSERT_TRUE(done && other.done);
  EXPECT_EQ(other.client.status, 200U);
  EXPECT_EQ(asked(), 2U);
  ask_again("GET /a");
  EXPECT_EQ(asked(), 3U) << "it was said to a request of the configuration before";
  ask_again("GET /a");
  EXPECT_EQ(asked(), 3U);
}

TEST_F(AuthServicePath, RemembersNoRefusalAndNoAnswerThatIsForOneCallerOrMustNotBeStored) {
  remember_by_authorization();
  std::size_t calls = 0;
  for (const auto& [status, fields] :
       std::vector<std::pair<unsigned, http::Fields>>{{403, {}},
                                                      {200, {field("Set-Cookie", "s=1")}},
                                                      {200, {field("Cache-Control", "private, no-store")}},
                                                      {200, {field("Cache-Control", "max-age=0")}}}) {
    says(status, fields);
    calls == 0 ? check("GET /a") : ask_again("GET /a");
    ask_again("GET /a");
    EXPECT_EQ(asked(), calls += 2);
  }
}
}  // namespace
}  // namespace headgate::gateway::test
