// What a limit rejects, and what an open circuit refuses, goes to another upstream where the route names one.

#include "unit/gateway/path/path.hpp"

namespace headgate::gateway::test {
namespace {

using testing::HasSubstr;

constexpr std::string_view kInsteadCaller = "Authorization: Bearer alice\r\n";

class PathInstead : public Path {
 protected:
  PathInstead() {
    next_app = std::make_shared<ScriptedUpstream>(clock, trace, "next");
    route.to_instead = "next";
  }
  void again(std::string_view fields = {}) {
    gateway ? ask_again("GET /a", fields) : check("GET /a", fields);
    ASSERT_TRUE(done);
  }
  static void open(ScriptedUpstream& one) {
    one.gate.state = balance::CircuitState::open;
    one.door.emplace(one.gate);
  }
  std::string rejected(const std::string& limit, const std::string& source) const {
    return metric("headgate_limit_decisions_total{limit=\"" + limit + "\",tier=\"\",decision=\"rejected\",source=\"" +
                  source + "\"}");
  }
  std::string sent_elsewhere(const std::string& reason) const {
    return metric("headgate_sent_elsewhere_total{route=\"things\",reason=\"" + reason + "\"}");
  }
};

TEST_F(PathInstead, GetsWhatALimitRejectsAndCountsItAsRejected) {
  in_memory("plan", "1/hour");
  again();
  EXPECT_EQ(x.upstream, "app");
  again();
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(x.upstream, "next");
  EXPECT_EQ(x.ended_by, EndedBy::upstream);
  EXPECT_THAT(x.reason, HasSubstr("limit plan rejects it: sent to next"));
  EXPECT_THAT(client.fields["RateLimit"], HasSubstr("r=0"));
  EXPECT_EQ(rejected("plan", "memory"), "1");
  EXPECT_EQ(left("plan"), 0U);
  again();
  EXPECT_EQ(x.upstream, "next") << "each of them";
  EXPECT_EQ(sent_elsewhere("limit"), "2");
  EXPECT_EQ(sent_elsewhere("circuit"), "");
}

TEST_F(PathInstead, GetsWhatRedisRejects) {
  in_redis("plan", "1/hour");
  redis->rejects = "plan";
  again();
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(x.upstream, "next");
}

TEST_F(PathInstead, GetsNothingThatOnlyRedisCouldCount) {
  in_redis("plan", "1/hour").if_redis_down = limit::IfRedisDown::reject;
  redis->away = make_error_code(boost::system::errc::timed_out);
  again();
  EXPECT_EQ(client.status, 503U);
  EXPECT_EQ(x.ended_by, EndedBy::limit);
}

TEST_F(PathInstead, IsNotUsedForCallersWhoAreNotLetIn) {
  in_memory("plan", "1/hour");
  believe_tokens();
  route.require = Require::jwt;
  again(kInsteadCaller);
  EXPECT_EQ(x.upstream, "app");
  again("Authorization: Bearer bad\r\n");
  EXPECT_EQ(client.status, 401U) << "the limit rejects before the token is checked";
  again();
  EXPECT_EQ(client.status, 401U);
  again(kInsteadCaller);
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(x.upstream, "next");
}

TEST_F(PathInstead, GetsNoGuessThatALimitOfGuessesRejects) {
  limit_by("client_ip", "guesses", "1/hour").counted_statuses = {401};
  believe_tokens();
  route.require = Require::jwt;
  again("Authorization: Bearer bad\r\n");
  EXPECT_EQ(client.status, 401U);
  again("Authorization: Bearer bad\r\n");
  EXPECT_EQ(client.status, 429U) << "not 401: it is not told whether it is right";
}

TEST_F(PathInstead, IsAskedNoFurtherLimit) {
  in_memory("plan", "1/hour");
  with_proof("proof", "10/hour");
  in_redis("quota", "10/hour");
  again(kInsteadCaller);
  again(kInsteadCaller);
  EXPECT_EQ(x.upstream, "next");
  EXPECT_EQ(left("proof"), 9U) << "as of any rejected request";
  EXPECT_THAT(trace.lines, testing::Not(testing::Contains(HasSubstr("redis"))));
}

TEST_F(PathInstead, GetsWhatAnOpenCircuitRefusesWithAllLimits) {
  upstream().circuit.emplace();
  open(*app);
  with_proof("proof", "1/hour");
  again(kInsteadCaller);
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(x.upstream, "next");
  EXPECT_EQ(left("proof"), 0U);
  EXPECT_EQ(sent_elsewhere("circuit"), "1");
  again(kInsteadCaller);
  EXPECT_EQ(client.status, 429U) << "and once only";
  EXPECT_EQ(x.ended_by, EndedBy::limit);
}

TEST_F(PathInstead, MayRefuseAsWell) {
  in_memory("plan", "1/hour");
  upstream("next").circuit.emplace();
  open(*next_app);
  again();
  again();
  EXPECT_EQ(client.status, 503U);
  EXPECT_EQ(x.ended_by, EndedBy::circuit);
}

TEST_F(PathInstead, IsToldToWhoOnlyAsks) {
  in_memory("plan", "1/hour");
  again();
  const auto told = explain("GET /a");
  EXPECT_EQ(besides(told, "goes_instead_to"), "next");
  EXPECT_EQ(told.upstream, "next");
  EXPECT_EQ(told.remaining, 0U);
  EXPECT_EQ(left("plan"), 0U);
  EXPECT_EQ(sent_elsewhere("limit"), "") << "nobody was sent there";
}

TEST_F(PathInstead, GetsTheRejectedOfARouteThatSplitsItsRequests) {
  in_memory("plan", "1/hour");
  Split parts;
  parts.shares = {{.upstream = "app", .weight = 1, .when = {}, .seed = 1}};
  route.split = std::make_shared<const Split>(parts);
  again();
  EXPECT_EQ(x.upstream, "app");
  again();
  EXPECT_EQ(x.upstream, "next");
}

TEST_F(PathInstead, LeavesTheOffenceARejection) {
  auto& policy = in_memory("abuse", "1/hour").ban.emplace();
  policy.offences = headgate::test::make_rule("2/minute", 0, "abuse", "sliding_log");
  policy.first = std::chrono::minutes(10);
  policy.longest = std::chrono::hours(24);
  again();
  again();
  again();
  EXPECT_EQ(x.upstream, "next");
  again();
  EXPECT_EQ(x.ended_by, EndedBy::ban) << "a suspended caller goes nowhere";
  EXPECT_EQ(client.status, 429U);
}

}  // namespace
}  // namespace headgate::gateway::test
