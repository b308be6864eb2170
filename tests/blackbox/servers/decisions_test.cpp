// Decisions for nginx, Caddy and HAProxy, with the files that docs/decisions.md shows: two gateways on one Redis admit
// exactly the budget.

#include "blackbox/harness/fake_upstream.hpp"
#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/raw_client.hpp"
#include "blackbox/harness/real_server.hpp"
#include "support/redis_server.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace headgate::test {
namespace {

const std::string kCaddy = "/usr/bin/caddy";
const std::string kDecisionFiles = HEADGATE_SOURCE_DIR "/conf/decisions/";

std::string decision_file(const std::string& name) {
  std::ifstream in(kDecisionFiles + name);
  std::ostringstream out;
  out << in.rdbuf();
  EXPECT_FALSE(out.str().empty()) << name;
  return out.str();
}

std::string with_all(std::string text, const std::map<std::string, std::string>& replaced) {
  for (const auto& [from, to] : replaced) {
    EXPECT_NE(text.find(from), text.npos) << from;
    for (auto at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  }
  return text;
}

class Decisions : public testing::Test {
 protected:
  void SetUp() override {
    if (!RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
    ASSERT_TRUE(redis_.start()) << redis_.error();
  }
  /// Two gateways with the file of the page, for this proxy.
  void start_gateways(const std::string& from) {
    for (int i = 0; i < 2; ++i) {
      auto config = Json::parse(decision_file("headgate.json"), nullptr, true, true);
      config["admin"] = "off";
      config["listen"]["address"] = "127.0.0.1:0";
      config["listen"]["from"] = from;
      config["redis"]["url"] = "redis://127.0.0.1:" + std::to_string(redis_.port());
      gateways_.push_back(std::make_unique<Gateway>(config));
    }
  }
  std::string gateway(std::size_t which) const { return "127.0.0.1:" + std::to_string(gateways_[which]->port()); }
  std::string app() const { return "127.0.0.1:" + std::to_string(app_.port()); }

  /// Sends 25 requests, of which exactly 10 must pass, with the field of the decision.
  void expect_ten(std::uint16_t port) {
    int passed = 0;
    for (int i = 0; i < 25; ++i) {
      RawClient client(port);
      const auto answer = client.get("/a?n=" + std::to_string(i), "X-Client: forged\r\nX-Original-URI: /other\r\n");
      passed += answer.status() == 200 ? 1 : 0;
      if (answer.status() == 200) {
        EXPECT_EQ(app_.last().message.value("X-Client"), "127.0.0.1");
      } else {
        EXPECT_EQ(answer.status(), 429) << answer.body;
        EXPECT_FALSE(answer.value("Retry-After").empty());
      }
    }
    EXPECT_EQ(passed, 10);
  }
  /// With both gateways gone, the proxy lets nothing through.
  void expect_none_without_gateways(std::uint16_t port, int status) {
    gateways_.clear();
    RawClient client(port);
    EXPECT_EQ(client.get("/a").status(), status);
  }

  RedisServer redis_;
  FakeUpstream app_;
  std::vector<std::unique_ptr<Gateway>> gateways_;
};

TEST_F(Decisions, OfTwoGatewaysAdmitExactlyTheBudgetThroughNginx) {
  if (!installed(kNginx)) GTEST_SKIP() << "no " << kNginx << " on this machine";
  start_gateways("nginx");
  RealServer nginx(kNginx, {"-e", "/dev/stderr", "-c"}, [&](std::uint16_t port) {
    return "daemon off;\nmaster_process off;\npid /tmp/headgate-decisions-" + std::to_string(port) +
           ".pid;\nevents {}\nhttp {\naccess_log off;\n" +
           with_all(decision_file("nginx.conf"),
                    {{"server 127.0.0.1:9001;", "server " + gateway(0) + ";\n  server " + gateway(1) + ";"},
                     {"127.0.0.1:8080", "127.0.0.1:" + std::to_string(port)},
                     {"127.0.0.1:3000", app()}}) +
           "}\n";
  });
  ASSERT_TRUE(nginx.listens()) << nginx.said();
  expect_ten(nginx.port());
  expect_none_without_gateways(nginx.port(), 500);
}

TEST_F(Decisions, OfTwoGatewaysAdmitExactlyTheBudgetThroughCaddy) {
  if (!installed(kCaddy)) GTEST_SKIP() << "no " << kCaddy << " on this machine";
  start_gateways("caddy");
  RealServer caddy(kCaddy, {"run", "--adapter", "caddyfile", "--config"}, [&](std::uint16_t port) {
    return "{\n\tadmin off\n\tauto_https off\n}\n" +
           with_all(decision_file("Caddyfile"),
                    {{"forward_auth 127.0.0.1:9001", "forward_auth " + gateway(0) + " " + gateway(1)},
                     {":8080", ":" + std::to_string(port)},
                     {"127.0.0.1:3000", app()}});
  });
  ASSERT_TRUE(caddy.listens()) << caddy.said();
  expect_ten(caddy.port());
  expect_none_without_gateways(caddy.port(), 502);
}

TEST_F(Decisions, OfAGatewayAdmitExactlyTheBudgetThroughHaproxy) {
  if (!installed(kHaproxy)) GTEST_SKIP() << "no " << kHaproxy << " on this machine";
  start_gateways("nginx");
  const TemporaryFile lua(with_all(decision_file("headgate.lua"), {{"127.0.0.1:9001", gateway(0)}}), "headgate.lua");
  RealServer haproxy(kHaproxy, {"-db", "-f"}, [&](std::uint16_t port) {
    return with_all(decision_file("haproxy.cfg"), {{"/etc/haproxy/headgate.lua", lua.path()},
                                                   {"127.0.0.1:8080", "127.0.0.1:" + std::to_string(port)},
                                                   {"127.0.0.1:3000", app()}});
  });
  ASSERT_TRUE(haproxy.listens()) << haproxy.said();
  expect_ten(haproxy.port());
  expect_none_without_gateways(haproxy.port(), 503);
}

}  // namespace
}  // namespace headgate::test
