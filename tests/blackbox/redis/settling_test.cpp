// Costs that an answer tells, while Redis or a gateway is away: each is counted once, and no answer waits for it.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/operator.hpp"
#include "contract/redis_client.hpp"
#include "support/redis_cluster.hpp"
#include "support/redis_server.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace headgate::test {
namespace {

using Clock = std::chrono::steady_clock;

class SettlingAfterAnOutage : public testing::Test {
 protected:
  void SetUp() override {
    if (!RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
    ASSERT_TRUE(redis.start()) << redis.error();
  }

  /// A limit that holds 4 permits for each request; the answer tells how many it used.
  Json held_at(const std::string& rate, const std::string& timeout = "200ms") const {
    const Json limit = {{"rate", rate},
                        {"per", "client_ip"},
                        {"algorithm", "fixed_window"},
                        {"window", "first_use"},
                        {"leases", "off"}};
    const Json use = {{"use", "x"}, {"cost", {{"response_header", "X-Used"}, {"hold", 4}, {"most", 100}}}};
    return {{"redis", {{"url", "redis://127.0.0.1:" + std::to_string(redis.port())}, {"timeout", timeout}}},
            {"admin", {{"listen", "127.0.0.1:0"}}},
            {"limits", {{"x", limit}}},
            {"all_routes", {{"limits", Json::array({use})}}}};
  }
  /// A request whose server has sent half of its answer, which used 1 permit.
  struct Begun {
    explicit Begun(Proxy& proxy) : client(proxy.client()) {
      client.send(request("GET", "/", "X-Test-Stall: 1\r\nX-Test-Bytes: 2000\r\nX-Test-Field: X-Used: 1\r\n"));
      answer = client.read_head();
      EXPECT_EQ(answer.status(), 200);
    }
    /// Reads the rest of the answer, and returns the length of its body.
    std::size_t end() {
      client.read_body(answer);
      return answer.body.size();
    }
    RawClient client;
    Message answer;
  };
  /// Permits in use, as the server with the counter has counted them.
  std::string used() { return used_at(redis.port()); }
  static std::string used_at(std::uint16_t port) {
    const auto value = RedisClient(port).text(
        {"EVAL", "return redis.call('GET', redis.call('KEYS', 'hg:v1:{127.0.0.1}:x:*')[1] or '') or ''", "0"});
    return value.substr(0, value.find('@'));
  }
  bool comes_to_use(const std::string& permits, Milliseconds within = kPatience) {
    const auto until = Clock::now() + within;
    while (used() != permits)
      if (Clock::now() >= until) return false;
    return true;
  }

  RedisServer redis;
};

TEST_F(SettlingAfterAnOutage, IsExactAfterAnOutageThatNoAnswerWaitsFor) {
  Proxy proxy(held_at("50/hour"));
  const Operator admin(proxy.gateway.process());
  std::vector<Begun> requests;
  for (int i = 0; i < 5; ++i) requests.emplace_back(proxy);
  ASSERT_TRUE(comes_to_use("20"));
  redis.pause();
  proxy.upstream.release();
  const auto since = Clock::now();
  for (auto& each : requests) EXPECT_EQ(each.end(), 2000U);
  EXPECT_LT(Clock::now() - since, Milliseconds(150)) << "no answer waits for Redis";
  const auto waits = [&](std::size_t settlements) {
    const auto until = Clock::now() + kPatience;
    Json now;
    while (Clock::now() < until) {
      now = admin.get("/api/v1/status")["settlements"];
      if (now["waiting"] == settlements) return true;
    }
    ADD_FAILURE() << now;
    return false;
  };
  EXPECT_TRUE(waits(5));
  EXPECT_EQ(admin.get("/api/v1/status")["settlements"]["permits"], 15);
  redis.resume();
  EXPECT_TRUE(comes_to_use("5"));
  EXPECT_TRUE(waits(0));
  EXPECT_EQ(used(), "5");
}

TEST_F(SettlingAfterAnOutage, EndsWithinTheDrainIfRedisComesBack) {
  Proxy proxy(held_at("50/hour"));
  {
    Begun request(proxy);
    ASSERT_TRUE(comes_to_use("4"));
    redis.pause();
    proxy.upstream.release();
    EXPECT_EQ(request.end(), 2000U);
  }
  std::thread later([this] {
    std::this_thread::sleep_for(Milliseconds(600));
    redis.resume();
  });
  EXPECT_EQ(proxy.gateway.terminate(), 0);
  later.join();
  EXPECT_EQ(used(), "1");
}

TEST_F(SettlingAfterAnOutage, OfAGatewayKilledInMidStreamLeavesNothingBeyondItsHold) {
  Proxy killed(held_at("20/4s", "2s"));
  killed.gateway.expect_any_end();
  Proxy other(held_at("20/4s", "2s"));
  const auto since = Clock::now();
  const Begun request(killed);
  killed.gateway.process().kill9();
  EXPECT_EQ(used(), "4");
  EXPECT_EQ(other.client().get("/", "X-Test-Field: X-Used: 0\r\n").value("X-RateLimit-Remaining"), "16");
  EXPECT_LT(Clock::now() - since, std::chrono::seconds(4)) << "the window ended before";
  std::string left;
  while (left != "20" && Clock::now() - since < std::chrono::seconds(8))
    left = other.client().get("/", "X-Test-Field: X-Used: 0\r\n").value("X-RateLimit-Remaining");
  EXPECT_EQ(left, "20");
}

// A settlement that may have arrived at a server of a cluster is not repeated, so some permits may stay taken until the
// end of the window, but none are given back twice.
TEST_F(SettlingAfterAnOutage, OfAClusterNeverGivesBackTwice) {
  RedisCluster cluster;
  ASSERT_TRUE(cluster.start(0)) << cluster.error();
  auto config = held_at("50/hour");
  config["redis"] = {{"cluster", Json::array()}, {"timeout", "200ms"}};
  for (const auto& node : cluster.nodes)
    config["redis"]["cluster"].push_back("127.0.0.1:" + std::to_string(node.port()));
  Proxy proxy(config);
  const Operator admin(proxy.gateway.process());
  auto* const owner = cluster.owner(
      static_cast<std::uint16_t>(std::stoi(redis_cli(cluster.nodes[0].port(), "CLUSTER KEYSLOT {127.0.0.1}"))));
  ASSERT_NE(owner, nullptr);
  std::vector<Begun> requests;
  for (int i = 0; i < 5; ++i) requests.emplace_back(proxy);
  ASSERT_TRUE(wait_until([&] { return used_at(owner->port()) == "20"; })) << used_at(owner->port());
  owner->pause();
  proxy.upstream.release();
  for (auto& each : requests) EXPECT_EQ(each.end(), 2000U);
  std::this_thread::sleep_for(Milliseconds(500));  // longer than the timeout of a call
  owner->resume();
  EXPECT_TRUE(wait_until([&] { return admin.get("/api/v1/status")["settlements"]["waiting"] == 0; }));
  const auto left = std::stoi(used_at(owner->port()));
  EXPECT_GE(left, 5);
  EXPECT_LE(left, 20);
}

}  // namespace
}  // namespace headgate::test
