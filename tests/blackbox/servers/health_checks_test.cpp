// Health checks against servers that die, hang, answer 500 and come back.

#include "blackbox/harness/checked_server.hpp"
#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/look.hpp"
#include "blackbox/harness/reloaded.hpp"
#include "blackbox/tls/tls_gateway.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace headgate::test {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// Two servers, checked every 100 ms. Nothing else may take a server out: neither failed requests nor their latency.
Json checked(const std::vector<std::string>& servers, const Json& health = Json::object()) {
  Json all = {{"path", "/healthz"}, {"every", "100ms"}, {"timeout", "300ms"}, {"down_after", 2}, {"up_after", 2}};
  all.merge_patch(health);
  return {{"admin", {{"listen", "127.0.0.1:0"}}},
          {"log", {{"format", "json"}}},
          {"upstreams", {{"app", {{"servers", servers}, {"health", all}}}}}};
}

class HealthChecksOfServers : public testing::Test {
 protected:
  void begin(const Json& health = Json::object()) {
    gateway = std::make_unique<Gateway>(config_for(none, checked({one.url(), two.url()}, health)));
  }
  bool logs(const std::string& words) {
    return gateway->process().wait_for_err([&](const std::string& log) { return has(log, words); });
  }
  /// How many of twenty requests each server answers.
  std::pair<int, int> shares() const {
    std::pair<int, int> out;
    for (int i = 0; i < 20; ++i) {
      const auto answer = gateway->client().get("/");
      if (answer.body == "one") ++out.first;
      if (answer.body == "two") ++out.second;
    }
    return out;
  }

  FakeUpstream none;
  CheckedServer one{"one"};
  CheckedServer two{"two"};
  std::unique_ptr<Gateway> gateway;
};

TEST_F(HealthChecksOfServers, AskForThePathOnAConnectionOfTheirOwn) {
  begin({{"host", "api.internal"}});
  ASSERT_TRUE(one.wait_for_checks(3));
  const auto head = one.last_check();
  EXPECT_TRUE(has(head, "GET /healthz HTTP/1.1\r\n")) << head;
  EXPECT_TRUE(has(head, "Host: api.internal\r\n")) << head;
  EXPECT_GE(one.connections(), 3U);
  EXPECT_EQ(one.requests(), 0U);
}

TEST_F(HealthChecksOfServers, TakeAServerOutThatAnswers500AndBringItBack) {
  begin();
  ASSERT_TRUE(two.wait_for_checks(1));
  EXPECT_EQ(shares(), (std::pair{10, 10}));
  two.health(500);
  ASSERT_TRUE(logs("\"server_unhealthy\""));
  EXPECT_TRUE(logs("it answered 500")) << gateway->process().err();
  EXPECT_EQ(shares(), (std::pair{20, 0}));
  EXPECT_EQ(Look(gateway->process())
                .metrics()
                .value(R"(headgate_upstream_server_up{upstream="app",server=")" + two.url().substr(7) + R"("})"),
            0);
  EXPECT_TRUE(has(Look(gateway->process()).get("/api/v1/servers").body, R"("unhealthy")"));
  two.health(200);
  ASSERT_TRUE(logs("\"server_healthy\""));
  EXPECT_EQ(shares(), (std::pair{10, 10}));
  const auto metrics = Look(gateway->process()).metrics();
  const auto failed = R"(headgate_upstream_health_checks_total{upstream="app",server=")" + two.url().substr(7) +
                      R"(",result="failed"})";
  EXPECT_GE(metrics.value(failed), 2);
}

TEST_F(HealthChecksOfServers, TakeAServerOutThatHangs) {
  begin();
  ASSERT_TRUE(two.wait_for_checks(1));
  two.health(0);
  ASSERT_TRUE(logs("\"server_unhealthy\""));
  EXPECT_TRUE(logs("not done within 300ms")) << gateway->process().err();
  EXPECT_EQ(shares(), (std::pair{20, 0}));
}

TEST_F(HealthChecksOfServers, TakeAServerOutThatDiesAndBringItBackWhenItListensAgain) {
  begin();
  ASSERT_TRUE(two.wait_for_checks(1));
  two.die();
  ASSERT_TRUE(logs("\"server_unhealthy\""));
  EXPECT_EQ(shares(), (std::pair{20, 0}));
  two.come_back();
  ASSERT_TRUE(two.listens());
  ASSERT_TRUE(logs("\"server_healthy\""));
  EXPECT_EQ(shares(), (std::pair{10, 10}));
}

TEST_F(HealthChecksOfServers, DecideWithTheVeryFirstCheck) {
  two.health(503);
  begin({{"every", "30s"}});
  ASSERT_TRUE(logs("\"server_unhealthy\"")) << "it is not checked again for 30 s";
  EXPECT_EQ(shares(), (std::pair{20, 0}));
}

TEST_F(HealthChecksOfServers, PassWithTheStatusesThatAreExpected) {
  one.health(404);
  two.health(204);
  begin({{"expect", {200, "400-404"}}});
  ASSERT_TRUE(logs("\"server_unhealthy\""));
  EXPECT_TRUE(gateway->process().says("it answered 204")) << gateway->process().err();
  EXPECT_EQ(shares(), (std::pair{20, 0}));
}

TEST_F(HealthChecksOfServers, OnlyConnectWithoutAPath) {
  begin({{"path", nullptr}});
  const auto before = one.connections();
  const auto until = Clock::now() + kPatience;
  while (one.connections() < before + 3) ASSERT_LT(Clock::now(), until);
  EXPECT_EQ(one.checks(), 0U);
  two.die();
  ASSERT_TRUE(logs("\"server_unhealthy\""));
  EXPECT_TRUE(gateway->process().says("no connection can be opened: Connection refused")) << gateway->process().err();
  EXPECT_EQ(shares(), (std::pair{20, 0}));
}

TEST_F(HealthChecksOfServers, LeaveAServerInRotationWhenNoneIsHealthy) {
  one.health(500);
  two.health(500);
  begin();
  const auto until = Clock::now() + kPatience;
  while (count_of(gateway->process().err(), "\"server_unhealthy\"") < 2) ASSERT_LT(Clock::now(), until);
  EXPECT_EQ(gateway->client().get("/").status(), 200) << "an error from the gateway would help nobody";
}

TEST_F(HealthChecksOfServers, EndWithTheGatewayAlsoDuringACheck) {
  one.health(0);
  two.health(0);
  begin({{"timeout", "10s"}, {"every", "10s"}});
  ASSERT_TRUE(one.checks() > 0 || one.wait_for_checks(1));
  const auto since = Clock::now();
  EXPECT_EQ(gateway->terminate(), 0);
  EXPECT_LT(Clock::now() - since, milliseconds(3000)) << "no check is waited for";
}

TEST(HealthChecksAfterAReload, KeepWhatIsKnownAndCheckTheOthers) {
  CheckedServer one("one");
  CheckedServer two("two");
  CheckedServer three("three");
  two.health(500);
  Reloaded proxy(checked({one.url(), two.url()}));
  ASSERT_TRUE(proxy.process().wait_for_err([](const std::string& log) { return has(log, "\"server_unhealthy\""); }));
  ASSERT_TRUE(proxy.reload(checked({one.url(), two.url(), three.url()}, {{"every", "200ms"}})));
  for (int i = 0; i < 12; ++i) EXPECT_NE(proxy.client().get("/").body, "two");
  ASSERT_TRUE(three.wait_for_checks(1));
  EXPECT_EQ(count_of(proxy.process().err(), "\"server_unhealthy\""), 1U) << proxy.process().err();
  Json without = checked({one.url(), two.url()});
  without["upstreams"]["app"].erase("health");
  ASSERT_TRUE(proxy.reload(without));
  // It comes in a turn of the main loop behind that of the reload.
  ASSERT_TRUE(proxy.process().wait_for_err([](const std::string& log) { return has(log, "is no longer checked"); }));
  const auto checks = two.checks();  // one may be on its way
  bool two_again = false;
  for (int i = 0; i < 4; ++i) two_again = two_again || proxy.client().get("/").body == "two";
  EXPECT_TRUE(two_again) << "who is not checked is not out";
  std::this_thread::sleep_for(milliseconds(300));
  EXPECT_LE(two.checks(), checks + 1);
}

TEST(HealthChecksAfterAReload, MayComeDuringACheck) {
  CheckedServer one("one");
  one.health(0);
  Reloaded proxy(checked({one.url()}, {{"timeout", "5s"}, {"every", "5s"}}));
  ASSERT_TRUE(one.checks() > 0 || one.wait_for_checks(1));
  one.health(200);
  ASSERT_TRUE(proxy.reload(checked({one.url()}, {{"timeout", "1s"}})));
  ASSERT_TRUE(one.wait_for_checks(2)) << "the check under way was given up";
  EXPECT_EQ(count_of(proxy.process().err(), "\"server_unhealthy\""), 0U);
}

class HealthChecksOverTls : public WithCertificates {
 protected:
  static RealServer s_server(const std::string& certificate) {
    return {kOpenssl, [&](std::uint16_t port) {
              return Words{"s_server",
                           "-accept",
                           "127.0.0.1:" + std::to_string(port),
                           "-www",
                           "-cert",
                           files->path(certificate + ".crt"),
                           "-key",
                           files->path(certificate + ".key")};
            }};
  }
  static Json checks(std::uint16_t port, const Json& health) {
    Json config = in_front_of(port, trusting());
    config["upstreams"]["app"]["health"] = health;
    return config;
  }
  static bool passes(Gateway& gateway, std::uint16_t port) {
    const auto series = R"(headgate_upstream_health_checks_total{upstream="app",server="127.0.0.1:)" +
                        std::to_string(port) + R"(",result="passed"})";
    return Look(gateway.process()).comes_to([&](const MetricsText& now) { return now.value(series) >= 1; });
  }
};

TEST_F(HealthChecksOverTls, AskAndConnectAsRequestsDo) {
  RealServer server = s_server("server");
  ASSERT_TRUE(server.listens()) << server.said();
  for (const Json& health : {Json{{"path", "/"}, {"every", "200ms"}}, Json{{"every", "200ms"}}}) {
    Gateway gateway(checks(server.port(), health));
    EXPECT_TRUE(passes(gateway, server.port())) << health << gateway.process().err();
  }
}

TEST_F(HealthChecksOverTls, FailForACertificateThatIsNotTrusted) {
  RealServer server = s_server("other");
  ASSERT_TRUE(server.listens()) << server.said();
  for (const Json& health : {Json{{"path", "/"}}, Json::object()}) {
    Gateway gateway(checks(server.port(), health));
    EXPECT_TRUE(gateway.process().wait_for_err([](const std::string& log) {
      return has(log, "\"server_unhealthy\"") && has(log, "its certificate is not trusted");
    })) << gateway.process().err();
  }
}

}  // namespace
}  // namespace headgate::test
