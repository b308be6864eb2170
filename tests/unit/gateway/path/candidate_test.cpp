// Another policy beside the live one: it decides about the same requests, and nobody but its counters notices.

#include "unit/gateway/path/candidate.hpp"

#include <algorithm>
#include <stdexcept>

namespace headgate::gateway::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Has a bug.
class ThrowingRedis final : public limit::RemoteLimiter {
 public:
  Task<Result<bool>> decide(std::span<const limit::Check>, std::span<limit::Decision>) override {
    throw std::runtime_error("a bug");
  }
  std::optional<bool> decide_here(std::span<const limit::Check>, std::span<limit::Decision>) override {
    throw std::runtime_error("a bug");
  }
  bool settle(std::span<const limit::Check>, std::span<const Duration>) override { return true; }
  Task<error_code> charge(const limit::Check&, std::string_view) override { co_return error_code(); }
  Clock::Steady recovering_until() const noexcept override { return {}; }
  bool up() const noexcept override { return true; }
};

TEST_F(PathCandidate, SaysWhatItWouldRefuseAndRefusesNothing) {
  in_memory("plan", "10/hour");
  beside("client_ip", "plan", "2/hour");
  EXPECT_THAT(ask(5), ElementsAre(200U, 200U, 200U, 200U, 200U));
  EXPECT_EQ(compared("both_allowed"), "2");
  EXPECT_EQ(compared("hit"), "3");
  EXPECT_EQ(of_limit("plan", "both_allowed"), "2");
  EXPECT_EQ(of_limit("plan", "hit"), "3");
  EXPECT_EQ(left("plan"), 5U) << "the live counter has the live requests";
  EXPECT_EQ(left_beside(), 0U);
}

TEST_F(PathCandidate, NamesTheKeysThatItHitsAndFrees) {
  in_memory("old", "1/hour");
  beside("client_ip", "new", "3/hour");
  EXPECT_THAT(ask(5), ElementsAre(200U, 429U, 429U, 429U, 429U));
  EXPECT_EQ(compared("freed"), "2");
  EXPECT_EQ(of_limit("old", "freed"), "2") << "by the live limit that refused it";
  EXPECT_EQ(compared("both_refused"), "2");
  EXPECT_EQ(of_limit("new", "both_refused"), "2");
  const auto keys = candidate->take_keys();
  ASSERT_EQ(keys.size(), 1U);
  EXPECT_EQ(keys[0].limit, "old");
  ASSERT_TRUE(keys[0].allowed);
  const auto list = keys[0].allowed->list();
  ASSERT_EQ(list.keys.size(), 1U);
  EXPECT_EQ(list.keys[0].key, "192.0.2.7");
  EXPECT_EQ(list.keys[0].count, 2U);
  EXPECT_THAT(candidate->take_keys(), IsEmpty());
}

TEST_F(PathCandidate, ThatLacksAKeyIsAHitOfItsLimitAlone) {
  beside("header:X-Tenant", "per-tenant", "10/hour").if_absent.last = limit::IfAbsent::Last::reject;
  EXPECT_THAT(ask(1), ElementsAre(200U));
  EXPECT_EQ(of_limit("per-tenant", "hit"), "1");
  EXPECT_EQ(ask(1, "X-Tenant: acme\r\n"), std::vector<unsigned>{200U});
  EXPECT_EQ(of_limit("per-tenant", "both_allowed"), "1");
}

TEST_F(PathCandidate, WithoutARouteForTheRequestWouldRefuseIt) {
  candidate_route.path = "/other";
  EXPECT_THAT(ask(1), ElementsAre(200U));
  EXPECT_EQ(of_limit("-", "hit"), "1");
}

TEST_F(PathCandidate, IsNotWaitedForWhileItsRedisIsAskedAndWhenItIsAway) {
  beside("client_ip", "shared", "10/hour", limit::Store::redis);
  other->answers_after = seconds(5);
  const auto before = clock.steady();
  EXPECT_THAT(ask(2), ElementsAre(200U, 200U));
  EXPECT_EQ(clock.steady(), before);
  EXPECT_EQ(compared("both_allowed"), "0");
  clock.advance(seconds(5));
  EXPECT_EQ(compared("both_allowed"), "2");
  EXPECT_THAT(other->asked, ElementsAre("192.0.2.7", "192.0.2.7"));
  other->answers_after = Duration(0);
  other->away = make_error_code(error::timed_out);
  EXPECT_THAT(ask(1), ElementsAre(200U));
  EXPECT_EQ(undecided("redis_down"), "1");
  EXPECT_EQ(compared("undecided"), "1");
}

TEST_F(PathCandidate, LeavesTheLiveRequestAsItIs) {
  beside("client_ip", "plan", "1/hour");
  for (const auto* const hit : {"0", "1"}) {
    (void)ask(1, kFields);
    EXPECT_THAT(app->report.head, all_fields());
    EXPECT_EQ(of_limit("plan", "hit"), hit);
    app->report.head.clear();
  }
}

TEST_F(PathCandidate, LeavesTheLiveRequestAsItIsAlsoWithRedis) {
  beside("client_ip", "shared", "10/hour", limit::Store::redis);
  for (const auto wait : {seconds(0), seconds(1)}) {
    other->answers_after = wait;
    (void)ask(1, kFields);
    EXPECT_THAT(app->report.head, all_fields());
    app->report.head.clear();
    clock.advance(wait);
  }
  other->answers_after = Duration(0);
  other->away = make_error_code(error::timed_out);
  (void)ask(1, kFields);
  EXPECT_THAT(app->report.head, all_fields());
}

TEST_F(PathCandidate, LeavesTheHeadOfAnAnswerAsItIsWhereItsRedisIsLate) {
  beside("client_ip", "shared", "10/hour", limit::Store::redis);
  other->answers_after = seconds(1);
  server.head_after = seconds(1);
  server.body = {{"o", Duration(0), {}}, {"k", seconds(1), {}}};
  server.fields = {{http::Known::unknown, "X-Kept", "yes"}};
  check("GET /a");
  clock.advance(seconds(5));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(client.fields["X-Kept"], "yes");
  EXPECT_EQ(compared("both_allowed"), "1");
}

TEST_F(PathCandidate, ChecksNoToken) {
  believe_tokens();
  beside("jwt.sub", "proof", "1/hour");
  EXPECT_EQ(ask(2, "Authorization: Bearer alice\r\n"), (std::vector<unsigned>{200U, 200U}));
  EXPECT_EQ(undecided("token"), "2") << "the live policy did not look at it";
}

TEST_F(PathCandidate, SaysWhatItsRedisRejects) {
  beside("client_ip", "shared", "10/hour", limit::Store::redis);
  other->rejects = "shared";
  EXPECT_THAT(ask(2), ElementsAre(200U, 200U));
  EXPECT_EQ(of_limit("shared", "hit"), "2");
  other->known = other->spent = {"192.0.2.7"};
  EXPECT_THAT(ask(1), ElementsAre(200U));
  EXPECT_EQ(of_limit("shared", "hit"), "3") << "without a call";
}

TEST_F(PathCandidate, AsksItsRedisOnlySoManyTimesAtOnce) {
  beside("client_ip", "shared", "10000/hour", limit::Store::redis);
  other->answers_after = seconds(5);
  (void)ask(static_cast<int>(Candidate::kMaxCalls) + 3);
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(undecided("too_many"), "3");
  clock.advance(seconds(5));
  EXPECT_EQ(compared("both_allowed"), std::to_string(Candidate::kMaxCalls));
}

TEST_F(PathCandidate, WithABugChangesNoAnswer) {
  beside("client_ip", "shared", "10/hour", limit::Store::redis);
  candidate_redis = std::make_shared<ThrowingRedis>();
  EXPECT_THAT(ask(3), ElementsAre(200U, 200U, 200U));
  EXPECT_EQ(undecided("bug"), "3");
}

TEST_F(PathCandidate, HoldsAPermitInFlightAsLongAsTheRequestLasts) {
  auto& rule = beside("client_ip", "flights", "1/hour").tiers.front().rules.front();
  rule.algorithm = &limit::in_flight;
  rule.burst = 1;
  rule.rate = {1, limit::kFlightLease};
  limit::name_rule(rule, false, limit::PeriodInKey::no);
  server.head_after = seconds(5);
  check("GET /a");
  EXPECT_EQ(left_beside(), 0U);
  clock.advance(seconds(5));
  ASSERT_TRUE(done);
  EXPECT_EQ(left_beside(), 1U);
  EXPECT_EQ(compared("both_allowed"), "1");
}

TEST_F(PathCandidate, DoesNotDecideWhatWouldWaitForAPermit) {
  auto& rule = beside("client_ip", "flights", "1/hour").tiers.front().rules.front();
  rule.algorithm = &limit::in_flight;
  rule.burst = 1;
  rule.rate = {1, limit::kFlightLease};
  rule.wait = seconds(2);
  rule.queue = 10;
  limit::name_rule(rule, false, limit::PeriodInKey::no);
  server.head_after = seconds(5);
  check("GET /a");
  const auto another = headgate::test::make_check(rule, "192.0.2.7");
  clock.advance(seconds(5));
  ASSERT_TRUE(done);
  EXPECT_EQ(compared("both_allowed"), "1");
  limit::Decision taken;
  ASSERT_TRUE(state->memory.decide({&another, 1}, clock.wall(), {&taken, 1}));
  ask_again("GET /a");
  EXPECT_EQ(undecided("queue"), "1");
  clock.advance(seconds(5));
  ASSERT_TRUE(done);
}

TEST_F(PathCandidate, SendsToAnotherUpstreamWhatItsLimitsRejectAsTheLivePolicyDoes) {
  candidate_route.to_instead = "next";
  beside("client_ip", "plan", "1/hour");
  beside("client_ip", "shared", "10/hour", limit::Store::redis);
  EXPECT_THAT(ask(2), ElementsAre(200U, 200U));
  EXPECT_EQ(compared("both_allowed"), "2") << "the second one by its other upstream";
  EXPECT_EQ(other->asked.size(), 1U) << "which is asked no further limit";
}

TEST_F(PathCandidate, SendsToAnotherUpstreamWhatItsRedisRejects) {
  candidate_route.to_instead = "next";
  beside("client_ip", "shared", "10/hour", limit::Store::redis);
  other->rejects = "shared";
  for (const auto wait : {seconds(0), seconds(1)}) {
    other->answers_after = wait;
    EXPECT_THAT(ask(1), ElementsAre(200U));
    clock.advance(wait);
  }
  EXPECT_EQ(compared("both_allowed"), "2");
  EXPECT_EQ(compared("hit"), "0");
}

TEST_F(PathCandidate, ChargesWhatTheLiveAnswerSays) {
  beside("client_ip", "plan", "100/hour");
  auto& cost = candidate_route.limits.back().cost;
  cost.from = find_cost_source("response_header");
  cost.name = "cost";
  cost.default_value = 5;
  cost.most = 1000;
  server.fields = {{http::Known::unknown, "Cost", "2"}};
  check("GET /a");
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(left_beside(), 98U);
}

TEST_F(PathCandidate, BelievesTheTokenThatTheLiveGatewayHasVerified) {
  with_proof("proof", "10/hour");
  beside("jwt.sub", "proof", "1/hour");
  EXPECT_EQ(ask(2, "Authorization: Bearer alice\r\n"), (std::vector<unsigned>{200U, 200U}));
  EXPECT_EQ(of_limit("proof", "hit"), "1");
  EXPECT_EQ(std::count_if(trace.lines.begin(), trace.lines.end(),
                          [](const std::string& line) { return line.starts_with("token"); }),
            0)
      << "the second request found it remembered, here and there";
}

TEST_F(PathCandidate, IsNotComparedWhereAnOperatorSuspendsACaller) {
  in_memory("plan", "10/hour");
  beside("client_ip", "plan", "10/hour");
  (void)bans.add("plan", "192.0.2.7", std::chrono::minutes(1), clock.wall());
  (void)ask(1);
  EXPECT_GE(client.status, 400U);
  EXPECT_EQ(undecided("live"), "1");
}

TEST_F(PathCandidate, IsComparedOnceAlsoIfTheServerFails) {
  beside("client_ip", "plan", "10/hour");
  server.status = 500;
  (void)ask(1);
  EXPECT_EQ(compared("both_allowed"), "1");
  EXPECT_EQ(compared("hit"), "0");
}

TEST_F(PathCandidate, KnowsWhichPasswordsWereRightForTheLiveRequest) {
  identity.user_files = {"users"};
  users = identity::Users(
      std::vector<identity::User>{{"ann", "$2y$04$YsYHolJpTs2HZo6Be5aG9.dGzxgn9M2H5vDz1KHwGIu3BTQhGjyHm"}});
  route.basic = candidate_route.basic = std::make_shared<const BasicAuth>();
  beside("basic.user", "per-user", "2/hour");
  const std::string right = "Authorization: Basic YW5uOndvbmRlcmxhbmQ=\r\n";
  EXPECT_THAT(ask(3, right), ElementsAre(200U, 200U, 200U));
  EXPECT_EQ(compared("both_allowed"), "2");
  EXPECT_EQ(of_limit("per-user", "hit"), "1");
  EXPECT_THAT(ask(2, "Authorization: Basic YW5uOmd1ZXNz\r\n"), ElementsAre(401U, 401U));
  EXPECT_EQ(compared("both_refused"), "2");
  EXPECT_THAT(ask(1, right), ElementsAre(200U)) << "what is remembered is the live path's again";
}

}  // namespace
}  // namespace headgate::gateway::test
