// What the metrics say of traffic: bytes, requests under way, connections, servers, and what the gateway itself takes.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/look.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace headgate::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

const Json kMeasured = {{"admin", {{"listen", "127.0.0.1:0"}}},
                        {"routes", Json::array({{{"name", "all"}, {"path", "/*"}, {"to", "app"}}})}};

Json measured(const Json& changes) {
  Json out = kMeasured;
  out.merge_patch(changes);
  return out;
}

TEST(TrafficMetrics, CountBytesOfEachRoute) {
  Proxy proxy(kMeasured);
  const Look look(proxy.gateway.process());
  auto client = proxy.client();
  EXPECT_EQ(client.ask(request_with_body("POST", "/", "hello", "X-Test-Bytes: 1000\r\n")).status(), 200);
  EXPECT_EQ(client.get("/", "X-Test-Bytes: 70000\r\n").status(), 200);
  ASSERT_TRUE(look.comes_to([](const MetricsText& now) { return now.sum("headgate_requests_total") == 2; }));
  const auto now = look.metrics();
  EXPECT_EQ(now.value(R"(headgate_received_bytes_total{route="all"})"), 5);
  EXPECT_NEAR(now.value(R"(headgate_sent_bytes_total{route="all"})").value_or(0), 71000 + 400, 400) << "with heads";
}

TEST(TrafficMetrics, ShowRequestsOfARouteUntilTheyEnd) {
  Proxy proxy(kMeasured);
  const Look look(proxy.gateway.process());
  const auto under_way = [](const MetricsText& now) {
    return now.value(R"(headgate_requests_in_flight{route="all"})").value_or(-1);
  };
  auto one = proxy.client();
  auto two = proxy.client();
  ASSERT_TRUE(one.send(request("GET", "/", "X-Test-Hold: 1\r\n")));
  ASSERT_TRUE(two.send(request("GET", "/", "X-Test-Hold: 1\r\n")));
  EXPECT_TRUE(look.comes_to([&](const MetricsText& now) { return under_way(now) == 2; }));
  EXPECT_TRUE(look.comes_to([&](const MetricsText& now) {
    return now.value(R"(headgate_upstream_in_flight{upstream="app",server=")" + proxy.upstream.url().substr(7) +
                     "\"}") == 2;
  }));
  EXPECT_EQ(proxy.client().get("/", "X-Test-Reset: 1\r\n").status(), 502);
  proxy.upstream.release();
  EXPECT_EQ(one.read().status(), 200);
  EXPECT_EQ(two.read().status(), 200);
  EXPECT_TRUE(look.comes_to([&](const MetricsText& now) { return under_way(now) == 0; }));
}

TEST(TrafficMetrics, CountTheConnectionsOfEachListener) {
  Proxy proxy(measured({{"bounds", {{"connections", 2}}}}));
  const Look look(proxy.gateway.process());
  const auto listener = [](const std::string& name, const std::string& more = "") {
    return "headgate_connections_" + name + R"({listener="127.0.0.1:0")" + more + "}";
  };
  EXPECT_TRUE(look.comes_to([&](const MetricsText& now) { return now.value(listener("open")) == 0; }))
      << "there before the first";
  auto one = proxy.client();
  ASSERT_TRUE(one.send(request("GET", "/", "X-Test-Hold: 1\r\n")));
  {
    auto two = proxy.client();
    ASSERT_TRUE(two.send(request("GET", "/", "X-Test-Hold: 1\r\n")));
    ASSERT_TRUE(proxy.upstream.wait_for_requests(2));
    EXPECT_EQ(proxy.client().get().status(), 503);
    EXPECT_EQ(look.metrics().value(listener("open")), 2);
  }
  EXPECT_TRUE(look.comes_to([&](const MetricsText& now) { return now.value(listener("open")) == 1; }));
  const auto now = look.metrics();
  EXPECT_EQ(now.value(listener("total", R"(,result="accepted")")), 2);
  EXPECT_EQ(now.value(listener("total", R"(,result="refused")")), 1);
  proxy.upstream.release();
  EXPECT_EQ(one.read().status(), 200);
}

TEST(TrafficMetrics, CountAttemptsByServerAndWhatItAnswered) {
  FakeUpstream app;
  const Json retries = {{"servers", {app.url()}}, {"retry", {{"attempts", 2}, {"on", Json::array({502})}}}};
  Gateway gateway(config_for(app, measured({{"upstreams", {{"app", retries}}}})));
  const Look look(gateway.process());
  const auto server = [&](const std::string& code) {
    return R"(headgate_upstream_requests_total{upstream="app",server=")" + app.url().substr(7) + "\",code=\"" + code +
           "\"}";
  };
  auto client = gateway.client();
  EXPECT_EQ(client.get().status(), 200);
  EXPECT_EQ(client.get("/", "X-Test-Status: 404\r\n").status(), 404);
  EXPECT_EQ(client.get("/", "X-Test-Status: 502\r\n").status(), 502);
  EXPECT_EQ(gateway.client().get("/", "X-Test-Reset: 1\r\n").status(), 502);
  ASSERT_TRUE(look.comes_to([](const MetricsText& now) { return now.sum("headgate_requests_total") == 4; }));
  const auto now = look.metrics();
  EXPECT_EQ(now.value(server("200")), 1);
  EXPECT_EQ(now.value(server("404")), 1);
  EXPECT_EQ(now.value(server("502")), 2) << "each attempt is counted";
  EXPECT_EQ(now.value(R"(headgate_upstream_retries_total{upstream="app",reason="status"})"), 1);
  EXPECT_GE(now.value(server("-")).value_or(0), 1) << "no answer";
  EXPECT_EQ(now.value(R"(headgate_upstream_duration_seconds_count{upstream="app"})"), 4);
}

TEST(TrafficMetrics, CountAttemptsAtAServerThatCannotBeReached) {
  const std::string nobody = "http://127.0.0.1:1";  // a port that was free may be another test's meanwhile
  Proxy proxy(measured({{"upstreams", {{"app", nobody}}}}));
  const Look look(proxy.gateway.process());
  EXPECT_EQ(proxy.client().get().status(), 502);
  EXPECT_TRUE(look.comes_to([&](const MetricsText& now) {
    return now.value(R"(headgate_upstream_requests_total{upstream="app",server=")" + nobody.substr(7) +
                     R"(",code="-"})") == 1;
  }));
}

TEST(TrafficMetrics, LeaveTheTimeOfServersAndSlowClientsOutOfTheOverhead) {
  Proxy proxy(kMeasured);
  const Look look(proxy.gateway.process());
  auto client = proxy.client();
  EXPECT_EQ(client.get("/", "X-Test-Delay-Ms: 600\r\n").status(), 200);
  EXPECT_EQ(client.get("/", "X-Test-Bytes: 1000\r\nX-Test-Piece-Delay-Ms: 60\r\n").status(), 200);
  auto slow = proxy.client();
  ASSERT_TRUE(slow.send("GET / HTTP/1.1\r\nHost: a.exam"));
  std::this_thread::sleep_for(Milliseconds(600));
  ASSERT_TRUE(slow.send("ple\r\n\r\n"));
  EXPECT_EQ(slow.read().status(), 200);
  ASSERT_TRUE(look.comes_to([](const MetricsText& now) { return now.sum("headgate_requests_total") == 3; }));
  const auto now = look.metrics();
  EXPECT_GE(now.value(R"(headgate_request_duration_seconds_sum{route="all"})").value_or(0), 1.7);
  EXPECT_EQ(now.value(R"(headgate_overhead_seconds_count{route="all"})"), 3);
  EXPECT_LT(now.value(R"(headgate_overhead_seconds_sum{route="all"})").value_or(9), 0.5);
}

TEST(TrafficMetrics, ShowTheLagOfEachWorkerAndHowManySeriesThereAre) {
  Proxy proxy(measured({{"workers", 2}}));
  const Look look(proxy.gateway.process());
  const auto now = look.metrics();
  EXPECT_TRUE(now.value(R"(headgate_event_loop_lag_seconds{worker="0"})"));
  EXPECT_TRUE(now.value(R"(headgate_event_loop_lag_seconds{worker="1"})"));
  EXPECT_EQ(now.value("headgate_metric_series"), static_cast<double>(now.samples.size()));
}

TEST(TrafficMetrics, AreOpenMetricsForClientsThatAskForThem) {
  Proxy proxy(kMeasured);
  const Look look(proxy.gateway.process());
  EXPECT_EQ(proxy.client().get().status(), 200);
  const auto type_for = [&](const std::string& accept) {
    return look.get("/metrics", accept.empty() ? accept : "Accept: " + accept + "\r\n").value("Content-Type");
  };
  const std::string plain = "text/plain; version=0.0.4; charset=utf-8";
  const std::string open = "application/openmetrics-text; version=1.0.0; charset=utf-8";
  EXPECT_EQ(type_for(""), plain);
  EXPECT_EQ(type_for("*/*"), plain);
  EXPECT_EQ(type_for("text/plain"), plain);
  EXPECT_EQ(type_for("application/openmetrics-text; version=1.0.0"), open);
  EXPECT_EQ(type_for("APPLICATION/OpenMetrics-Text"), open) << "media types have no case";
  EXPECT_EQ(type_for("application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
                     "text/plain;version=0.0.4;q=0.5,*/*;q=0.1"),
            open)
      << "what Prometheus sends";
  EXPECT_EQ(type_for("text/plain;version=0.0.4,application/openmetrics-text;version=1.0.0;q=0.5"), plain);
  EXPECT_EQ(type_for("application/openmetrics-text;q=0"), plain);
  EXPECT_EQ(type_for("text/plain;q=0.5\r\nAccept: application/openmetrics-text"), open) << "one list in two fields";
  const auto text = look.get("/metrics", "Accept: application/openmetrics-text; version=1.0.0\r\n").body;
  EXPECT_THAT(text, EndsWith("\n# EOF\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE headgate_requests counter\n"));
  EXPECT_THAT(look.text(), Not(HasSubstr("# EOF")));
}

}  // namespace
}  // namespace headgate::test
