// Decisions for nginx, Caddy and HAProxy, with the files of docs/with_nginx.md and its neighbours: two gateways on one
// Redis admit exactly the budget, also if one of them is killed.

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
  void start_gateways(const std::string& from, const std::string& if_redis_down = "count_locally") {
    for (int i = 0; i < 2; ++i) {
      auto config = Json::parse(decision_file("headgate.json"), nullptr, true, true);
      config["admin"] = "off";
      config["listen"]["address"] = "127.0.0.1:0";
      config["listen"]["from"] = from;
      config["redis"]["url"] = "redis://127.0.0.1:" + std::to_string(redis_.port());
      config["limits"]["per-client"]["if_redis_down"] = if_redis_down;
      gateways_.push_back(std::make_unique<Gateway>(config));
    }
  }
  std::string gateway(std::size_t which) const { return "127.0.0.1:" + std::to_string(gateways_[which]->port()); }
  std::string app() const { return "127.0.0.1:" + std::to_string(app_.port()); }

  /// Sends 25 requests, of which exactly 10 must pass, with the field of the decision. A gateway is killed after five.
  void expect_ten(std::uint16_t port) {
    int passed = 0;
    for (int i = 0; i < 25; ++i) {
      if (i == 5) {
        gateways_.front()->expect_any_end();
        gateways_.front()->process().kill9();
      }
      const auto answer = ask(port);
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
    EXPECT_EQ(ask(port).status(), status);
  }
  /// Without Redis, a limit that rejects then lets nothing through, and its client is told why.
  void expect_none_without_redis(std::uint16_t port) {
    EXPECT_EQ(ask(port).status(), 200);
    redis_.kill9();
    for (int i = 0; i < 4; ++i) {
      const auto answer = ask(port);
      EXPECT_EQ(answer.status(), 503) << answer.body;
      EXPECT_FALSE(answer.value("Retry-After").empty());
    }
  }

  std::unique_ptr<RealServer> start_nginx() {
    auto nginx = std::make_unique<RealServer>(kNginx, Words{"-e", "/dev/stderr", "-c"}, [&](std::uint16_t port) {
      return "daemon off;\nmaster_process off;\npid /tmp/headgate-decisions-" + std::to_string(port) +
             ".pid;\nevents {}\nhttp {\naccess_log off;\n" +
             with_all(decision_file("nginx.conf"),
                      {{"server 127.0.0.1:9001;", "server " + gateway(0) + ";\n  server " + gateway(1) + ";"},
                       {"127.0.0.1:8000", "127.0.0.1:" + std::to_string(port)},
                       {"127.0.0.1:3000", app()}}) +
             "}\n";
    });
    EXPECT_TRUE(nginx->listens()) << nginx->said();
    return nginx;
  }
  std::unique_ptr<RealServer> start_caddy() {
    auto caddy = std::make_unique<RealServer>(
        kCaddy, Words{"run", "--adapter", "caddyfile", "--config"}, [&](std::uint16_t port) {
          return "{\n\tadmin off\n\tauto_https off\n}\n" +
                 with_all(decision_file("Caddyfile"),
                          {{"forward_auth 127.0.0.1:9001", "forward_auth " + gateway(0) + " " + gateway(1)},
                           {":8000", ":" + std::to_string(port)},
                           {"127.0.0.1:3000", app()}});
        });
    EXPECT_TRUE(caddy->listens()) << caddy->said();
    return caddy;
  }
  std::unique_ptr<RealServer> start_haproxy() {
    lua_ = std::make_unique<TemporaryFile>(
        with_all(decision_file("headgate.lua"),
                 {{R"("127.0.0.1:9001")", in_quotes(gateway(0)) + ", " + in_quotes(gateway(1))}}),
        "headgate.lua");
    auto haproxy = std::make_unique<RealServer>(kHaproxy, Words{"-db", "-f"}, [&](std::uint16_t port) {
      return with_all(decision_file("haproxy.cfg"), {{"/etc/haproxy/headgate.lua", lua_->path()},
                                                     {"127.0.0.1:8000", "127.0.0.1:" + std::to_string(port)},
                                                     {"127.0.0.1:3000", app()}});
    });
    EXPECT_TRUE(haproxy->listens()) << haproxy->said();
    return haproxy;
  }

  RedisServer redis_;
  FakeUpstream app_;
  std::vector<std::unique_ptr<Gateway>> gateways_;

 private:
  static Message ask(std::uint16_t port) {
    RawClient client(port);
    return client.get("/a", "X-Client: forged\r\nX-Original-URI: /other\r\n");
  }
  static std::string in_quotes(const std::string& text) { return '"' + text + '"'; }

  std::unique_ptr<TemporaryFile> lua_;
};

TEST_F(Decisions, OfTwoGatewaysAdmitExactlyTheBudgetThroughNginx) {
  if (!installed(kNginx)) GTEST_SKIP() << "no " << kNginx << " on this machine";
  start_gateways("nginx");
  const auto nginx = start_nginx();
  expect_ten(nginx->port());
  expect_none_without_gateways(nginx->port(), 500);
}

TEST_F(Decisions, WithoutRedisAreRefusalsThroughNginx) {
  if (!installed(kNginx)) GTEST_SKIP() << "no " << kNginx << " on this machine";
  start_gateways("nginx", "reject");
  const auto nginx = start_nginx();
  expect_none_without_redis(nginx->port());
}

TEST_F(Decisions, OfTwoGatewaysAdmitExactlyTheBudgetThroughCaddy) {
  if (!installed(kCaddy)) GTEST_SKIP() << "no " << kCaddy << " on this machine";
  start_gateways("caddy");
  const auto caddy = start_caddy();
  expect_ten(caddy->port());
  expect_none_without_gateways(caddy->port(), 502);
}

TEST_F(Decisions, WithoutRedisAreRefusalsThroughCaddy) {
  if (!installed(kCaddy)) GTEST_SKIP() << "no " << kCaddy << " on this machine";
  start_gateways("caddy", "reject");
  const auto caddy = start_caddy();
  expect_none_without_redis(caddy->port());
}

TEST_F(Decisions, OfTwoGatewaysAdmitExactlyTheBudgetThroughHaproxy) {
  if (!installed(kHaproxy)) GTEST_SKIP() << "no " << kHaproxy << " on this machine";
  start_gateways("nginx");
  const auto haproxy = start_haproxy();
  expect_ten(haproxy->port());
  expect_none_without_gateways(haproxy->port(), 503);
}

TEST_F(Decisions, WithoutRedisAreRefusalsThroughHaproxy) {
  if (!installed(kHaproxy)) GTEST_SKIP() << "no " << kHaproxy << " on this machine";
  start_gateways("nginx", "reject");
  const auto haproxy = start_haproxy();
  expect_none_without_redis(haproxy->port());
}

}  // namespace
}  // namespace headgate::test
