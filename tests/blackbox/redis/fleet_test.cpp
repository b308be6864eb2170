// Gateways that share Redis know how many they are, so that they admit the limit together while Redis is away.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/look.hpp"
#include "blackbox/harness/upgraded.hpp"
#include "support/redis_cli.hpp"
#include "support/redis_server.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace headgate::test {
namespace {

class Fleet : public testing::Test {
 protected:
  void SetUp() override {
    if (!RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
    ASSERT_TRUE(redis.start()) << redis.error();
  }

  Json config(const Json& more_of_redis = Json::object()) const {
    Json of_redis = {{"url", "redis://127.0.0.1:" + std::to_string(redis.port())}, {"timeout", "200ms"}};
    of_redis.merge_patch(more_of_redis);
    return {{"redis", of_redis},
            {"admin", {{"listen", "127.0.0.1:0"}}},
            {"limits", {{"x", {{"rate", "20/day"}, {"per", "client_ip"}, {"leases", "off"}}}}},
            {"all_routes", {{"limits", {"x"}}}}};
  }
  void start(std::size_t count, const Json& more_of_redis = Json::object()) {
    for (std::size_t i = 0; i < count; ++i) gateways.push_back(std::make_unique<Proxy>(config(more_of_redis)));
  }
  static double counted(Proxy& proxy, const std::string& by) {
    const auto metrics = Look(proxy.gateway.process()).metrics();
    return metrics.value("headgate_gateways{kind=\"" + by + "\"}").value_or(-1);
  }
  bool all_see(double count) {
    return wait_until(
        [&] {
          for (const auto& each : gateways)
            if (counted(*each, "seen") != count) return false;
          return true;
        },
        std::chrono::seconds(20));
  }
  /// How many of the requests that one caller sends to all gateways in turn are admitted.
  int admitted(int requests) {
    int out = 0;
    for (int i = 0; i < requests; ++i)
      out += gateways[static_cast<std::size_t>(i) % gateways.size()]->client().get().status() == 200 ? 1 : 0;
    return out;
  }

  RedisServer redis;
  std::vector<std::unique_ptr<Proxy>> gateways;
};

TEST_F(Fleet, OfFourAdmitsTheLimitTogetherInAnOutage) {
  start(4);
  ASSERT_TRUE(all_see(4));
  redis.kill9();
  EXPECT_EQ(admitted(80), 20);
  const auto status = Look(gateways[0]->gateway.process()).get("/api/v1/status").body;
  EXPECT_NE(status.find("\"counted\": 4"), std::string::npos) << status;
}

TEST_F(Fleet, ThatGrowsAndThenLosesRedisAdmitsTheLimitTogether) {
  start(2);
  ASSERT_TRUE(all_see(2));
  start(3);
  ASSERT_TRUE(all_see(5));
  gateways.pop_back();  // it leaves; for a minute the others reckon with it, as it may come back
  redis.kill9();
  EXPECT_EQ(admitted(80), 16);
}

TEST_F(Fleet, ThatStartsWithoutRedisReckonsWithTheConfiguration) {
  redis.kill9();
  start(2, {{"instances", 2}});
  EXPECT_EQ(counted(*gateways[0], "seen"), 0);
  EXPECT_EQ(counted(*gateways[0], "counted"), 2);
  EXPECT_EQ(admitted(60), 20);
}

TEST_F(Fleet, KeepsItsCountWhenRedisComesBackEmpty) {
  start(3);
  ASSERT_TRUE(all_see(3));
  redis.kill9();
  ASSERT_TRUE(redis.restart()) << redis.error();
  ASSERT_TRUE(Look(gateways[0]->gateway.process()).comes_to([](const MetricsText& metrics) {
    return metrics.sum("headgate_redis_up") > 0;
  }));
  redis.kill9();
  for (const auto& each : gateways) EXPECT_EQ(counted(*each, "counted"), 3);
}

TEST_F(Fleet, CountsAProcessAndTheOneThatReplacesItOnce) {
  start(1);
  Upgraded upgraded(config());
  ASSERT_TRUE(all_see(2));
  ASSERT_TRUE(upgraded.upgrade()) << upgraded.gateway.process().err();
  // For longer than a gateway needs to say that it is there.
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(7);
  while (std::chrono::steady_clock::now() < end) ASSERT_EQ(counted(*gateways[0], "seen"), 2);
  redis.kill9();
  EXPECT_EQ(counted(*gateways[0], "counted"), 2);
}

}  // namespace
}  // namespace headgate::test
