// Requests whose hold does not fit, and which pass with a smaller maximum of output.

#include "unit/gateway/path/limits/model_calls.hpp"

#include "headgate/usage/prices.hpp"

namespace headgate::gateway::test {
namespace {

using testing::HasSubstr;

class PathClamp : public ModelCalls {
 protected:
  /// A limit of 1,000 tokens that accepts a maximum of at least 50.
  Cost& clamps(limit::Store store = limit::Store::memory, const std::string& name = "tokens") {
    limit_by("client_ip", name, "1000/hour", store);
    auto& cost = counts_usage();
    cost.hold.clamp = true;
    cost.hold.at_least = 50;
    return cost;
  }
  /// Takes permits of the last limit, so that `left` remain.
  void use_up_to(int left) {
    const auto& limit = limits.back();
    const auto check = headgate::test::make_check(limit.tiers.front().rules.front(), "192.0.2.7", 1'000 - left);
    limit::Decision ignored;
    auto& store = limit.store == limit::Store::redis ? stored->store() : memory.store();
    ASSERT_TRUE(store.decide({&check, 1}, clock.wall(), {&ignored, 1}));
    answers("{}", seconds(1));
  }
  void stores_in_redis() {
    stored = std::make_shared<StoredRedis>(clock, trace);
    other_redis = stored;
  }
  void finish() {
    clock.advance(seconds(1));
    ASSERT_TRUE(done);
  }

  std::shared_ptr<StoredRedis> stored;
};

TEST_F(PathClamp, LowersTheMaximumToWhatIsLeft) {
  clamps();
  use_up_to(120);
  call(R"({"max_tokens":400,"model":"m"})");
  finish();
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(app->report.bodies.back(), R"({"max_tokens":120,"model":"m"})");
  EXPECT_EQ(x.clamped, 120);
  EXPECT_EQ(held(), 120);
  EXPECT_EQ(x.request.framing.length, app->report.bodies.back().size());
}

TEST_F(PathClamp, LeavesARequestThatFitsAlone) {
  clamps();
  use_up_to(400);
  const std::string body = R"({"max_tokens":400,"model":"m"})";
  call(body);
  finish();
  EXPECT_EQ(app->report.bodies.back(), body);
  EXPECT_EQ(x.clamped, 0);
}

TEST_F(PathClamp, SubtractsTheInput) {
  clamps().hold.input = 1;
  use_up_to(120);
  call(R"({"max_tokens":400,"text":"twelve bytes"})");
  finish();
  EXPECT_EQ(app->report.bodies.back(), R"({"max_tokens":108,"text":"twelve bytes"})");
}

TEST_F(PathClamp, DividesByTheNumberOfAnswers) {
  clamps();
  use_up_to(151);
  call(R"({"n":2,"max_completion_tokens":400})");
  finish();
  EXPECT_EQ(app->report.bodies.back(), R"({"n":2,"max_completion_tokens":75})");
  EXPECT_EQ(held(), 150);
}

TEST_F(PathClamp, LowersOnlyTheMaximaThatAreTooLarge) {
  clamps();
  use_up_to(120);
  call(R"({"max_completion_tokens":1e3,"max_tokens":10})");
  finish();
  EXPECT_EQ(app->report.bodies.back(), R"({"max_completion_tokens":120,"max_tokens":10})");
}

TEST_F(PathClamp, AddsTheMaximumThatARequestLacks) {
  clamps().default_value = 300;
  use_up_to(120);
  call(R"( {"messages":[{"role":"user","content":"{}"}]})");
  finish();
  EXPECT_EQ(app->report.bodies.back(), R"( {"max_completion_tokens":120,"messages":[{"role":"user","content":"{}"}]})");
}

TEST_F(PathClamp, ReplacesAMaximumThatIsNull) {
  clamps().default_value = 300;
  use_up_to(120);
  call(R"({"max_tokens":null,"messages":[]})");
  finish();
  EXPECT_EQ(app->report.bodies.back(), R"({"max_tokens":120,"messages":[]})");
}

TEST_F(PathClamp, AddsTheMemberThatBodyNames) {
  auto& cost = clamps();
  cost.hold.of_usage = false;
  cost.hold.pointer = "/a\"b";
  cost.default_value = 300;
  use_up_to(120);
  call("{ }");
  finish();
  EXPECT_EQ(app->report.bodies.back(), R"({"a\"b":120 })");
}

TEST_F(PathClamp, AddsTheMembersOfAllLimits) {
  for (const std::string name : {"a", "b"}) {
    auto& cost = clamps(limit::Store::memory, name);
    cost.hold.of_usage = false;
    cost.hold.pointer = "/" + name;
    cost.default_value = 300;
    use_up_to(120);
  }
  call("{}");
  finish();
  EXPECT_EQ(app->report.bodies.back(), R"({"a":120,"b":120})");
  answers("{}", seconds(1));
  clock.advance(std::chrono::hours(1));
  use_up_to(120);
  call(R"({"c":1})");
  finish();
  EXPECT_EQ(app->report.bodies.back(), R"({"a":120,"b":120,"c":1})");
}

TEST_F(PathClamp, WritesBehindTheQuestionForTheUsage) {
  clamps().ask_usage = true;
  use_up_to(120);
  call(R"({"stream":true,"max_tokens":400})");
  finish();
  EXPECT_EQ(app->report.bodies.back(), R"({"stream_options":{"include_usage":true},"stream":true,"max_tokens":120})");
}

TEST_F(PathClamp, RejectsARequestBelowAtLeast) {
  clamps();
  use_up_to(49);
  const auto sent = app->report.bodies.size();
  call(R"({"max_tokens":400})");
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(app->report.bodies.size(), sent);
  EXPECT_EQ(left("tokens"), 49U);
  EXPECT_EQ(x.clamped, 0);
  EXPECT_THAT(client.body, HasSubstr("This request may use 50 of the limit of 1000/hour, and 49 are left. Try again in "
                                     "4 seconds."))
      << "the smallest maximum decides how long the client waits";
}

TEST_F(PathClamp, ChangesNoRequestThatServersCouldReadDifferently) {
  clamps().default_value = 300;
  use_up_to(120);
  for (const std::string body : {R"({"max_tokens":400,"max_tokens":300})", R"({"max_tokens":400,"Max_Tokens":300})",
                                 R"({"max_tokens":"400"})", R"({"max_tokens":400,"n":2,"n":1})", R"({"max_tokens":-1})",
                                 R"([{"max_tokens":400}])", R"({"max_tokens":400)", R"({"x":{"max_tokens":400}})"}) {
    call(body);
    EXPECT_EQ(client.status, 429U) << body;
    EXPECT_EQ(x.clamped, 0) << body;
  }
  EXPECT_TRUE(app->report.bodies.empty());
}

TEST_F(PathClamp, ChangesNoRequestWhoseDigestIsSent) {
  clamps();
  use_up_to(120);
  call(R"({"max_tokens":400})", "Content-Digest: sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:\r\n");
  EXPECT_EQ(client.status, 429U);
}

TEST_F(PathClamp, LetsNoRequestPassThatAnotherLimitRejects) {
  limit_by("client_ip", "fixed", "1000/hour");
  counts_usage();
  use_up_to(120);
  clamps();
  use_up_to(120);
  call(R"({"max_tokens":400})");
  EXPECT_EQ(client.status, 429U);
}

TEST_F(PathClamp, ChangesNothingForALimitThatOnlyObserves) {
  clamps();
  limits.back().mode = limit::Mode::observe;
  use_up_to(120);
  call(R"({"max_tokens":400})");
  finish();
  EXPECT_EQ(app->report.bodies.back(), R"({"max_tokens":400})");
}

TEST_F(PathClamp, LowersTheMaximumToWhatIsLeftInRedis) {
  stores_in_redis();
  clamps(limit::Store::redis);
  use_up_to(120);
  call(R"({"max_tokens":400})");
  finish();
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(app->report.bodies.back(), R"({"max_tokens":120})");
  EXPECT_THAT(trace.lines, testing::Contains(HasSubstr("tokens 400")));
  EXPECT_THAT(trace.lines, testing::Contains(HasSubstr("tokens 120")));
}

TEST_F(PathClamp, LowersTheMaximumToWhatIsLeftHereWhileRedisIsAway) {
  stores_in_redis();
  clamps(limit::Store::redis);
  stored->away = true;
  reports(880, 0);
  call(R"({"max_tokens":880})");
  ASSERT_EQ(client.status, 200U);
  answers("{}", seconds(1));
  call(R"({"max_tokens":400})");
  finish();
  EXPECT_EQ(app->report.bodies.back(), R"({"max_tokens":120})");
}

TEST_F(PathClamp, RejectsARequestBelowAtLeastInRedis) {
  stores_in_redis();
  clamps(limit::Store::redis);
  use_up_to(49);
  call(R"({"max_tokens":400})");
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(x.clamped, 0);
}

TEST_F(PathClamp, AsksRedisAgainAlthoughTheRejectionSaysThatNothingIsLeft) {
  clamps(limit::Store::redis);
  answers("{}");
  redis->rejects = "tokens";
  call(R"({"max_tokens":400})");
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(redis->asked.size(), 2U) << "a known rejection of 400 may be older than the permits for 50";
}

TEST_F(PathClamp, WritesTheSmallerMaximumOfTwoStages) {
  stores_in_redis();
  clamps(limit::Store::memory, "here");
  use_up_to(200);
  clamps(limit::Store::redis, "there");
  use_up_to(120);
  call(R"({"max_tokens":400})");
  finish();
  EXPECT_EQ(app->report.bodies.back(), R"({"max_tokens":120})");
  EXPECT_THAT(trace.lines,
              testing::IsSupersetOf({HasSubstr("here 200"), HasSubstr("there 200"), HasSubstr("there 120")}));
}

TEST_F(PathClamp, TakesTheLeastOfTwoLimitsOfOneStage) {
  clamps(limit::Store::memory, "one");
  use_up_to(200);
  clamps(limit::Store::memory, "two");
  use_up_to(120);
  call(R"({"max_tokens":400})");
  finish();
  EXPECT_EQ(app->report.bodies.back(), R"({"max_tokens":120})");
}

TEST_F(PathClamp, WritesNoMaximumThatOneOfTheLimitsDoesNotAccept) {
  clamps(limit::Store::memory, "one").hold.at_least = 150;
  use_up_to(500);
  clamps(limit::Store::memory, "two");
  use_up_to(120);
  call(R"({"max_tokens":400})");
  EXPECT_EQ(client.status, 429U);
}

TEST_F(PathClamp, FindsTheMaximumThatTheMoneyLeftPaysFor) {
  auto& cost = clamps();
  limits.back().unit = limit::Unit::money;
  cost.hold.input = 1;
  prices = std::make_shared<const usage::Prices>(
      *usage::Prices::parse(R"({"models":{"m":{"input":"1","output":"0.25","max_output":100000}}})"));
  use_up_to(100);
  call(R"({"model":"m","max_tokens":4000})");
  finish();
  EXPECT_EQ(app->report.bodies.back(), R"({"model":"m","max_tokens":396})") << "99 micro-units, and 1 for the input";
}

}  // namespace
}  // namespace headgate::gateway::test
