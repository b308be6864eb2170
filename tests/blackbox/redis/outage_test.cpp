// A failing Redis as a caller sees it: nobody waits longer than allowed, the configured choice applies, nothing is
// granted twice, and everything recovers by itself.

#include "blackbox/harness/gateway.hpp"
#include "contract/redis_client.hpp"
#include "support/redis_cli.hpp"
#include "support/redis_server.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <thread>

namespace headgate::test {
namespace {

using Clock = std::chrono::steady_clock;

const std::string kAcmeDigest = "55283033071b99616f8f99514d209d448d21d8e0ab0fe0f71c2216e2ce3a7d03";
constexpr Milliseconds kDeadline{200};
constexpr Milliseconds kSlack{400};  // two slow cores, shared

class Outage : public testing::Test {
 protected:
  void SetUp() override {
    if (!RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
    ASSERT_TRUE(redis.start()) << redis.error();
  }

  Json counting(const std::string& rate, const std::string& if_down, const Json& limit = Json::object()) const {
    Json x = {{"rate", rate}, {"per", "client_ip"}, {"leases", "off"}};
    x.merge_patch(limit);
    return {
        {"redis",
         {{"url", "redis://127.0.0.1:" + std::to_string(redis.port())}, {"timeout", "200ms"}, {"if_down", if_down}}},
        {"limits", {{"x", x}}},
        {"all_routes", {{"limits", {"x"}}}},
        {"log", {{"format", "json"}, {"access", "stdout"}}}};
  }

  /// Sends requests until Redis itself has counted one, or kPatience has passed. Returns what was left then, else -1.
  static int left_once_redis_counts(Proxy& proxy) {
    const auto until = Clock::now() + kPatience;
    while (Clock::now() < until) {
      const auto lines = proxy.gateway.process().out().size();
      const Message answer = proxy.client().get();
      if (answer.status() == 200 && source_after(proxy, lines) == "redis")
        return std::stoi(answer.value("X-RateLimit-Remaining"));
      std::this_thread::sleep_for(Milliseconds(20));
    }
    return -1;
  }

  /// Where the last logged request was counted.
  static std::string source_after(Proxy& proxy, std::size_t seen) {
    const auto until = Clock::now() + kPatience;
    while (Clock::now() < until) {
      const std::string text = proxy.gateway.process().out().substr(seen);
      if (const auto end = text.rfind('\n'); end != std::string::npos) {
        const Json line = Json::parse(text.substr(0, text.find('\n')), nullptr, false);
        return line.is_object() ? line.value("source", "") : "";
      }
      std::this_thread::sleep_for(Milliseconds(2));
    }
    return "";
  }

  static void expect(const Proxy& proxy, const std::vector<int>& statuses) {
    for (const int status : statuses) {
      const auto start = Clock::now();
      const Message answer = proxy.client().get();
      EXPECT_EQ(answer.status(), status) << visible(answer.head + answer.body);
      EXPECT_LT(Clock::now() - start, kDeadline + kSlack) << "a request waited for Redis";
    }
  }

  RedisServer redis;
};

TEST_F(Outage, WhatWasCountedHereIsChargedWhenRedisIsBack) {
  Proxy proxy(counting("100/day", "count_locally"));
  ASSERT_EQ(left_once_redis_counts(proxy), 99);
  redis.kill9();
  expect(proxy, {200, 200, 200});
  ASSERT_TRUE(redis.restart()) << redis.error();  // it has lost everything: all hundred permits are there again
  const int left = left_once_redis_counts(proxy);
  EXPECT_LE(left, 96) << "the three of the outage are charged before the next one is asked";
  EXPECT_GE(left, 0);
}

TEST_F(Outage, NamesTheLimitThatCannotBeCounted) {
  Proxy proxy(counting("100/day", "reject"));
  ASSERT_EQ(left_once_redis_counts(proxy), 99);
  redis.kill9();
  expect_problem(proxy.client().get("/away"), 503);
  const auto line = [&]() -> Json {
    std::istringstream out(proxy.gateway.process().out());
    for (std::string text; std::getline(out, text);)
      if (const Json found = Json::parse(text, nullptr, false); found.value("path", "") == "/away") return found;
    return {};
  };
  const auto until = Clock::now() + kPatience;
  while (line().is_null() && Clock::now() < until) std::this_thread::sleep_for(Milliseconds(5));
  EXPECT_EQ(line().value("status", 0), 503);
  EXPECT_EQ(line().value("limit", ""), "x");
}

TEST_F(Outage, WhatAKeyWithASizeOfItsOwnOwesOutlivesAChangeOfTheKeyFile) {
  // The SHA-256 of "acme-key-of-some-length-0001".
  const std::string record = R"({"keys":[{"sha256":")" + kAcmeDigest + R"(","owner":"acme","limits":{"x":"50/day"}}]})";
  const TemporaryFile keys(record, "keys.json");
  Json changes = counting("1000/day", "count_locally", {{"per", "api_key"}, {"if_absent", "client_ip"}});
  changes["identity"] = {{"api_key", {{"file", keys.path()}}}};
  Proxy proxy(changes);
  const std::string key = "X-API-Key: acme-key-of-some-length-0001\r\n";
  const auto left = [&] { return proxy.client().get("/", key).value("X-RateLimit-Remaining"); };
  ASSERT_EQ(left(), "49");
  redis.kill9();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(proxy.client().get("/", key).status(), 200);
  const auto told = [](const std::string& log) { return log.find("keys_read") != std::string::npos; };
  std::ofstream(keys.path(), std::ios::trunc) << R"({"keys":[]})";
  EXPECT_TRUE(proxy.gateway.process().wait_for_err(told)) << proxy.gateway.process().err();
  const auto nobodys = [&] { return proxy.client().get("/", key).value("X-RateLimit-Limit") == "1000"; };
  EXPECT_TRUE(wait_until(nobodys)) << "the worker is told after the log";
  ASSERT_TRUE(redis.restart()) << redis.error();
  EXPECT_GE(left_once_redis_counts(proxy), 0);  // pays the debt of the removed key
}

TEST_F(Outage, AKeyThatWasRejectedStaysRejectedWithoutRedis) {
  Proxy proxy(counting("2/day", "count_locally"));
  ASSERT_EQ(left_once_redis_counts(proxy), 1);
  expect(proxy, {200, 429});
  redis.kill9();
  expect(proxy, {429, 429});  // a known rejection needs no Redis
}

TEST_F(Outage, AHungServerCostsOneDeadlineAndNotOneARequest) {
  Proxy proxy(counting("100000/day", "allow"));
  ASSERT_GE(left_once_redis_counts(proxy), 0);
  redis.pause();
  expect(proxy, {200});
  RawClient client = proxy.client();
  const auto start = Clock::now();
  for (int i = 0; i < 50; ++i) EXPECT_EQ(client.get().status(), 200);
  EXPECT_LT(Clock::now() - start, 10 * kDeadline + kSlack) << "fifty deadlines would be ten seconds";
  redis.resume();
  EXPECT_GE(left_once_redis_counts(proxy), 0);
}

TEST_F(Outage, AFlushedScriptCacheIsNotNoticed) {
  Proxy proxy(counting("100/day", "reject"));
  ASSERT_GE(left_once_redis_counts(proxy), 0);
  RedisClient(redis.port()).command({"SCRIPT", "FLUSH"});
  expect(proxy, {200, 200});
}

TEST_F(Outage, AMasterThatBecomesAReplicaIsLeftAloneUntilItIsMasterAgain) {
  Proxy proxy(counting("100/day", "reject"));
  ASSERT_GE(left_once_redis_counts(proxy), 0);
  RedisClient operating(redis.port());
  operating.command({"REPLICAOF", "127.0.0.1", "1"});
  expect(proxy, {503, 503});
  operating.command({"REPLICAOF", "NO", "ONE"});
  EXPECT_GE(left_once_redis_counts(proxy), 0);
}

TEST_F(Outage, AFullServerMeansWhatTheLimitSays) {
  Proxy proxy(counting("100/day", "count_locally"));
  ASSERT_GE(left_once_redis_counts(proxy), 0);
  RedisClient operating(redis.port());
  operating.command({"CONFIG", "SET", "maxmemory-policy", "noeviction"});
  operating.command({"CONFIG", "SET", "maxmemory", "1"});
  expect(proxy, {200, 200, 200});
  operating.command({"CONFIG", "SET", "maxmemory", "0"});
  EXPECT_GE(left_once_redis_counts(proxy), 0);
}

TEST_F(Outage, EndsWithoutRequests) {
  Proxy proxy(counting("30/day", "reject"));
  ASSERT_EQ(left_once_redis_counts(proxy), 29);
  RedisClient operating(redis.port());
  operating.command({"CONFIG", "SET", "maxmemory-policy", "noeviction"});
  operating.command({"CONFIG", "SET", "maxmemory", "1"});
  expect(proxy, {503, 503});
  operating.command({"CONFIG", "SET", "maxmemory", "0"});
  const auto found_again = [](const std::string& log) {
    const auto first = log.find("redis_found");
    return first != std::string::npos && log.find("redis_found", first + 1) != std::string::npos;
  };
  ASSERT_TRUE(proxy.gateway.process().wait_for_err(found_again)) << proxy.gateway.process().err();
  int admitted = 0;
  RawClient client = proxy.client();
  for (int i = 0; i < 40; ++i) {
    const int status = client.get().status();
    EXPECT_NE(status, 503) << "request " << i;
    admitted += status == 200 ? 1 : 0;
  }
  EXPECT_EQ(admitted, 29);
}

TEST_F(Outage, IsLoggedOnceAtItsBeginAndOnceAtItsEnd) {
  Proxy proxy(counting("100000/day", "allow"));
  ASSERT_GE(left_once_redis_counts(proxy), 0);
  redis.kill9();
  expect(proxy, {200, 200, 200, 200, 200});
  ASSERT_TRUE(redis.restart()) << redis.error();
  ASSERT_GE(left_once_redis_counts(proxy), 0);
  const auto count = [](const std::string& text, const std::string& word) {
    std::size_t found = 0;
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
    return found;
  };
  EXPECT_TRUE(
      proxy.gateway.process().wait_for_err([&](const std::string& log) { return count(log, "redis_found") == 2; }));
  const std::string log = proxy.gateway.process().err();
  EXPECT_GE(count(log, "redis_lost"), 1U);
  EXPECT_LE(count(log, "redis_lost"), 3U) << "one line for each reason, not one a request";
}

}  // namespace
}  // namespace headgate::test
