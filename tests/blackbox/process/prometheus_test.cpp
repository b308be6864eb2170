// What a real Prometheus makes of the metrics, and of everything in conf that asks it.

#include "blackbox/harness/prometheus.hpp"

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/look.hpp"
#include "support/redis_server.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <ctime>
#include <fstream>
#include <regex>
#include <set>
#include <thread>

namespace headgate::test {
namespace {

/// Everything that the dashboard shows: limits in memory and in Redis, suspensions, two servers of which one fails,
/// retries, a circuit breaker, an adaptive limit.
Json everything(const FakeUpstream& app, const std::string& dead, std::uint16_t redis) {
  const Json upstream = {{"servers", {app.url(), dead}},
                         {"retry", {{"attempts", 3}, {"budget", "100%"}}},
                         {"circuit", {{"at_least", 1000}}},
                         {"concurrency", {{"adaptive", true}}}};
  return {
      {"admin", {{"listen", "127.0.0.1:0"}}},
      {"tracing", {{"sample", "0%"}}},
      {"redis", {{"url", "redis://127.0.0.1:" + std::to_string(redis)}}},
      {"upstreams", {{"app", upstream}}},
      {"limits",
       {{"flood", {{"rate", "1000/second"}, {"per", "total"}, {"store", "memory"}}},
        {"plan", {{"rate", "10/minute"}, {"per", "client_ip"}, {"store", "redis"}}},
        {"abuse",
         {{"rate", "5/minute"},
          {"per", "client_ip"},
          {"store", "memory"},
          {"ban", {{"after", 5}, {"within", "1m"}, {"for", "1h"}}}}}}},
      {"routes", Json::array({{{"name", "limited"}, {"path", "/limited"}, {"to", "app"}, {"limits", {"flood", "plan"}}},
                              {{"name", "traced"}, {"path", "/traced"}, {"to", "app"}},
                              {{"name", "abused"}, {"path", "/abused"}, {"to", "app"}, {"limits", {"abuse"}}},
                              {{"name", "all"}, {"path", "/*"}, {"to", "app"}, {"limits", {"flood"}}}})}};
}

/// Sends requests until it is destroyed.
class Load {
 public:
  explicit Load(const Gateway& gateway) : thread_([this, port = gateway.port()] { run(port); }) {}
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;
  ~Load() {
    done_ = true;
    thread_.join();
  }

 private:
  void run(std::uint16_t port) const {
    for (int i = 0; !done_; ++i) {
      RawClient client(port);
      (void)client.get("/limited");
      (void)client.get("/abused");
      (void)client.get("/", i % 3 == 0 ? "X-Test-Status: 503\r\n" : "X-Test-Bytes: 100\r\n");
      std::this_thread::sleep_for(Milliseconds(10));
    }
  }
  std::atomic<bool> done_{false};
  std::thread thread_;
};

/// As Grafana would ask it, with everything chosen.
std::string asked(std::string expression) {
  const auto replace = [&](const std::string& what, const std::string& by) {
    for (auto at = expression.find(what); at != std::string::npos; at = expression.find(what, at + by.size()))
      expression.replace(at, what.size(), by);
  };
  replace("$__rate_interval", "15s");
  for (const auto* const variable : {"$job", "$instance", "$route", "$limit"}) replace(variable, ".*");
  return expression;
}

class PrometheusTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!Prometheus::installed()) GTEST_SKIP() << "no prometheus on this machine";
    if (!RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
    ASSERT_TRUE(redis.start()) << redis.error();
    const std::string nobody = "http://127.0.0.1:1";  // a port that was free may be another test's meanwhile
    gateway = std::make_unique<Gateway>(config_for(app, everything(app, nobody, redis.port())));
    prometheus = std::make_unique<Prometheus>(admin_port(gateway->process()));
    load = std::make_unique<Load>(*gateway);
    ASSERT_TRUE(prometheus->comes_to("up == 1", Milliseconds(20'000))) << prometheus->log();
    ASSERT_TRUE(prometheus->comes_to(
        "headgate_upstream_ejections_total > 0 and headgate_upstream_ejections_total offset 2s > 0",
        Milliseconds(20'000)))
        << "the second server is ejected, and was scraped more than once since";
    ASSERT_TRUE(prometheus->comes_to("headgate:limit_reject_ratio:5m > 0", Milliseconds(20'000)));
  }

  RedisServer redis;
  FakeUpstream app;
  std::unique_ptr<Gateway> gateway;
  std::unique_ptr<Prometheus> prometheus;
  std::unique_ptr<Load> load;
};

TEST_F(PrometheusTest, AnswersEveryExpressionOfTheDashboardAndOfTheRules) {
  std::ifstream file(HEADGATE_SOURCE_DIR "/conf/grafana/headgate.json");
  const auto dashboard = Json::parse(file);
  std::set<std::string> rows;
  std::size_t expressions = 0;
  for (const auto& panel : dashboard["panels"]) {
    if (panel["type"] == "row") rows.insert(panel["title"].get<std::string>());
    for (const auto& target : panel.value("targets", Json::array())) {
      const auto expression = asked(target["expr"].get<std::string>());
      EXPECT_EQ(expression.find('$'), std::string::npos) << expression;
      EXPECT_TRUE(prometheus->comes_to(expression, Milliseconds(5'000))) << panel["title"] << ": " << expression << '\n'
                                                                         << prometheus->query(expression).dump();
      ++expressions;
    }
  }
  EXPECT_EQ(rows, (std::set<std::string>{"Traffic", "Limits", "Redis", "Upstreams", "headgate itself"}));
  EXPECT_GT(expressions, 40U);
  for (const auto& variable : dashboard["templating"]["list"]) {
    if (variable["type"] != "query") continue;
    const auto query = variable["definition"].get<std::string>();
    static const std::regex shape(R"re(label_values\((.*), (\w+)\))re");
    std::smatch parts;
    ASSERT_TRUE(std::regex_match(query, parts, shape)) << query;
    EXPECT_TRUE(prometheus->comes_to("count by (" + parts[2].str() + ") (" + asked(parts[1].str()) + ")")) << query;
  }
  const auto answer = prometheus->call("/api/v1/rules");
  std::size_t rules = 0;
  for (const auto& group : answer["data"]["groups"]) {
    for (const auto& rule : group["rules"]) {
      EXPECT_EQ(rule["health"], "ok") << rule.dump();
      ++rules;
    }
  }
  EXPECT_GE(rules, 21U);
}

TEST_F(PrometheusTest, ScrapesOpenMetricsWithoutLosingASeries) {
  const auto metadata = prometheus->call("/api/v1/targets/metadata?metric=headgate_requests");
  ASSERT_EQ(metadata["data"].size(), 1U) << "the name without its ending: OpenMetrics";
  EXPECT_EQ(metadata["data"][0]["type"], "counter");
  EXPECT_TRUE(prometheus->comes_to("scrape_samples_scraped == headgate_metric_series"));
  EXPECT_TRUE(prometheus->comes_to("count({__name__=~\".*_created\"}) or vector(1) == 1"));
}

TEST_F(PrometheusTest, KeepsTheTracesOfRequestsAsExemplars) {
  const std::string trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  const std::string other = "4bf92f3577b34da6a3ce929d0e0e4737";
  auto client = gateway->client();
  EXPECT_EQ(client.get("/traced", "traceparent: 00-" + other + "-00f067aa0ba902b7-00\r\n").status(), 200);
  EXPECT_EQ(client.get("/traced", "traceparent: 00-" + trace + "-00f067aa0ba902b7-01\r\n").status(), 200);
  const auto query = "/api/v1/query_exemplars?query=headgate_request_duration_seconds_bucket&start=" +
                     std::to_string(std::time(nullptr) - 60) + "&end=" + std::to_string(std::time(nullptr) + 60);
  const auto end = std::chrono::steady_clock::now() + kPatience;
  std::string text;
  do {
    std::this_thread::sleep_for(Milliseconds(300));
    text = prometheus->call(query).dump();
  } while (!has(text, trace) && std::chrono::steady_clock::now() < end);
  EXPECT_TRUE(has(text, "\"trace_id\":\"" + trace + "\"")) << text;
  EXPECT_TRUE(has(text, "\"route\":\"traced\"")) << text;
  EXPECT_FALSE(has(text, other)) << "a trace that is not recorded leads nowhere";
}

}  // namespace
}  // namespace headgate::test
