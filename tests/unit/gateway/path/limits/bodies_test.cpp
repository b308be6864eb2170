// Costs, holds and keys that limits read from the bodies of requests and answers.

#include "unit/gateway/path/path.hpp"

#include "headgate/limit/algorithm.hpp"

namespace headgate::gateway::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kJsonBody = "Content-Type: application/json\r\n";

class PathBodies : public Path {
 protected:
  Cost& costs(std::string_view source, std::string name, std::int64_t default_value = 5) {
    auto& cost = route.limits.back().cost;
    cost.from = find_cost_source(source);
    cost.name = std::move(name);
    cost.default_value = default_value;
    cost.most = 1000;
    return cost;
  }
  void answers(std::deque<Piece> pieces, std::string_view type = "application/json") {
    server.fields = {{http::Known::content_type, "Content-Type", type}};
    server.framing = {http::Framing::Kind::unknown, 0};
    server.body = std::move(pieces);
  }
  void answers(const std::string& body, std::string_view type = "application/json") {
    answers(std::deque<Piece>{{body, Duration(0), {}}}, type);
  }
  void send(const std::string& body, std::string_view fields = kJsonBody) {
    const auto head = std::string(fields) + "Content-Length: " + std::to_string(body.size()) + "\r\n";
    check("POST /a", head, {{body, Duration(0), {}}});
  }
  void send_again(const std::string& body, std::string_view fields = kJsonBody) {
    ASSERT_TRUE(done);
    x.reset();
    client.forget();
    send(body, fields);
  }
};

TEST_F(PathBodies, ChargesTheNumberInTheAnswer) {
  in_memory("plan", "1000/hour");
  costs("answer", "/usage/total_tokens");
  answers(R"({"choices":[],"usage":{"total_tokens":42}})");
  check("GET /a");
  ASSERT_TRUE(done);
  EXPECT_EQ(left("plan"), 958U);
}

TEST_F(PathBodies, ChargesWhatTheLastEventOfAStreamSays) {
  in_memory("plan", "1000/hour");
  costs("answer", "/usage/total_tokens");
  answers({{"data: {\"usage\":{\"total_to", Duration(0), {}},
           {"kens\":7}}\n\ndata: {\"usage\":null}\n\n", seconds(1), {}},
           {"data: {\"usage\":{\"total_tokens\":30}}\n\ndata: [DONE]\n\n", seconds(1), {}}},
          "text/event-stream");
  check("GET /a");
  EXPECT_FALSE(done);
  EXPECT_EQ(left("plan"), 995U) << "the hold, until the stream has ended";
  clock.advance(seconds(2));
  ASSERT_TRUE(done);
  EXPECT_EQ(left("plan"), 970U);
}

TEST_F(PathBodies, ChargesTheHoldIfAGoodAnswerDoesNotSayItsCost) {
  in_memory("plan", "1000/hour");
  costs("answer", "/usage/total_tokens");
  answers(R"({"usage":{}})");
  check("GET /a");
  EXPECT_EQ(left("plan"), 995U);
  answers("no JSON at all", "text/plain");
  ask_again("GET /a");
  EXPECT_EQ(left("plan"), 990U);
}

TEST_F(PathBodies, ChargesNothingForAnErrorThatDoesNotSayItsCost) {
  in_memory("plan", "1000/hour");
  costs("answer", "/usage/total_tokens");
  server.status = 400;
  answers(R"({"error":{"message":"no such model"}})");
  check("GET /a");
  EXPECT_EQ(left("plan"), 1000U);
}

TEST_F(PathBodies, ChargesNothingForAReportedZero) {
  in_memory("plan", "1000/hour");
  costs("answer", "/usage/total_tokens");
  answers(R"({"usage":{"total_tokens":0}})");
  check("GET /a");
  EXPECT_EQ(left("plan"), 1000U);
}

TEST_F(PathBodies, AsksForAnAnswerThatIsNotCompressed) {
  in_memory("plan", "1000/hour");
  costs("answer", "/usage/total_tokens");
  answers(R"({"usage":{"total_tokens":1}})");
  check("GET /a", "Accept-Encoding: gzip\r\n");
  EXPECT_THAT(app->report.head, Not(HasSubstr("Accept-Encoding")));
}

TEST_F(PathBodies, SettlesInRedisWhatTheAnswerSays) {
  in_redis("plan", "1000/hour");
  costs("answer", "/usage/total_tokens", 50);
  answers(R"({"usage":{"total_tokens":8}})");
  check("GET /a");
  ASSERT_TRUE(done);
  EXPECT_THAT(redis->settled, testing::ElementsAre("plan -42"));
}

TEST_F(PathBodies, ChargesTheNumberInTheRequest) {
  in_memory("plan", "1000/hour");
  costs("body", "/n");
  send(R"({"n":40})");
  ASSERT_TRUE(done);
  EXPECT_EQ(left("plan"), 960U);
  EXPECT_EQ(app->report.body, R"({"n":40})");
}

TEST_F(PathBodies, ChargesOtherwiseForABodyThatIsAmbiguousOrTooLong) {
  in_memory("plan", "1000/hour");
  costs("body", "/n", 100);
  route.read_body = 20;
  send(R"({"n":1,"n":2})");
  ASSERT_TRUE(done);
  EXPECT_EQ(left("plan"), 900U) << "two readers may see two numbers";
  send_again(R"({"n":1,"text":"longer than twenty bytes"})");
  EXPECT_EQ(left("plan"), 800U);
  EXPECT_EQ(app->report.bodies.back(), R"({"n":1,"text":"longer than twenty bytes"})");
  send_again(R"({"n":1)");
  EXPECT_EQ(left("plan"), 700U);
  send_again(R"({"n":1})", "Content-Type: text/plain\r\n");
  EXPECT_EQ(left("plan"), 600U);
}

TEST_F(PathBodies, ReadsABodyWithoutALengthUpToItsBound) {
  in_memory("plan", "1000/hour");
  costs("body", "/n", 100);
  route.read_body = 10;
  server.head_after = seconds(3);
  check("POST /a", std::string(kJsonBody) + "Transfer-Encoding: chunked\r\n",
        {{R"({"n":3,)", Duration(0), {}}, {R"("text":"long)", seconds(1), {}}, {R"("})", seconds(1), {}}});
  EXPECT_TRUE(app->report.targets.empty()) << "the limit has not decided yet";
  clock.advance(seconds(1));
  EXPECT_EQ(left("plan"), 900U);
  clock.advance(seconds(3));
  ASSERT_TRUE(done);
  EXPECT_EQ(app->report.body, R"({"n":3,"text":"long"})");
}

TEST_F(PathBodies, HoldsTheOutputThatTheRequestAllowsAndItsInput) {
  in_memory("plan", "1000/hour");
  auto& cost = costs("answer", "/used", 500);
  cost.hold = {.pointer = "/max_tokens", .input = 4};
  answers({{"{", Duration(0), {}}, {"\"used\":9}", seconds(1), {}}});
  send(R"({"max_tokens":100,"prompt":"twelve bytes"})");
  EXPECT_EQ(left("plan"), 1000U - 100 - 3);
  clock.advance(seconds(1));
  ASSERT_TRUE(done);
  EXPECT_EQ(left("plan"), 991U);
}

TEST_F(PathBodies, HoldsOtherwiseIfTheRequestDoesNotSayIt) {
  in_memory("plan", "1000/hour");
  auto& cost = costs("answer", "/used", 500);
  cost.hold.pointer = "/max_tokens";
  answers({{"{", Duration(0), {}}, {"\"used\":9}", seconds(1), {}}});
  send(R"({"prompt":"x"})");
  EXPECT_EQ(left("plan"), 500U);
}

TEST_F(PathBodies, RejectsACallWhoseHoldDoesNotFit) {
  in_memory("plan", "1000/hour");
  costs("answer", "/used", 5).hold.pointer = "/max_tokens";
  answers(R"({"used":990})");
  send(R"({"max_tokens":1000})");
  EXPECT_EQ(client.status, 200U);
  send_again(R"({"max_tokens":100})");
  EXPECT_EQ(client.status, 429U);
  EXPECT_THAT(client.body,
              HasSubstr("This request may use 100 of the limit of 1000/hour, and 10 are left. Try again in "
                        "5 minutes and 24 seconds."));
  EXPECT_EQ(left("plan"), 10U);
}

TEST_F(PathBodies, KeepsTheHoldOfACallWhoseClientLeavesBeforeTheAnswerBegins) {
  in_memory("plan", "1000/hour");
  costs("answer", "/used", 5).hold.pointer = "/max_tokens";
  server.head_after = seconds(5);
  send(R"({"max_tokens":100})");
  leave();
  ASSERT_TRUE(done);
  EXPECT_EQ(left("plan"), 900U);
}

TEST_F(PathBodies, CountsByAValueInTheBody) {
  auto& limit = limit_by("body:/model", "per-model", "1/hour");
  limit.if_absent.last = limit::IfAbsent::Last::reject;
  send(R"({"model":"small"})");
  EXPECT_EQ(client.status, 200U);
  send_again(R"({"model":"large"})");
  EXPECT_EQ(client.status, 200U);
  send_again(R"({"model":"sm\u0061ll"})");
  EXPECT_EQ(client.status, 429U) << "another spelling of the same value";
}

TEST_F(PathBodies, RefusesABodyByWhichItCannotCount) {
  auto& limit = limit_by("body:/model", "per-model", "1/hour");
  limit.if_absent.last = limit::IfAbsent::Last::skip;
  route.read_body = 40;
  send(R"({"model":"a","model":"b"})");
  EXPECT_EQ(client.status, 400U);
  send_again(R"({"model":"a","Model":"b"})");
  EXPECT_EQ(client.status, 400U) << "Go's reader takes the second one";
  send_again(R"([{"model":"a"},{"model":"b"}])");
  EXPECT_EQ(client.status, 400U) << "a batch of calls would be counted as one";
  send_again(R"({"model":"a"} {"model":"b"})");
  EXPECT_EQ(client.status, 400U);
  send_again(R"({"model":"a"})", "Content-Type: text/plain\r\n");
  EXPECT_EQ(client.status, 415U);
  send_again(R"({"model":"a"})", "Content-Type: application/json\r\nContent-Type: text/plain\r\n");
  EXPECT_EQ(client.status, 415U) << "the server could believe the other one";
  send_again(R"({"model":"a"})", "Content-Type: application/x-www-form-urlencoded\r\n");
  EXPECT_EQ(client.status, 400U) << "a server that does not look at the type reads JSON";
  send_again(R"({"model":"a"})", "Content-Type: application/json\r\nContent-Encoding: gzip\r\n");
  EXPECT_EQ(client.status, 415U);
  send_again(R"({"model":"a","messages":["something that is longer"]})");
  EXPECT_EQ(client.status, 413U);
  EXPECT_TRUE(app->report.targets.empty());
}

TEST_F(PathBodies, ReadsNoBodyOfACallerWhoseCredentialIsRefused) {
  believe_tokens();
  route.require = Require::jwt;
  in_memory("plan", "1000/hour");
  costs("body", "/n");
  check("POST /a", std::string(kJsonBody) + "Content-Length: 9\r\nAuthorization: Bearer bad\r\n",
        {{R"({"n":40})", seconds(5), {}}});
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 401U);
}

TEST_F(PathBodies, ChargesTheBytesOfTheAnswer) {
  in_memory("plan", "1000/hour");
  costs("bytes", "answer");
  answers("0123456789", "text/plain");
  check("GET /a");
  EXPECT_EQ(left("plan"), 990U);
}

TEST_F(PathBodies, SaysThatItHoldsTooManyBodiesWhereThatIsWhyItCannotRead) {
  auto& limit = limit_by("body:/model", "per-model", "1/hour");
  limit.if_absent.last = limit::IfAbsent::Last::skip;
  options.buffered = 1U << 20;
  lent.add(1 << 21);  // held for other requests
  send(R"({"model":"a"})");
  EXPECT_EQ(client.status, 503U);
  EXPECT_EQ(x.ended_by, EndedBy::full);
  lent.add(-(1 << 21));
}

TEST_F(PathBodies, AreNotKnownToAQuestion) {
  in_memory("plan", "1000/hour");
  costs("body", "/n", 7);
  EXPECT_EQ(besides(explain("POST /a", kJsonBody), "body_is_not_known"), "true");
}

TEST_F(PathBodies, OpensNoTunnelWhoseCostCouldNotBeRead) {
  in_memory("plan", "1000/hour");
  costs("answer", "/usage/total_tokens");
  check("GET /a", "Connection: Upgrade\r\nUpgrade: websocket\r\n");
  EXPECT_EQ(client.status, 403U);
  EXPECT_TRUE(app->report.targets.empty());
  EXPECT_EQ(explain("GET /a", "Connection: Upgrade\r\nUpgrade: websocket\r\n").status, 403U);
}

TEST_F(PathBodies, AsksAStreamForItsUsageAndHidesIt) {
  in_memory("plan", "1000/hour");
  costs("answer", "/usage/total_tokens").ask_usage = true;
  const std::string text = "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\n";
  answers(text + "data: {\"choices\":[],\"usage\":{\"total_tokens\":30}}\n\ndata: [DONE]\n\n", "text/event-stream");
  send(R"({"model":"a","stream":true})");
  ASSERT_TRUE(done);
  EXPECT_EQ(app->report.body, R"({"stream_options":{"include_usage":true},"model":"a","stream":true})");
  EXPECT_EQ(client.body, text + "data: [DONE]\n\n");
  EXPECT_EQ(left("plan"), 970U);
}

TEST_F(PathBodies, ChangesNoCallThatStreamsNothingOrSaysWhetherItWantsTheUsage) {
  in_memory("plan", "1000/hour");
  costs("answer", "/usage/total_tokens").ask_usage = true;
  const std::string stream = "data: {\"choices\":[],\"usage\":{\"total_tokens\":30}}\n\ndata: [DONE]\n\n";
  answers(stream, "text/event-stream");
  for (const std::string body :
       {R"({"stream":false})", R"({"stream":true,"stream_options":{"include_usage":false}})",
        R"({"stream":true,"stream_options":{"include_usage":true}})", R"({"stream":"true"})"}) {
    x.reset();
    client.forget();
    send(body);
    ASSERT_TRUE(done);
    EXPECT_EQ(app->report.bodies.back(), body);
    EXPECT_EQ(client.body, stream);
  }
}

}  // namespace
}  // namespace headgate::gateway::test
