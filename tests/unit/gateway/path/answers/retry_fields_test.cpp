// What refusals say to programs: when to come back, whether to, and what they are.

#include "unit/gateway/path/path.hpp"

namespace headgate::gateway::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using testing::HasSubstr;

class PathRetryFields : public Path {
 protected:
  void again(std::string_view fields = {}) { gateway ? ask_again("GET /a", fields) : check("GET /a", fields); }
  void twice() {
    again();
    again();
  }
  /// Empty: the answer has no such field.
  void expect_told(const std::string& after, const std::string& after_ms, const std::string& should_retry) {
    EXPECT_EQ(client.fields["Retry-After"], after);
    EXPECT_EQ(client.fields["Retry-After-Ms"], after_ms);
    EXPECT_EQ(client.fields["X-Should-Retry"], should_retry);
  }
};

TEST_F(PathRetryFields, TellTheWaitInMillisecondsRoundedUp) {
  in_memory("few", "1/second");
  again();
  clock.advance(milliseconds(749) + std::chrono::microseconds(1));
  again();
  expect_told("1", "251", "");
}

TEST_F(PathRetryFields, KeepAWaitFromClientsThatWouldNotWaitForIt) {
  in_memory("few", "1/hour");
  twice();
  EXPECT_EQ(client.status, 429U);
  expect_told("3600", "3600000", "false");
}

TEST_F(PathRetryFields, LetClientsRepeatARequestAfterAMinute) {
  in_memory("few", "1/minute");
  twice();
  expect_told("60", "60000", "");
}

TEST_F(PathRetryFields, TellThatNoWaitHelpsARequestThatCostsTooMuch) {
  in_memory("few", "1/hour");
  route.limits.back().cost.default_value = 2;
  again();
  EXPECT_EQ(client.status, 429U);
  expect_told("", "", "false");
}

TEST_F(PathRetryFields, NameTheLimitAsItIsCalledAtTheScaleOfItsRoute) {
  in_memory("few", "2/hour");
  route.limits.back().scale_down = 2;
  twice();
  EXPECT_EQ(client.status, 429U);
  EXPECT_THAT(client.body, HasSubstr("The limit of 1/hour is used up. Try again in 60 minutes.\",\n  \"limit\": "
                                     "\"few@things\",\n  \"violated-policies\": [\"few\"], \"retry_after\": 3600,\n"
                                     "  \"request_id\""));
  EXPECT_TRUE(client.fields["RateLimit"].starts_with("\"few\";")) << "as the policy is called there";
}

TEST_F(PathRetryFields, TellWhatIsLeftOfASuspension) {
  auto& policy = in_memory("abuse", "10/hour").ban.emplace();
  policy.offences = headgate::test::make_rule("3/minute", 0, "abuse", "sliding_log");
  bans.add("abuse", "192.0.2.7", milliseconds(10'250), clock.wall());
  again();
  EXPECT_EQ(x.ended_by, EndedBy::ban);
  expect_told("11", "10250", "");
}

TEST_F(PathRetryFields, TellTheLongerWaitOfAnotherLimit) {
  in_memory("burst", "1/second");
  in_redis("day", "1000/day");
  redis->known_waits["day"] = milliseconds(30'500);
  again();
  clock.advance(milliseconds(500));
  again();
  EXPECT_EQ(client.status, 429U);
  expect_told("31", "30500", "");
}

TEST_F(PathRetryFields, AreSentWithARefusalThatIsNotByALimit) {
  const shed::ConcurrencyOptions one{.adaptive = shed::ConcurrencyRange{.least = 1, .most = 1}};
  bound(one);
  app->counted.emplace(one).enter(shed::Priority::normal);
  again();
  EXPECT_EQ(client.status, 503U);
  expect_told("1", "1000", "");
}

TEST_F(PathRetryFields, AreNotThereWithoutAWait) {
  route.path = "/b";
  again();
  EXPECT_EQ(client.status, 404U);
  expect_told("", "", "");
}

TEST_F(PathRetryFields, OfARoomForbidARetryWithoutItsTicket) {
  auto& room = options.rooms.emplace_back();
  room.rule = {
      .name = "sale", .count = 1, .period = seconds(10), .burst = 1, .grace = seconds(60), .stay = seconds(600)};
  room.secrets = {"0123456789abcdef0123456789abcdef"};
  room.per = {headgate::test::make_per("client_ip")};
  room.store = limit::Store::memory;
  route.waiting_room = "sale";
  twice();
  EXPECT_EQ(client.status, 429U);
  EXPECT_THAT(client.body, HasSubstr("\"status\": 429, \"code\": \"waiting_room\","));
  EXPECT_EQ(client.fields["Retry-After-Ms"], client.fields["Retry-After"] + "000");
  EXPECT_EQ(client.fields["X-Should-Retry"], "false");
}

TEST_F(PathRetryFields, MayBeReadByAPageOfAnotherOrigin) {
  Cors rules;
  rules.any = true;
  rules.expose = kAlwaysExposed;
  route.cors = std::make_shared<const Cors>(rules);
  in_memory("few", "1/hour");
  again("Origin: https://b.example\r\n");
  again("Origin: https://b.example\r\n");
  for (const char* name : {"Retry-After", "Retry-After-Ms", "X-Should-Retry", "WWW-Authenticate"})
    EXPECT_TRUE(http::lists(client.fields["Access-Control-Expose-Headers"], name)) << name;
}

}  // namespace
}  // namespace headgate::gateway::test
