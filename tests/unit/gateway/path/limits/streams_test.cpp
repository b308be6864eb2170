// Streams of language models: holds that are extended while a stream passes, the end of a stream whose limit has
// nothing left, and streams whose client leaves.

#include "unit/gateway/path/path.hpp"

#include "headgate/limit/balance.hpp"

namespace headgate::gateway::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view kLastOfOpenai =
    "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":7,\"model\":\"m\",\"choices\":[{\"index\":0,"
    "\"delta\":{},\"logprobs\":null,\"finish_reason\":\"length\"}]}\n\ndata: [DONE]\n\n";

/// A chunk with forty bytes of text, which count as ten tokens.
std::string chunk_of_ten() {
  return R"(data: {"id":"c","created":7,"model":"m","choices":[{"index":0,"delta":{"content":")" +
         std::string(40, 'a') + "\"}}]}\n\n";
}

/// A limit of the tokens of an hour. A call holds 20 tokens, and its server sends a chunk of ten each second.
class PathStreams : public Path {
 protected:
  void limit_tokens(std::string_view rate, limit::Store store = limit::Store::memory) {
    limit_by("client_ip", "tokens", rate, store);
    auto& cost = route.limits.back().cost;
    cost.from = find_cost_source("usage");
    cost.name = "openai";
    cost.default_value = 20;
    cost.most = 1000;
    cost.hold.extends = true;
  }
  void streams(std::size_t chunks, const std::string& end = "data: [DONE]\n\n") {
    server.fields = {{http::Known::content_type, "Content-Type", "text/event-stream"}};
    server.framing = {http::Framing::Kind::unknown, 0};
    server.body.clear();
    for (std::size_t i = 0; i < chunks; ++i) server.body.push_back({chunk_of_ten(), seconds(i == 0 ? 0 : 1), {}});
    server.body.push_back({end, seconds(1), {}});
  }
  void call(const std::string& body = R"({"stream":true})") {
    check("POST /v1/chat/completions",
          "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n",
          {{body, Duration(0), {}}});
  }
};

TEST_F(PathStreams, TakeMorePermitsWhenTheirHoldIsUsedUp) {
  limit_tokens("100/hour");
  streams(4);
  call();
  EXPECT_EQ(left("tokens"), 80U);
  clock.advance(seconds(1));
  EXPECT_EQ(left("tokens"), 75U) << "a quarter of the hold more";
  clock.advance(seconds(1));
  EXPECT_EQ(left("tokens"), 64U) << "what passed beyond it, and a quarter more";
  clock.advance(seconds(2));
  ASSERT_TRUE(done);
  EXPECT_TRUE(client.ended);
  EXPECT_THAT(client.body, EndsWith("data: [DONE]\n\n"));
  EXPECT_EQ(left("tokens"), 60U) << "what was counted";
  EXPECT_EQ(x.ended_by, EndedBy::upstream);
}

TEST_F(PathStreams, CostWhatTheyReportAfterAnExtension) {
  limit_tokens("100/hour");
  streams(3, "data: {\"choices\":[],\"usage\":{\"total_tokens\":12}}\n\ndata: [DONE]\n\n");
  call();
  clock.advance(seconds(3));
  ASSERT_TRUE(done);
  EXPECT_EQ(left("tokens"), 88U);
}

TEST_F(PathStreams, EndAsIfTheModelHadReachedItsMaximum) {
  limit_tokens("30/hour");
  streams(9);
  call();
  clock.advance(seconds(9));
  ASSERT_TRUE(done);
  EXPECT_TRUE(client.ended);
  std::string whole;
  for (int i = 0; i < 3; ++i) whole += chunk_of_ten();
  EXPECT_EQ(client.body, whole + std::string(kLastOfOpenai));
  EXPECT_EQ(left("tokens"), 0U);
  EXPECT_EQ(x.ended_by, EndedBy::limit);
  EXPECT_EQ(x.problem_limit, "tokens");
  EXPECT_EQ(app->report.alive, 0U) << "the server does not work on";
}

TEST_F(PathStreams, UseABalanceToItsEnd) {
  limit_tokens("1/hour");
  limit::make_balance(limits.back().tiers.front().rules.front(), 30);
  streams(9);
  call();
  clock.advance(seconds(9));
  ASSERT_TRUE(done);
  std::string whole;
  for (int i = 0; i < 3; ++i) whole += chunk_of_ten();
  EXPECT_EQ(client.body, whole + std::string(kLastOfOpenai));
  EXPECT_EQ(x.problem_limit, "tokens");
  x.reset();
  client.forget();
  call();
  EXPECT_EQ(client.status, 429U) << "nothing is left";
}

TEST_F(PathStreams, EndBehindAWholeEvent) {
  limit_tokens("20/hour");
  const auto chunk = chunk_of_ten();
  streams(0);
  server.body = {{chunk + chunk + chunk.substr(0, 50), Duration(0), {}},
                 {chunk.substr(50, 20), seconds(1), {}},
                 {chunk.substr(70) + chunk, seconds(1), {}},
                 {chunk, seconds(60), {}}};
  call();
  clock.advance(seconds(2));
  ASSERT_TRUE(done);
  EXPECT_EQ(client.body, chunk + chunk + chunk + std::string(kLastOfOpenai));
}

TEST_F(PathStreams, EndEachOfTheirAlternatives) {
  limit_tokens("20/hour");
  streams(3);
  call(R"({"stream":true,"n":2})");
  clock.advance(seconds(3));
  ASSERT_TRUE(done);
  EXPECT_THAT(client.body, HasSubstr(R"({"index":1,"delta":{},"logprobs":null,"finish_reason":"length"}]})"));
}

TEST_F(PathStreams, ThatOnlyObserveAreNotEnded) {
  limit_tokens("20/hour");
  limits.back().mode = limit::Mode::observe;
  streams(5);
  call();
  clock.advance(seconds(5));
  ASSERT_TRUE(done);
  EXPECT_EQ(x.ended_by, EndedBy::upstream);
}

TEST_F(PathStreams, NeedNoMoreThanTheMostOfACall) {
  limit_tokens("100/hour");
  route.limits.back().cost.most = 25;
  streams(6);
  call();
  clock.advance(seconds(6));
  ASSERT_TRUE(done);
  EXPECT_EQ(left("tokens"), 75U);
  EXPECT_EQ(x.ended_by, EndedBy::upstream);
}

TEST_F(PathStreams, TakeMorePermitsInRedis) {
  const auto stored = std::make_shared<StoredRedis>(clock, trace);
  other_redis = stored;
  limit_tokens("30/hour", limit::Store::redis);
  streams(9);
  call();
  clock.advance(seconds(9));
  ASSERT_TRUE(done);
  EXPECT_THAT(client.body, EndsWith(kLastOfOpenai));
  EXPECT_EQ(x.ended_by, EndedBy::limit);
}

TEST_F(PathStreams, GoOnWhileRedisDoesNotAnswer) {
  const auto stored = std::make_shared<StoredRedis>(clock, trace);
  other_redis = stored;
  limit_tokens("30/hour", limit::Store::redis);
  streams(9);
  call();
  stored->away = true;
  clock.advance(seconds(9));
  ASSERT_TRUE(done);
  EXPECT_THAT(client.body, EndsWith("data: [DONE]\n\n"));
  EXPECT_EQ(x.ended_by, EndedBy::upstream);
}

TEST_F(PathStreams, AreReadToTheirEndWithoutTheirClient) {
  limit_tokens("100/hour");
  route.limits.back().cost.hold.extends = false;
  route.limits.back().cost.on_hangup = OnHangup::drain;
  streams(4, "data: {\"choices\":[],\"usage\":{\"total_tokens\":33}}\n\ndata: [DONE]\n\n");
  call();
  client.takes = 0;
  leave();
  EXPECT_FALSE(done);
  EXPECT_EQ(app->report.cancelled, 0U);
  clock.advance(seconds(4));
  ASSERT_TRUE(done);
  EXPECT_EQ(left("tokens"), 67U) << "what it reported";
  EXPECT_EQ(x.ended_by, EndedBy::client_closed);
}

TEST_F(PathStreams, ThatArrivedAsAWholeCostWhatTheyReportWithoutTheirClient) {
  limit_tokens("100/hour");
  route.limits.back().cost.on_hangup = OnHangup::drain;
  streams(0);
  server.body = {{chunk_of_ten() + chunk_of_ten() + chunk_of_ten() +
                      "data: {\"choices\":[],\"usage\":{\"total_tokens\":12}}\n\ndata: [DONE]\n\n",
                  Duration(0),
                  {}}};
  client.takes = 0;
  call();
  ASSERT_TRUE(done);
  EXPECT_EQ(left("tokens"), 88U);
}

TEST_F(PathStreams, WithoutTheirClientEndWithTheWorker) {
  limit_tokens("100/hour");
  route.limits.back().cost.on_hangup = OnHangup::drain;
  streams(4);
  call();
  client.takes = 0;
  leave();
  clock.advance(seconds(1));
  EXPECT_FALSE(done);
  leave(ActiveExchange::Because::broken_off);
  clock.advance(Duration(0));
  ASSERT_TRUE(done);
  EXPECT_EQ(left("tokens"), 80U) << "what was counted";
}

TEST_F(PathStreams, AreCancelledWithTheirClientByDefault) {
  limit_tokens("100/hour");
  streams(4);
  call();
  leave();
  ASSERT_TRUE(done);
  EXPECT_EQ(app->report.cancelled, 1U);
}

}  // namespace
}  // namespace headgate::gateway::test
