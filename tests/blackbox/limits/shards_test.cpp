// A hot key in shards: two gateways on a cluster.

#include "blackbox/harness/gateway.hpp"
#include "support/redis_cluster.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>

namespace headgate::test {
namespace {

class Shards : public testing::Test {
 protected:
  void SetUp() override {
    if (!RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
    ASSERT_TRUE(cluster.start(0)) << cluster.error();
  }

  Json limited_by(const Json& limit) {
    return {{"redis",
             {{"cluster", {"127.0.0.1:" + std::to_string(cluster.nodes[0].port())}},
              {"timeout", "5s"},
              {"if_down", "reject"},
              {"instances", 2}}},
            {"limits", {{"x", limit}}},
            {"all_routes", {{"limits", {"x"}}}}};
  }
  /// The shards' keys on each node.
  std::vector<std::string> keys_of(const RedisServer& node) {
    std::vector<std::string> out;
    std::istringstream lines(redis_cli(node.port(), "--scan --pattern '*#*:x'"));
    for (std::string line; std::getline(lines, line);)
      if (!line.empty()) out.push_back(line);
    return out;
  }

  RedisCluster cluster;
};

int admitted_by(const Proxy& one, const Proxy& two, int requests) {
  std::atomic<int> admitted = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      RawClient client = (t % 2 == 0 ? one : two).client();
      for (int i = 0; i < requests / 4; ++i)
        if (client.get().status() == 200) ++admitted;
    });
  }
  for (auto& thread : threads) thread.join();
  return admitted;
}

TEST_F(Shards, OfOneKeyLieOnSeveralNodesAndGrantTheLimitTogether) {
  const auto limit = limited_by({{"rate", "800/day"}, {"per", "total"}, {"leases", "off"}, {"shards", 8}});
  Proxy one(limit);
  Proxy two(limit);
  const int admitted = admitted_by(one, two, 1000);
  EXPECT_LE(admitted, 800);
  EXPECT_GE(admitted, 784) << "98 in 100";
  std::cout << admitted << " of 800 in 8 shards\n";
  std::set<std::string> all;
  int nodes = 0;
  for (const auto& node : cluster.nodes) {
    const auto keys = keys_of(node);
    if (!keys.empty()) ++nodes;
    all.insert(keys.begin(), keys.end());
  }
  EXPECT_EQ(all.size(), 8U);
  EXPECT_GE(nodes, 2);
  const Message rejected = one.client().get();
  EXPECT_EQ(rejected.status(), 429);
  EXPECT_EQ(rejected.value("X-RateLimit-Limit"), "800");
  EXPECT_GT(std::stoi(rejected.value("Retry-After")), 0);
}

TEST_F(Shards, GiveBackWhereTheyTook) {
  auto config = limited_by({{"rate", "80/day"}, {"per", "total"}, {"leases", "off"}, {"shards", 4}});
  const Json use = {{"use", "x"}, {"cost", {{"response_header", "X-Used"}, {"hold", 10}, {"most", 100}}}};
  config["all_routes"]["limits"] = Json::array({use});
  Proxy proxy(config);
  RawClient client = proxy.client();
  // Each takes 10 and gives 9 back. Without that the shards would be spent after 8 requests.
  for (int i = 0; i < 24; ++i) {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    int status = 0;
    do status = client.get("/", "X-Test-Field: X-Used: 1\r\n").status();
    while (status != 200 && std::chrono::steady_clock::now() < until);
    EXPECT_EQ(status, 200) << i;
  }
}

}  // namespace
}  // namespace headgate::test
