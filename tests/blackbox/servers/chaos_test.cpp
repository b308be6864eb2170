// Three gateways and one Redis that fails in every possible way. The number of allowed requests must stay within the
// bound of docs/limits_in_redis.md.

#include "blackbox/harness/gateway.hpp"
#include "contract/redis_client.hpp"
#include "support/redis_cli.hpp"
#include "support/redis_sentinel.hpp"
#include "support/redis_server.hpp"
#include "support/tcp_gate.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace headgate::test {
namespace {

using Mode = TcpGate::Mode;

constexpr int kLimit = 60;  // a day: one permit comes back in 24 minutes, so none during a test
constexpr std::int64_t kToken = 86'400'000'000 / kLimit;  // microseconds
constexpr std::size_t kGateways = 3;
constexpr Milliseconds kOutage{1500};
constexpr Milliseconds kAfterwards{4000};  // to find Redis again, and the two seconds after the outage

/// Sends requests to one gateway all the time, as one caller.
class Asking {
 public:
  explicit Asking(const Gateway& gateway, std::string caller)
      : thread_([this, &gateway, caller = std::move(caller)] {
          while (!ended_) {
            RawClient client = gateway.client();
            for (int i = 0; i < 100 && !ended_ && client.is_open(); ++i) {
              const int status = client.get("/", "X-User: " + caller + "\r\n").status();
              if (status == 200) ++admitted_;
              if (status != 200 && status != 429) ++others_;
              std::this_thread::sleep_for(Milliseconds(3));
            }
          }
        }) {}
  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;
  ~Asking() { end(); }

  void end() {
    ended_ = true;
    if (thread_.joinable()) thread_.join();
  }
  int admitted() const { return admitted_; }
  int others() const { return others_; }

 private:
  std::atomic<bool> ended_ = false;
  std::atomic<int> admitted_ = 0;
  std::atomic<int> others_ = 0;
  std::thread thread_;
};

class Chaos : public testing::Test {
 protected:
  void SetUp() override {
    if (!RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
  }

  /// Each gateway has its own gate to Redis.
  void start(std::vector<std::string> arguments = {}) {
    ASSERT_TRUE(redis.start(std::move(arguments))) << redis.error();
    for (auto& gate : gates) gate = std::make_unique<TcpGate>(redis.port());
    for (std::size_t i = 0; i < kGateways; ++i)
      start(i, {{"url", "redis://127.0.0.1:" + std::to_string(gates[i]->port())}});
  }
  void start(std::size_t i, Json block) {
    block.merge_patch({{"timeout", "100ms"}, {"instances", kGateways}});
    proxies[i] = std::make_unique<Proxy>(Json{
        {"redis", block},
        {"limits",
         {{"x", {{"rate", std::to_string(kLimit) + "/day"}, {"per", "header:X-User"}, {"if_absent", "client_ip"}}}}},
        {"all_routes", {{"limits", {"x"}}}}});
    // It has found Redis.
    EXPECT_EQ(proxies[i]->client().get("/", "X-User: nobody\r\n").status(), 200);
  }

  void ask() {
    for (auto& proxy : proxies) asking.push_back(std::make_unique<Asking>(proxy->gateway, "somebody"));
  }
  static void pass(Milliseconds time) { std::this_thread::sleep_for(time); }
  void all(Mode mode) {
    for (auto& gate : gates) gate->set(mode);
  }

  int admitted() const {
    int sum = 0;
    for (const auto& each : asking) sum += each->admitted();
    return sum;
  }
  /// Ends the requests; returns how many were allowed in total.
  int in_all() {
    pass(kAfterwards);
    for (auto& each : asking) each->end();
    for (auto& each : asking) EXPECT_EQ(each->others(), 0) << "somebody got neither an answer nor a refusal";
    return admitted();
  }

  /// What Redis has counted for this caller, also below zero.
  static std::int64_t used(std::uint16_t port) {
    RedisClient client(port);
    std::string error;
    const auto numbers = client.integers({"EVAL",
                                          "local time = redis.call('TIME') "
                                          "local stored = redis.call('GET', 'hg:v1:{somebody}:x') or '0' "
                                          "return {tonumber(stored:match('^%d+')), time[1] * 1000000 + time[2]}",
                                          "0"},
                                         error);
    if (!numbers) return -1;
    return numbers->at(0) == 0 ? 0 : (numbers->at(0) - numbers->at(1) + kToken - 1) / kToken;
  }
  static bool knows_of(std::uint16_t port, int admitted) {
    return wait_until([&] { return used(port) >= admitted; }, std::chrono::seconds(5));
  }
  /// The one budget, all of which Redis has counted.
  void expect_one_budget() {
    const int sum = in_all();
    EXPECT_LE(sum, kLimit);
    EXPECT_GE(sum, kLimit - 3) << "and it is granted, but for what timed out and was counted all the same";
    EXPECT_TRUE(knows_of(redis.port(), sum)) << sum << " were let through, Redis knows of " << used(redis.port());
  }

  RedisServer redis;
  std::array<std::unique_ptr<TcpGate>, kGateways> gates;
  std::array<std::unique_ptr<Proxy>, kGateways> proxies;
  std::vector<std::unique_ptr<Asking>> asking;
};

TEST_F(Chaos, AKillWithoutPersistenceGrantsOneBudget) {
  start();
  redis.kill9();
  ask();
  pass(kOutage);
  ASSERT_TRUE(redis.restart()) << redis.error();
  expect_one_budget();
}

TEST_F(Chaos, AKillWithPersistenceGrantsNoMoreThanRedisAndTheGatewaysHadTogether) {
  start({"--appendonly", "yes", "--appendfsync", "always"});
  RawClient before = proxies[0]->client();
  for (int i = 0; i < kLimit / 2; ++i) EXPECT_EQ(before.get("/", "X-User: somebody\r\n").status(), 200);
  redis.kill9();
  ask();
  pass(kOutage);
  ASSERT_TRUE(redis.restart()) << redis.error();
  const int sum = kLimit / 2 + in_all();
  EXPECT_LE(sum, 2 * kLimit);
  EXPECT_GT(sum, kLimit) << "gateways do not know of each other meanwhile";
  EXPECT_TRUE(knows_of(redis.port(), sum)) << sum << " were let through, Redis knows of " << used(redis.port());
}

TEST_F(Chaos, AStoppedServerGrantsOneBudget) {
  start();
  redis.pause();
  ask();
  pass(kOutage);
  redis.resume();
  expect_one_budget();
}

TEST_F(Chaos, APauseOfWritesGrantsOneBudget) {
  start();
  RedisClient(redis.port()).command({"CLIENT", "PAUSE", "60000", "WRITE"});
  ask();
  pass(kOutage + kOutage);  // connections are made again meanwhile, and answer
  RedisClient(redis.port()).command({"CLIENT", "UNPAUSE"});
  expect_one_budget();
}

TEST_F(Chaos, AServerThatBecomesAReplicaForAWhileGrantsOneBudget) {
  start();
  RedisClient(redis.port()).command({"REPLICAOF", "127.0.0.1", "1"});
  ask();
  pass(kOutage);
  RedisClient(redis.port()).command({"REPLICAOF", "NO", "ONE"});
  expect_one_budget();
}

TEST_F(Chaos, AFullServerGrantsOneBudget) {
  start();
  RedisClient operating(redis.port());
  operating.command({"CONFIG", "SET", "maxmemory-policy", "noeviction"});
  operating.command({"CONFIG", "SET", "maxmemory", "1"});
  ask();
  pass(kOutage);
  operating.command({"CONFIG", "SET", "maxmemory", "0"});
  expect_one_budget();
}

TEST_F(Chaos, ANetworkThatGoesWithoutAWordGrantsOneBudget) {
  start();
  all(Mode::swallow);
  ask();
  pass(kOutage + kOutage);
  all(Mode::pass);
  expect_one_budget();
}

TEST_F(Chaos, GatewaysThatComeBackAtDifferentMomentsGrantOneBudget) {
  start();
  all(Mode::reset);
  ask();
  pass(kOutage);
  gates[0]->set(Mode::pass);
  pass(Milliseconds(60));
  gates[1]->set(Mode::pass);
  pass(Milliseconds(600));
  gates[2]->set(Mode::pass);
  expect_one_budget();
}

TEST_F(Chaos, AGatewayThatWasCutOffAloneOwesItsShareAndPays) {
  start();
  gates[2]->set(Mode::reset);
  ask();
  pass(kOutage);
  gates[2]->set(Mode::pass);
  const int sum = in_all();
  EXPECT_LE(sum, kLimit + kLimit / static_cast<int>(kGateways)) << "its share, once";
  EXPECT_TRUE(knows_of(redis.port(), sum)) << sum << " were let through, Redis knows of " << used(redis.port());
}

TEST_F(Chaos, AnswersCutInTheMiddleAreNeitherForgottenNorChargedForEver) {
  start();
  all(Mode::cut);
  ask();
  pass(kOutage + kOutage);
  all(Mode::pass);
  const int sum = in_all();
  EXPECT_LE(sum, 2 * kLimit);
  EXPECT_GE(sum, kLimit / 2);
  EXPECT_TRUE(knows_of(redis.port(), sum)) << sum << " were let through, Redis knows of " << used(redis.port());
  EXPECT_LE(used(redis.port()), 2 * kLimit + kLimit / 2) << "what was charged is not charged again and again";
}

TEST_F(Chaos, FlappingGrantsNoMoreThanTwoBudgets) {
  start();
  ask();
  for (int i = 0; i < 8; ++i) {
    RedisClient(redis.port()).command({"CLIENT", "PAUSE", "250", "WRITE"});
    pass(Milliseconds(400));
  }
  const int sum = in_all();
  EXPECT_LE(sum, 2 * kLimit);
  EXPECT_TRUE(knows_of(redis.port(), sum)) << sum << " were let through, Redis knows of " << used(redis.port());
}

TEST_F(Chaos, AFailoverGrantsOneBudget) {
  RedisSentinel three;
  ASSERT_TRUE(three.start()) << three.error();
  Json nodes = Json::array();
  for (const auto& sentinel : three.sentinels) nodes.push_back("127.0.0.1:" + std::to_string(sentinel.port()));
  for (std::size_t i = 0; i < kGateways; ++i) start(i, {{"sentinel", {{"master", "shop"}, {"nodes", nodes}}}});
  three.servers[0].kill9();
  ask();
  ASSERT_TRUE(wait_until([&] {
    const auto* const master = three.master();
    return master != nullptr && master != &three.servers[0];
  }));
  const int sum = in_all();
  EXPECT_LE(sum, kLimit);
  EXPECT_TRUE(knows_of(three.master()->port(), sum));
}

}  // namespace
}  // namespace headgate::test
