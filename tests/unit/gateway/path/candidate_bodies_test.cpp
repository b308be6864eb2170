// Costs, holds and keys from bodies under the candidate: it reads what the live policy has read, and what passes.

#include "unit/gateway/path/candidate.hpp"

#include "headgate/limit/algorithm.hpp"

namespace headgate::gateway::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kReport = R"({"usage":{"prompt_tokens":40,"completion_tokens":2,"total_tokens":42}})";

class PathCandidateBodies : public PathCandidate {
 protected:
  static Cost& costs(RouteOptions& of, std::string_view source, std::string name, std::int64_t hold = 50) {
    auto& cost = of.limits.back().cost;
    cost.from = find_cost_source(source);
    cost.name = std::move(name);
    cost.default_value = hold;
    cost.most = 1000;
    return cost;
  }
  void holds_what_is_allowed() {
    auto& hold = costs(candidate_route, "usage", "openai").hold;
    hold.of_usage = true;
    hold.input = 1;
  }
  /// The live policy reads the body of each request.
  void live_reads_bodies() {
    in_memory("live", "1000000/hour");
    costs(route, "body", "/n", 1);
  }
  void answers(std::deque<Piece> pieces, std::string_view type = "application/json") {
    server.fields = {{http::Known::content_type, "Content-Type", type}};
    server.framing = {http::Framing::Kind::unknown, 0};
    server.body = std::move(pieces);
  }
  void answers(std::string_view body) { answers({{std::string(body), Duration(0), {}}}); }
  /// A stream that reports 42 tokens in a second event, after a second.
  void streams() {
    answers({{"data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n", Duration(0), {}},
             {"data: " + std::string(kReport) + "\n\ndata: [DONE]\n\n", seconds(1), {}}},
            "text/event-stream");
  }
  void send(const std::string& body) {
    check("POST /a", "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n",
          {{body, Duration(0), {}}});
  }
};

TEST_F(PathCandidateBodies, SettleWhatTheBodyOfTheAnswerSays) {
  beside("client_ip", "tokens", "1000/hour");
  costs(candidate_route, "answer", "/usage/total_tokens");
  answers(kReport);
  server.head_after = seconds(1);
  check("GET /a");
  EXPECT_EQ(left_beside(), 950U) << "the hold";
  clock.advance(seconds(1));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.body, kReport);
  EXPECT_EQ(left_beside(), 958U);
  EXPECT_EQ(compared("both_allowed"), "1");
}

TEST_F(PathCandidateBodies, SettleWhatAStreamReportsWithoutItsClient) {
  in_memory("live", "1000/hour");
  costs(route, "usage", "openai").on_hangup = OnHangup::drain;
  beside("client_ip", "tokens", "1000/hour");
  costs(candidate_route, "usage", "openai").on_hangup = OnHangup::drain;
  streams();
  send(R"({"stream":true})");
  client.takes = 0;
  leave();
  EXPECT_FALSE(done);
  clock.advance(seconds(1));
  ASSERT_TRUE(done);
  EXPECT_EQ(left("live"), 958U);
  EXPECT_EQ(left_beside(), 958U);
}

TEST_F(PathCandidateBodies, RefuseTheCallForWhichTooLittleIsLeft) {
  beside("client_ip", "tokens", "100/hour");
  costs(candidate_route, "answer", "/usage/total_tokens");
  answers(kReport);
  EXPECT_THAT(ask(3), ElementsAre(200U, 200U, 200U));
  EXPECT_EQ(of_limit("tokens", "both_allowed"), "2");
  EXPECT_EQ(of_limit("tokens", "hit"), "1") << "16 are left, and the call holds 50";
}

TEST_F(PathCandidateBodies, HoldWhatTheRequestAllowsIfTheLivePolicyHasReadIt) {
  live_reads_bodies();
  beside("client_ip", "tokens", "1000/hour");
  holds_what_is_allowed();
  answers(kReport);
  server.head_after = seconds(1);
  send(R"({"max_tokens":100,"messages":[{"content":"Hello"}]})");
  EXPECT_EQ(left_beside(), 895U) << "100 of output and 5 of input";
  clock.advance(seconds(1));
  ASSERT_TRUE(done);
  EXPECT_EQ(left_beside(), 958U);
  EXPECT_EQ(app->report.body, R"({"max_tokens":100,"messages":[{"content":"Hello"}]})");
}

TEST_F(PathCandidateBodies, HoldOtherwiseIfTheLivePolicyHasNotReadTheRequest) {
  beside("client_ip", "tokens", "1000/hour");
  holds_what_is_allowed();
  answers(kReport);
  server.head_after = seconds(1);
  send(R"({"max_tokens":100})");
  EXPECT_EQ(left_beside(), 950U);
  clock.advance(seconds(1));
  ASSERT_TRUE(done);
  EXPECT_EQ(left_beside(), 958U);
}

TEST_F(PathCandidateBodies, CountByAValueThatTheLivePolicyHasRead) {
  live_reads_bodies();
  beside("body:/model", "models", "10/hour");
  send(R"({"model":"large"})");
  ASSERT_TRUE(done);
  EXPECT_EQ(of_limit("models", "both_allowed"), "1");
  const auto look = headgate::test::make_check(candidate_limits[0].tiers[0].rules[0], "large", 0);
  limit::Decision decision;
  state->memory.decide({&look, 1}, clock.wall(), {&decision, 1});
  EXPECT_EQ(decision.remaining, 9U);
}

TEST_F(PathCandidateBodies, DecideNothingByAValueThatTheLivePolicyHasNotRead) {
  beside("body:/model", "models", "10/hour").if_absent.last = limit::IfAbsent::Last::reject;
  send(R"({"model":"large"})");
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(undecided("body"), "1");
  EXPECT_EQ(compared("hit"), "0");
}

TEST_F(PathCandidateBodies, DecideNothingAboutABodyThatIsLongerThanTheCandidateReads) {
  live_reads_bodies();
  beside("body:/model", "models", "10/hour");
  candidate_route.read_body = 8;
  send(R"({"model":"large"})");
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(undecided("body"), "1");
}

TEST_F(PathCandidateBodies, RefuseABodyThatTheCandidateCannotRead) {
  live_reads_bodies();
  beside("body:/model", "models", "10/hour");
  send(R"({"model":"large","model":"small"})");
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(of_limit("-", "hit"), "1");
}

TEST_F(PathCandidateBodies, SettleInTheirRedisAlsoIfItDecidesAfterTheEnd) {
  beside("client_ip", "tokens", "1000/hour", limit::Store::redis);
  costs(candidate_route, "usage", "openai");
  answers(kReport);
  check("GET /a");
  ASSERT_TRUE(done);
  EXPECT_THAT(other->settled, ElementsAre("tokens -8"));
  other->answers_after = seconds(5);
  ask_again("GET /a");
  ASSERT_TRUE(done);
  EXPECT_EQ(other->settled.size(), 1U);
  clock.advance(seconds(5));
  EXPECT_THAT(other->settled, ElementsAre("tokens -8", "tokens -8"));
  EXPECT_TRUE(redis->settled.empty());
}

TEST_F(PathCandidateBodies, SettleACostInTheHeadAlsoIfTheirRedisDecidesAfterTheEnd) {
  beside("client_ip", "tokens", "1000/hour", limit::Store::redis);
  costs(candidate_route, "response_header", "cost");
  server.fields = {{http::Known::unknown, "Cost", "2"}};
  other->answers_after = seconds(5);
  check("GET /a");
  ASSERT_TRUE(done);
  clock.advance(seconds(5));
  EXPECT_THAT(other->settled, ElementsAre("tokens -48"));
}

TEST_F(PathCandidateBodies, SettleACostInTheHeadIfTheirRedisDecidesInTheMiddleOfTheAnswer) {
  beside("client_ip", "tokens", "1000/hour", limit::Store::redis);
  costs(candidate_route, "response_header", "cost");
  streams();
  server.fields.push_back({http::Known::unknown, "Cost", "2"});
  other->answers_after = milliseconds(500);
  check("GET /a");
  EXPECT_FALSE(done);
  clock.advance(seconds(5));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.fields["Cost"], "2");
  EXPECT_THAT(other->settled, ElementsAre("tokens -48"));
}

TEST_F(PathCandidateBodies, LeaveTheAnswerWholeIfTheirRedisRejectsTheRequestInItsMiddle) {
  beside("client_ip", "tokens", "1000/hour", limit::Store::redis);
  costs(candidate_route, "usage", "openai");
  other->answers_after = milliseconds(500);
  other->rejects = "tokens";
  streams();
  check("GET /a");
  EXPECT_FALSE(done);
  clock.advance(milliseconds(600));
  EXPECT_EQ(of_limit("tokens", "hit"), "1");
  EXPECT_FALSE(done);
  clock.advance(seconds(1));
  ASSERT_TRUE(done);
  EXPECT_TRUE(client.ended);
  EXPECT_THAT(client.body, HasSubstr("[DONE]"));
}

TEST_F(PathCandidateBodies, SettleAStreamInWhoseMiddleTheCandidateIsDropped) {
  beside("client_ip", "tokens", "1000/hour");
  costs(candidate_route, "usage", "openai");
  streams();
  check("GET /a");
  EXPECT_FALSE(done);
  candidate->stop();
  candidate.reset();
  clock.advance(seconds(1));
  ASSERT_TRUE(done);
  EXPECT_THAT(client.body, HasSubstr("[DONE]"));
  EXPECT_EQ(left_beside(), 958U);
}

TEST_F(PathCandidateBodies, CountTheTextOfAStreamWhoseClientLeaves) {
  live_reads_bodies();
  beside("client_ip", "tokens", "1000/hour");
  holds_what_is_allowed();
  streams();
  send(R"({"stream":true,"messages":[{"content":"Hello"}]})");
  EXPECT_EQ(left_beside(), 945U);
  leave();
  clock.advance(seconds(1));
  ASSERT_TRUE(done);
  EXPECT_EQ(left_beside(), 993U) << "5 of input and 2 of output";
}

TEST_F(PathCandidateBodies, ChargeTheHoldForAnAnswerThatTheServerCompresses) {
  beside("client_ip", "tokens", "1000/hour");
  costs(candidate_route, "answer", "/usage/total_tokens");
  answers("\x1f\x8b");
  server.fields.push_back({http::Known::content_encoding, "Content-Encoding", "gzip"});
  check("GET /a", "Accept-Encoding: gzip\r\n");
  ASSERT_TRUE(done);
  EXPECT_THAT(app->report.head, HasSubstr("Accept-Encoding: gzip")) << "the live request stays as it is";
  EXPECT_EQ(left_beside(), 950U);
}

TEST_F(PathCandidateBodies, ChargeNothingForAnErrorThatReportsNothing) {
  beside("client_ip", "tokens", "1000/hour");
  costs(candidate_route, "answer", "/usage/total_tokens");
  server.status = 400;
  answers(R"({"error":"no such model"})");
  check("GET /a");
  ASSERT_TRUE(done);
  EXPECT_EQ(left_beside(), 1000U);
}

TEST_F(PathCandidateBodies, CountTheBytesOfBothBodies) {
  beside("client_ip", "bytes", "1000/hour");
  costs(candidate_route, "bytes", "both");
  answers("0123456789");
  send(R"({"n":1})");
  ASSERT_TRUE(done);
  EXPECT_EQ(left_beside(), 983U);
}

}  // namespace
}  // namespace headgate::gateway::test
