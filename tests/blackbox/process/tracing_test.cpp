// Traces of a running gateway, at a collector that reads OTLP strictly.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/look.hpp"
#include "support/otlp.hpp"

#include <gtest/gtest.h>

namespace headgate::test {
namespace {

constexpr const char* kTrace = "4bf92f3577b34da6a3ce929d0e0e4736";
constexpr const char* kParent = "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\n";

struct Traced {
  explicit Traced(const Json& changes = Json::object()) : proxy(with_collector(changes)) {}

  Json with_collector(const Json& changes) const {
    Json all = {{"tracing", {{"otlp_http", collector.url()}, {"headers", {{"X-Key", "s3cret"}}}}},
                {"limits", {{"per-ip", {{"rate", "2/hour"}, {"per", "client_ip"}}}}},
                {"all_routes", {{"limits", {"per-ip"}}}}};
    all.merge_patch(changes);
    return all;
  }
  /// All spans so far.
  OtlpRequest spans(std::size_t requests = 1) {
    EXPECT_TRUE(collector.wait_for_requests(requests));
    OtlpRequest all("{}");
    for (const auto& seen : collector.requests()) {
      EXPECT_EQ(seen.message.target(), "/v1/traces");
      EXPECT_EQ(seen.message.value("X-Key"), "s3cret");
      const OtlpRequest one(seen.message.body);
      EXPECT_EQ(one.complaints, "") << seen.message.body;
      all.spans.insert(all.spans.end(), one.spans.begin(), one.spans.end());
    }
    return all;
  }

  FakeUpstream collector;
  Proxy proxy;
};

TEST(Tracing, OfARequestHasSpansOfExchangeDecisionAndAttemptThatBelongTogether) {
  Traced traced;
  EXPECT_EQ(traced.proxy.client().get("/a?q=secret", kParent).status(), 200);
  const auto all = traced.spans();
  ASSERT_EQ(all.spans.size(), 3U);
  const auto* const exchange = all.one_of(2);
  const auto* const decision = all.one_of(1);
  const auto* const attempt = all.one_of(3);
  ASSERT_TRUE(exchange != nullptr && decision != nullptr && attempt != nullptr);
  for (const auto& span : all.spans) EXPECT_EQ(span.trace, kTrace);
  EXPECT_EQ(exchange->parent, "00f067aa0ba902b7");
  EXPECT_EQ(decision->parent, exchange->id);
  EXPECT_EQ(attempt->parent, exchange->id);
  EXPECT_EQ(traced.proxy.forwarded().value("traceparent"), std::string("00-") + kTrace + '-' + attempt->id + "-01");
  EXPECT_EQ(exchange->name, "GET /*");
  EXPECT_EQ(exchange->attribute("url.path"), "/a") << "no query";
  EXPECT_EQ(exchange->attribute("http.response.status_code"), "200");
  EXPECT_EQ(exchange->attribute("client.address"), "127.0.0.1");
  EXPECT_EQ(exchange->attribute("ratelimit.limit"), "per-ip");
  EXPECT_EQ(exchange->attribute("ratelimit.decision"), "allowed");
  EXPECT_EQ(exchange->attribute("ratelimit.remaining"), "1");
  EXPECT_EQ(decision->attribute("ratelimit.source"), "memory");
  EXPECT_EQ(attempt->attribute("server.port"), std::to_string(traced.proxy.upstream.port()));
  EXPECT_LE(exchange->begun, attempt->begun);
  EXPECT_LE(attempt->ended, exchange->ended);
}

TEST(Tracing, OfARejectionSaysSo) {
  Traced traced({{"tracing", {{"sample", "100%"}}}, {"limits", {{"per-ip", {{"burst", 1}}}}}});
  EXPECT_EQ(traced.proxy.client().get("/").status(), 200);
  EXPECT_EQ(traced.proxy.client().get("/").status(), 429);
  EXPECT_EQ(traced.proxy.gateway.terminate(), 0);
  const auto all = traced.spans();
  ASSERT_EQ(all.spans.size(), 5U) << "a rejected request has no attempt";
  const auto& rejected = all.spans.at(3);
  EXPECT_EQ(rejected.attribute("http.response.status_code"), "429");
  EXPECT_EQ(rejected.attribute("ratelimit.decision"), "rejected");
  EXPECT_EQ(rejected.attribute("headgate.ended_by"), "limit");
  EXPECT_EQ(all.spans.at(4).attribute("ratelimit.decision"), "rejected");
}

TEST(Tracing, IsSentBeforeTheGatewayEnds) {
  const Json roomy = {{"limits", {{"per-ip", {{"rate", "1000/second"}}}}}};
  Traced traced(roomy);
  auto client = traced.proxy.client();
  for (int i = 0; i < 50; ++i) EXPECT_EQ(client.get("/", kParent).status(), 200);
  EXPECT_EQ(traced.proxy.gateway.terminate(), 0);
  EXPECT_EQ(traced.spans().spans.size(), 150U);
}

TEST(Tracing, ThatGoesNowhereHoldsNoRequestUpAndEndsInTime) {
  Json changes = {{"tracing", {{"otlp_http", "http://127.0.0.1:1"}, {"sample", "100%"}}}};
  Proxy proxy(changes);
  auto client = proxy.client();
  for (int i = 0; i < 200; ++i) EXPECT_EQ(client.get("/").status(), 200);
  EXPECT_EQ(proxy.gateway.terminate(), 0);
}

TEST(Tracing, GoesOnWhenItsCollectorComesBack) {
  const Json roomy = {{"limits", {{"per-ip", {{"rate", "1000/second"}}}}}};
  Traced traced(roomy);
  traced.collector.answer_next(1, {{"X-Test-Status", "503"}});
  EXPECT_EQ(traced.proxy.client().get("/", kParent).status(), 200);
  ASSERT_TRUE(traced.collector.wait_for_requests(2)) << "the same once more";
  const auto requests = traced.collector.requests();
  EXPECT_EQ(requests.at(0).message.body, requests.at(1).message.body);
}

TEST(Tracing, WithoutACollectorStillLogsAndPassesOnTheTrace) {
  Proxy proxy({{"tracing", Json::object()}, {"log", {{"format", "json"}}}});
  EXPECT_EQ(proxy.client().get("/", kParent).status(), 200);
  EXPECT_EQ(proxy.forwarded().value("traceparent"), std::string("00-") + kTrace + "-00f067aa0ba902b7-01");
  EXPECT_EQ(proxy.gateway.terminate(), 0);
  EXPECT_NE(proxy.gateway.process().out().find(std::string("\"trace_id\":\"") + kTrace), std::string::npos);
}

TEST(Tracing, ShowsInTheMetricsWhatBecameOfSpans) {
  const Json open = {{"admin", {{"listen", "127.0.0.1:0"}}}};
  Traced traced(open);
  EXPECT_EQ(traced.proxy.client().get("/", kParent).status(), 200);
  const Look look(traced.proxy.gateway.process());
  EXPECT_TRUE(look.comes_to(
      [](const MetricsText& now) { return now.value(R"(headgate_trace_spans_total{result="exported"})") == 3; }));
  EXPECT_EQ(look.metrics().value(R"(headgate_trace_spans_total{result="dropped"})"), 0);
  EXPECT_EQ(look.metrics().value("headgate_trace_retries_total"), 0);
}

TEST(Tracing, OfTheExampleGoesToItsCollector) {
  FakeUpstream collector, app;
  const Gateway gateway(Words{"run", "-c", HEADGATE_SOURCE_DIR "/conf/examples/tracing.json"}, 1,
                        {"LISTEN=127.0.0.1:0", "ADMIN_LISTEN=127.0.0.1:0", "APP_URL=" + app.url(),
                         "OTLP_URL=" + collector.url(), "OTLP_AUTHORIZATION=Bearer s3cret", "SAMPLE=100%"});
  EXPECT_EQ(gateway.client().get("/").status(), 200);
  ASSERT_TRUE(collector.wait_for_requests(1));
  EXPECT_EQ(collector.last().message.value("Authorization"), "Bearer s3cret");
  EXPECT_EQ(OtlpRequest(collector.last().message.body).spans.size(), 3U);
}

}  // namespace
}  // namespace headgate::test
