// Several gateways, one Redis: one budget while Redis works, and the configured choice while it does not.

#include "blackbox/harness/gateway.hpp"
#include "support/redis_server.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace headgate::test {
namespace {

using Clock = std::chrono::steady_clock;

class WithRedis : public testing::Test {
 protected:
  void SetUp() override {
    if (!RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
    ASSERT_TRUE(redis.start()) << redis.error();
  }

  /// `rate` for each client address, counted in this Redis.
  Json shared(const std::string& rate, const Json& redis_changes = Json::object()) const {
    Json block = {{"url", "redis://127.0.0.1:" + std::to_string(redis.port())}, {"timeout", "20ms"}};
    block.merge_patch(redis_changes);
    return {{"redis", block},
            {"limits", {{"x", {{"rate", rate}, {"per", "client_ip"}}}}},
            {"all_routes", {{"limits", {"x"}}}}};
  }

  RedisServer redis;
};

/// Sends requests until one has `status`, or kPatience has passed.
bool turns_to(const Proxy& proxy, int status) {
  const auto until = Clock::now() + kPatience;
  while (Clock::now() < until) {
    if (proxy.client().get().status() == status) return true;
    std::this_thread::sleep_for(Milliseconds(20));
  }
  return false;
}

TEST_F(WithRedis, AServerWithoutScriptsIsReportedAtTheStartWithWhatHelps) {
  redis.stop();
  ASSERT_TRUE(redis.start(
      {"--rename-command", "EVALSHA", "", "--rename-command", "EVAL", "", "--rename-command", "SCRIPT", ""}))
      << redis.error();
  Proxy proxy(shared("5/day", {{"if_down", "reject"}}));
  auto& process = proxy.gateway.process();
  EXPECT_TRUE(process.wait_for_err([](const std::string& log) {
    return log.find("redis_lost") != log.npos &&
           log.find("it does not know EVALSHA or EVAL, which headgate needs: remove the lines") != log.npos;
  })) << process.err();
  EXPECT_EQ(proxy.client().get().status(), 503);
}

TEST_F(WithRedis, AStartThatFailsForATakenPortSaysOnlyThat) {
  const Socket taken = Socket::listen();
  const FakeUpstream upstream;
  for (const bool answers : {true, false}) {
    if (!answers) redis.stop();
    Json config = config_for(upstream);
    config.merge_patch(shared("5/day"));
    config["listen"] = "127.0.0.1:" + std::to_string(taken.local_port());
    config["workers"] = 2;
    const TemporaryFile file(config.dump());
    const auto ran = run_headgate({"run", "-c", file.path()});
    EXPECT_EQ(ran.code, 1);
    EXPECT_NE(ran.err.find("is taken"), std::string::npos) << ran.err;
    EXPECT_EQ(ran.err.find("Sanitizer"), std::string::npos) << ran.err;
  }
}

TEST_F(WithRedis, TwoGatewaysUnderParallelLoadAdmitNotOneTooMany) {
  // A deadline that even a loaded machine meets: all requests must be counted in Redis. The refill is negligible.
  const Json changes = shared("120/day", {{"timeout", "5s"}, {"if_down", "reject"}});
  Proxy one(changes);
  Proxy two(changes);
  std::atomic<int> admitted = 0;
  std::atomic<int> others = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      RawClient client = (t % 2 == 0 ? one : two).client();
      for (int i = 0; i < 40; ++i) {
        const int status = client.get().status();
        if (status == 200) ++admitted;
        if (status != 200 && status != 429) ++others;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(admitted, 120);
  EXPECT_EQ(others, 0);
  EXPECT_EQ(one.upstream.request_count() + two.upstream.request_count(), 120U);
}

TEST_F(WithRedis, RefillIsGrantedOnceToAllTogether) {
  const Json changes = shared("50/second", {{"timeout", "5s"}, {"if_down", "reject"}});
  Proxy one(changes);
  Proxy two(changes);
  std::atomic<int> admitted = 0;
  const auto start = Clock::now();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      RawClient client = (t % 2 == 0 ? one : two).client();
      while (Clock::now() < start + Milliseconds(1500)) admitted += client.get().status() == 200 ? 1 : 0;
    });
  }
  for (auto& thread : threads) thread.join();
  const double took = std::chrono::duration<double>(Clock::now() - start).count();
  EXPECT_LE(admitted, 50 + static_cast<int>(50 * took) + 1) << "burst and refill, and not one more";
  EXPECT_GE(admitted, 100) << "and not much less";
}

TEST_F(WithRedis, WhatOneGatewayCountsTheOtherShows) {
  const Json changes = shared("5/day", {{"timeout", "5s"}});
  Proxy one(changes);
  Proxy two(changes);
  EXPECT_EQ(one.client().get().value("X-RateLimit-Remaining"), "4");
  EXPECT_EQ(two.client().get().value("X-RateLimit-Remaining"), "3");
  EXPECT_EQ(one.client().get().value("X-RateLimit-Remaining"), "2");
}

TEST_F(WithRedis, ALimitInMemoryStaysInMemory) {
  Json changes = shared("5/day", {{"timeout", "5s"}});
  changes["limits"]["x"]["store"] = "memory";
  Proxy one(changes);
  Proxy two(changes);
  EXPECT_EQ(one.client().get().value("X-RateLimit-Remaining"), "4");
  EXPECT_EQ(two.client().get().value("X-RateLimit-Remaining"), "4");
}

TEST_F(WithRedis, PrefixesKeepBudgetsApart) {
  Proxy one(shared("5/day", {{"timeout", "5s"}, {"key_prefix", "a:"}}));
  Proxy two(shared("5/day", {{"timeout", "5s"}, {"key_prefix", "b:"}}));
  EXPECT_EQ(one.client().get().value("X-RateLimit-Remaining"), "4");
  EXPECT_EQ(two.client().get().value("X-RateLimit-Remaining"), "4");
}

TEST_F(WithRedis, ARejectionInRedisIsNotChargedInMemory) {
  Json changes = shared("1/day", {{"timeout", "5s"}});
  changes["limits"]["local"] = {{"rate", "100/day"}, {"per", "client_ip"}, {"store", "memory"}};
  changes["all_routes"]["limits"] = {"local", "x"};
  changes["routes"] =
      Json::array({{{"path", "/*"}, {"to", "app"}}, {{"path", "/local"}, {"to", "app"}, {"skip_limits", {"x"}}}});
  Proxy proxy(changes);
  RawClient client = proxy.client();
  EXPECT_EQ(client.get().status(), 200);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(client.get().status(), 429);
  EXPECT_EQ(client.get("/local").value("X-RateLimit-Remaining"), "98");
}

/// What a gateway does while Redis hangs; no request waits much longer than allowed.
void expect_while_paused(RedisServer& redis, Proxy& proxy, const std::vector<int>& statuses,
                         const std::string& source = "") {
  redis.pause();
  for (const int status : statuses) {
    const auto start = Clock::now();
    const Message answer = proxy.client(source).get();
    EXPECT_EQ(answer.status(), status) << visible(answer.head + answer.body);
    EXPECT_LT(Clock::now() - start, Milliseconds(20 + 400)) << "a request waited for Redis";
  }
  redis.resume();
}

TEST_F(WithRedis, ThatHangsMayMeanAllow) {
  Proxy proxy(shared("1/day", {{"if_down", "allow"}}));
  ASSERT_TRUE(turns_to(proxy, 429)) << "first it counts";
  // Another address, because a known rejection applies with or without Redis.
  expect_while_paused(redis, proxy, {200, 200, 200, 200, 200}, "127.0.0.2");
  EXPECT_TRUE(turns_to(proxy, 429)) << "and again once Redis is back";
}

TEST_F(WithRedis, ThatHangsMayMeanReject) {
  Proxy proxy(shared("100000/day", {{"if_down", "reject"}}));
  ASSERT_TRUE(turns_to(proxy, 200));
  const std::size_t before = proxy.upstream.request_count();
  expect_while_paused(redis, proxy, {503, 503, 503});
  EXPECT_EQ(proxy.upstream.request_count(), before);
  EXPECT_TRUE(turns_to(proxy, 200));
}

TEST_F(WithRedis, ThatHangsMayMeanCountLocally) {
  Proxy proxy(shared("6/day", {{"if_down", "count_locally"}, {"instances", 2}}));
  ASSERT_EQ(proxy.client("127.0.0.2").get().status(), 200);
  expect_while_paused(redis, proxy, {200, 200, 200, 429, 429});
}

TEST_F(WithRedis, ALimitMayDecideForItself) {
  Json changes = shared("100000/day", {{"if_down", "allow"}});
  changes["limits"]["x"]["if_redis_down"] = "reject";
  Proxy proxy(changes);
  ASSERT_TRUE(turns_to(proxy, 200));
  expect_while_paused(redis, proxy, {503});
}

TEST_F(WithRedis, ThatDiesAndComesBackIsFoundAgain) {
  Proxy proxy(shared("100000/day", {{"if_down", "reject"}}));
  ASSERT_TRUE(turns_to(proxy, 200));
  redis.kill9();
  EXPECT_EQ(proxy.client().get().status(), 503);
  ASSERT_TRUE(redis.restart()) << redis.error();
  EXPECT_TRUE(turns_to(proxy, 200));
}

TEST_F(WithRedis, ThatIsNotThereAtTheStartDoesNotPreventIt) {
  const Json changes = shared("2/day", {{"if_down", "count_locally"}});
  redis.kill9();
  Proxy proxy(changes);
  EXPECT_EQ(proxy.client().get().status(), 200);
  EXPECT_EQ(proxy.client().get().status(), 200);
  EXPECT_EQ(proxy.client().get().status(), 429);
}

TEST_F(WithRedis, WithoutItsPasswordIsDownNotOpen) {
  redis.stop();
  ASSERT_TRUE(redis.start({"--requirepass", "secret"})) << redis.error();
  Proxy wrong(shared("100/day", {{"if_down", "reject"}, {"password", "wrong"}}));
  EXPECT_EQ(wrong.client().get().status(), 503);
  Proxy right(shared("100/day", {{"if_down", "reject"}, {"password", "secret"}}));
  EXPECT_TRUE(turns_to(right, 200));
  EXPECT_EQ(wrong.gateway.process().err().find("secret"), std::string::npos);
}

}  // namespace
}  // namespace headgate::test
