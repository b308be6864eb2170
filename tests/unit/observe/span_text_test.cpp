#include "../../../src/observe/span_text.hpp"

#include "support/otlp.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace headgate::observe {
namespace {

using namespace std::chrono_literals;
using headgate::test::OtlpRequest;

constexpr Instant kBegun{std::chrono::microseconds(1'700'000'000'000'042)};

struct SpanText : testing::Test {
  SpanText() {
    record.request_id = "id-1";
    record.address = boost::asio::ip::make_address("203.0.113.7");
    record.method = "GET";
    record.host = "a.example:8080";
    record.path = "/things/7";
    record.status = 200;
    record.ended_by = "upstream";
    record.route = "things";
    record.upstream = "app";
    record.user_agent = "curl/8";
    record.limit = "per-ip";
    record.decision = "allowed";
    record.remaining = 9;
    spans.record = &record;
    spans.context = {
        .high = 0x4bf92f3577b34da6, .low = 0xa3ce929d0e0e4736, .parent = 0xf067aa0ba902b7, .sampled = true};
    spans.state = "rojo=1";
    spans.id = 0xabc;
    spans.begun = kBegun;
    spans.ended = kBegun + 5ms;
    spans.pattern = "/things/{id}";
    spans.scheme = "https";
  }
  OtlpRequest written(std::size_t expected) {
    std::string out;
    EXPECT_EQ(append_spans(spans, out), expected);
    OtlpRequest request(R"({"resourceSpans":[{"resource":{},"scopeSpans":[{"scope":{},"spans":[)" + out + "]}]}]}");
    EXPECT_EQ(request.complaints, "") << out;
    EXPECT_EQ(request.spans.size(), expected);
    return request;
  }

  AccessRecord record;
  ExchangeSpans spans;
};

TEST_F(SpanText, SaysWhatTheExchangeWas) {
  const auto request = written(1);
  const auto& span = request.spans.at(0);
  EXPECT_EQ(span.trace, "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(span.id, "0000000000000abc");
  EXPECT_EQ(span.parent, "00f067aa0ba902b7");
  EXPECT_EQ(span.state, "rojo=1");
  EXPECT_EQ(span.flags, 0x301U) << "sampled, and its parent is elsewhere";
  EXPECT_EQ(span.name, "GET /things/{id}");
  EXPECT_EQ(span.kind, 2);
  EXPECT_EQ(span.begun, 1'700'000'000'000'042'000U);
  EXPECT_EQ(span.ended, span.begun + 5'000'000);
  EXPECT_EQ(span.status, 0);
  for (const auto& [key, value] : std::map<std::string, std::string>{{"http.request.method", "GET"},
                                                                     {"http.route", "/things/{id}"},
                                                                     {"http.response.status_code", "200"},
                                                                     {"url.path", "/things/7"},
                                                                     {"url.scheme", "https"},
                                                                     {"server.address", "a.example"},
                                                                     {"server.port", "8080"},
                                                                     {"client.address", "203.0.113.7"},
                                                                     {"user_agent.original", "curl/8"},
                                                                     {"network.protocol.version", "1.1"},
                                                                     {"headgate.request_id", "id-1"},
                                                                     {"ratelimit.limit", "per-ip"},
                                                                     {"ratelimit.decision", "allowed"},
                                                                     {"ratelimit.remaining", "9"},
                                                                     {"error.type", "-"}})
    EXPECT_EQ(span.attribute(key), value) << key;
}

TEST_F(SpanText, NamesVersionsAsTheConventionDoes) {
  for (const auto& [version, name] : std::map<unsigned, std::string>{{10, "1.0"}, {11, "1.1"}, {20, "2"}}) {
    record.version = version;
    EXPECT_EQ(written(1).spans.at(0).attribute("network.protocol.version"), name);
  }
}

TEST_F(SpanText, HasDecisionsAndAttemptsBelowIt) {
  const std::array decisions{DecisionSpan{.id = 1,
                                          .begun = kBegun,
                                          .ended = kBegun + 1ms,
                                          .limit = "per-ip",
                                          .tier = "pro",
                                          .decision = "allowed",
                                          .source = "redis",
                                          .remaining = 3}};
  const std::array attempts{
      AttemptSpan{.id = 2, .begun = kBegun, .ended = kBegun, .server = "10.0.0.1:80", .status = 0},
      AttemptSpan{.id = 3, .begun = kBegun, .ended = kBegun, .server = "[::1]:80", .status = 404}};
  spans.decisions = decisions;
  spans.attempts = attempts;
  const auto request = written(4);
  const auto& decision = request.spans.at(1);
  EXPECT_EQ(decision.name, "limit per-ip");
  EXPECT_EQ(decision.parent, "0000000000000abc");
  EXPECT_EQ(decision.kind, 1);
  EXPECT_EQ(decision.flags, 0x101U);
  EXPECT_EQ(decision.attribute("ratelimit.source"), "redis");
  EXPECT_EQ(decision.attribute("ratelimit.remaining"), "3");
  const auto& first = request.spans.at(2);
  EXPECT_EQ(first.kind, 3);
  EXPECT_EQ(first.status, 2);
  EXPECT_EQ(first.attribute("error.type"), "no_answer");
  EXPECT_EQ(first.attribute("server.address"), "10.0.0.1");
  EXPECT_EQ(first.attribute("server.port"), "80");
  EXPECT_EQ(first.attribute("http.request.resend_count"), "-");
  const auto& second = request.spans.at(3);
  EXPECT_EQ(second.status, 2) << "for a client, 404 is an error";
  EXPECT_EQ(second.attribute("server.address"), "[::1]");
  EXPECT_EQ(second.attribute("http.request.resend_count"), "1");
}

TEST_F(SpanText, OfAnAttemptHasTheUnusualMethodAndWhyItFailed) {
  record.method = "BREW";
  std::array<AttemptSpan, 3> attempts{};
  attempts[0].failure = "connect_timeout";
  attempts[1].failure = "closed";
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    attempts[i].id = i + 2;
    attempts[i].begun = attempts[i].ended = kBegun;
  }
  for (const auto answered : {1, 2}) attempts[static_cast<std::size_t>(answered)].status = 200;
  spans.attempts = attempts;
  const auto request = written(4);
  for (const auto& span : request.spans) {
    EXPECT_EQ(span.attribute("http.request.method"), "_OTHER");
    EXPECT_EQ(span.attribute("http.request.method_original"), "BREW");
  }
  EXPECT_EQ(request.spans.at(1).attribute("error.type"), "connect_timeout");
  EXPECT_EQ(request.spans.at(2).attribute("error.type"), "closed") << "its answer was not whole";
  EXPECT_EQ(request.spans.at(2).status, 2);
  EXPECT_EQ(request.spans.at(3).attribute("error.type"), "-");
}

TEST_F(SpanText, HasTextsInUtf8AsTheyAre) {
  record.path = record.user_agent = "/Zo\u00eb/\U0001f600";
  const auto span = written(1).spans.at(0);
  EXPECT_EQ(span.attribute("url.path"), record.path);
  EXPECT_EQ(span.attribute("user_agent.original"), record.path);
}

TEST_F(SpanText, HasNoParentIfTheTraceBeganHereAndNoAddressUnlessTheLogHasIt) {
  spans.begun_here = true;
  spans.state = {};
  spans.client_address = false;
  const auto span = written(1).spans.at(0);
  EXPECT_EQ(span.parent, "");
  EXPECT_EQ(span.flags, 0x101U);
  EXPECT_EQ(span.attribute("client.address"), "-");
}

TEST_F(SpanText, HasAnErrorIfTheGatewayOrItsServerFailed) {
  record.status = 503;
  EXPECT_EQ(written(1).spans.at(0).status, 2);
  EXPECT_EQ(written(1).spans.at(0).attribute("error.type"), "503");
  record.status = 429;
  EXPECT_EQ(written(1).spans.at(0).status, 0) << "a caller's mistake is none of the server's";
  record.status = 0;
  record.ended_by = "client_closed";
  EXPECT_EQ(written(1).spans.at(0).attribute("error.type"), "client_closed");
}

TEST_F(SpanText, BoundsNamesAndIsValidWhateverACallerSends) {
  record.method = "BREW\"\n";
  const std::string huge(60UL * 1024, '\xff');
  record.path = record.user_agent = record.host = huge;
  spans.pattern = {};
  const auto span = written(1).spans.at(0);
  EXPECT_EQ(span.name, "HTTP");
  EXPECT_EQ(span.attribute("http.request.method"), "_OTHER");
  EXPECT_EQ(span.attribute("http.request.method_original"), "BREW\"\n");
}

TEST_F(SpanText, OfManyExchangesAreTakenAsWholeExchangesUpToABound) {
  SpanQueue queue;
  SpanLog one(queue), other(queue);
  for (int i = 0; i < 10; ++i) (i % 2 == 0 ? one : other).write(spans);
  std::string text;
  std::size_t taken = 0;
  for (int calls = 0; calls < 100 && taken < 10; ++calls) {
    std::string batch;
    const auto count = queue.take(4'000, batch);
    EXPECT_LE(batch.size(), 4'000U);
    if (count == 0) break;
    text += (taken > 0 ? "," : "") + batch;
    taken += count;
  }
  EXPECT_EQ(taken, 10U);
  EXPECT_EQ(queue.take(4'000, text), 0U);
  const OtlpRequest request(R"({"resourceSpans":[{"resource":{},"scopeSpans":[{"scope":{},"spans":[)" + text +
                            "]}]}]}");
  EXPECT_EQ(request.complaints, "");
  EXPECT_EQ(request.spans.size(), 10U);
}

TEST_F(SpanText, BeyondTheQueuesMemoryAreDroppedAndCounted) {
  SpanQueue queue;
  SpanLog log(queue);
  for (int i = 0; i < 3'000; ++i) log.write(spans);
  std::string batch;
  std::size_t taken = 0;
  while (const auto count = queue.take(1 << 20, batch)) taken += count;
  EXPECT_GT(queue.dropped(), 1'000U);
  EXPECT_EQ(taken + queue.dropped(), 3'000U);
}

}  // namespace
}  // namespace headgate::observe
