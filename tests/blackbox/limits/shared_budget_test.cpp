// Several gateways on one Redis: every admission is counted, exactly and with leases; one call for any mix of limits.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/look.hpp"
#include "blackbox/harness/reloaded.hpp"
#include "contract/redis_client.hpp"
#include "support/redis_cli.hpp"
#include "support/redis_server.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <thread>

namespace headgate::test {
namespace {

using Clock = std::chrono::steady_clock;

class SharedBudget : public testing::Test {
 protected:
  void SetUp() override {
    if (!RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
    ASSERT_TRUE(redis.start()) << redis.error();
  }

  /// Limits in this Redis, all of them on every route, with a deadline that even a loaded machine meets.
  Json in_redis(const Json& limits, const Json& changes = Json::object()) const {
    Json names = Json::array();
    for (const auto& [name, limit] : limits.items()) names.push_back(name);
    Json out = {{"redis",
                 {{"url", "redis://127.0.0.1:" + std::to_string(redis.port())},
                  {"timeout", "5s"},
                  {"if_down", "reject"},
                  {"instances", 2}}},
                {"limits", limits},
                {"all_routes", {{"limits", names}}}};
    out.merge_patch(changes);
    return out;
  }

  /// How many decisions Redis made.
  std::uint64_t script_calls() {
    const std::string stats = RedisClient(redis.port()).text({"INFO", "commandstats"});
    const std::string_view word = "cmdstat_evalsha:calls=";
    const auto at = stats.find(word);
    return at == std::string::npos ? 0 : std::stoull(stats.substr(at + word.size()));
  }

  RedisServer redis;
};

struct Hammered {
  std::atomic<int> admitted = 0;
  std::atomic<int> rejected = 0;
  std::atomic<int> others = 0;
};
/// Requests to both gateways in parallel by `threads` clients, `each` requests from each.
void hammer(const Proxy& one, const Proxy& two, int threads, int each, Hammered& out) {
  std::vector<std::thread> clients;
  for (int t = 0; t < threads; ++t) {
    clients.emplace_back([&, t] {
      RawClient client = (t % 2 == 0 ? one : two).client();
      for (int i = 0; i < each; ++i) {
        const int status = client.get().status();
        ++(status == 200 ? out.admitted : status == 429 ? out.rejected : out.others);
      }
    });
  }
  for (auto& client : clients) client.join();
}

TEST_F(SharedBudget, LeasedGatewaysAdmitAllOfItAndNotOneMore) {
  const Json limits = {{"x", {{"rate", "3000/day"}, {"per", "total"}, {"leases", "auto"}}}};
  Proxy one(in_redis(limits));
  Proxy two(in_redis(limits));
  Hammered all;
  hammer(one, two, 4, 700, all);
  EXPECT_EQ(all.others, 0);
  EXPECT_LE(all.admitted, 3000);
  const auto calls = script_calls();
  EXPECT_LT(calls, 2800U / 4) << "most were decided without a call";
  // What a lease withholds comes back within about a second.
  const auto until = Clock::now() + kPatience;
  while (all.admitted < 3000 && Clock::now() < until) {
    hammer(one, two, 2, 100, all);
    std::this_thread::sleep_for(Milliseconds(100));
  }
  hammer(one, two, 2, 50, all);
  EXPECT_EQ(all.admitted, 3000);
}

TEST_F(SharedBudget, ABusyKeyIsGrantedToItsLastPermitWithoutARejectionBefore) {
  const Json limits = {{"x", {{"rate", "50/hour"}, {"per", "total"}, {"leases", "auto"}}}};
  Proxy proxy(in_redis(limits, {{"redis", {{"instances", 1}}}, {"workers", 1}}));
  RawClient client = proxy.client();
  for (int i = 1; i <= 50; ++i) {
    const Message answer = client.get();
    ASSERT_EQ(answer.status(), 200) << "request " << i;
    EXPECT_EQ(answer.value("X-RateLimit-Remaining"), std::to_string(50 - i));
  }
  for (int i = 0; i < 5; ++i) {
    const Message answer = client.get();
    EXPECT_EQ(answer.status(), 429);
    EXPECT_GT(std::stoi(answer.value("Retry-After")), 60) << "one comes back in 72 seconds";
  }
}

TEST_F(SharedBudget, ASaturatedKeyIsDecidedAlmostWithoutRedis) {
  const Json limits = {{"x", {{"rate", "500/second"}, {"burst", 100}, {"per", "total"}, {"leases", "auto"}}}};
  const Json changes = {{"workers", 2}};
  Proxy one(in_redis(limits, changes));
  Proxy two(in_redis(limits, changes));
  Hammered first;
  hammer(one, two, 8, 100, first);
  const auto before = script_calls();
  const auto start = Clock::now();
  Hammered all;
  hammer(one, two, 8, 800, all);
  const std::chrono::duration<double> took = Clock::now() - start;
  const auto calls = script_calls() - before;
  std::cout << calls << " calls for " << all.admitted + all.rejected << " requests, of which " << all.admitted
            << " were let through, in " << took.count() << " s\n";
  EXPECT_EQ(all.others, 0);
  EXPECT_GT(all.rejected, 0) << "or it was not saturated";
  EXPECT_LE(all.admitted, 100 + 500 * (took.count() + 1));
  EXPECT_LE(calls, 6400U / 20) << "nineteen of twenty were decided without a call";
}

TEST_F(SharedBudget, AnyMixOfLimitsIsOneCallAndARejectionChargesNothing) {
  Json limits = {
      {"second", {{"rate", "50/second"}, {"per", "header:X-User"}, {"if_absent", "client_ip"}}},
      {"minute", {{"rate", "500/minute"}, {"per", "header:X-User"}, {"if_absent", "client_ip"}}},
      {"day", {{"rate", "2/day"}, {"per", "header:X-User"}, {"if_absent", "client_ip"}}},
      {"address", {{"rate", "100/minute"}, {"per", "client_ip"}, {"algorithm", "sliding_window"}}},
      {"key", {{"rate", "100/minute"}, {"per", "api_key"}, {"if_absent", "skip"}, {"algorithm", "sliding_log"}}},
      {"platform", {{"rate", "1000/hour"}, {"per", "total"}, {"algorithm", "fixed_window"}}},
      {"trial", {{"rate", "1/day"}, {"per", "total"}, {"mode", "observe"}}}};
  for (auto& limit : limits) limit["leases"] = "off";
  Proxy proxy(in_redis(limits));
  RawClient client = proxy.client();
  const std::string caller = "X-User: one\r\nX-API-Key: some-key-of-somebody\r\n";
  ASSERT_EQ(client.get("/", caller).status(), 200);
  const auto before = script_calls();
  EXPECT_EQ(client.get("/", caller).status(), 200);
  EXPECT_EQ(script_calls(), before + 1);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client.get("/", caller).status(), 429) << "two a day";
  // The other limits have used only two.
  RedisClient operating(redis.port());
  EXPECT_EQ(
      operating.text({"LLEN", operating.text({"EVAL", "return redis.call('KEYS', '*:key:1m:sliding_log')[1]", "0"})}),
      "2");
  const Message other = client.get("/", "X-User: two\r\nX-API-Key: some-key-of-somebody\r\n");
  EXPECT_EQ(other.status(), 200);
}

TEST_F(SharedBudget, AQueueInRedisSpacesWhatAllGatewaysLetOut) {
  const Json limits = {{"x", {{"algorithm", "leaky_bucket"}, {"rate", "10/second"}, {"wait", "3s"}, {"per", "total"}}}};
  Proxy one(in_redis(limits));
  Proxy two(in_redis(limits));
  ASSERT_EQ(one.client().get().status(), 200);
  ASSERT_EQ(two.client().get().status(), 200);
  const auto start = Clock::now();
  Hammered all;
  hammer(one, two, 8, 1, all);
  EXPECT_EQ(all.admitted, 8);
  EXPECT_GE(Clock::now() - start, Milliseconds(650)) << "eight turns of 100 ms, less the one that may be free";
}

TEST_F(SharedBudget, WhatAnAnswerUsedIsSettledForAllGateways) {
  Json changes = in_redis({{"x", {{"rate", "20/day"}, {"per", "client_ip"}, {"leases", "off"}}}});
  const Json use = {{"use", "x"}, {"cost", {{"response_header", "X-Used"}, {"hold", 4}, {"most", 100}}}};
  changes["all_routes"]["limits"] = Json::array({use});
  Proxy one(changes);
  Proxy two(changes);
  EXPECT_EQ(one.client().get("/", "X-Test-Field: X-Used: 9\r\n").status(), 200);
  const auto until = Clock::now() + kPatience;
  std::string left;
  while (left != "11" && Clock::now() < until)
    left = two.client().get("/", "X-Test-Field: X-Used: 0\r\n").value("X-RateLimit-Remaining");
  EXPECT_EQ(left, "11") << "20, less the 9 that were used; its own answer cost nothing";
}

TEST_F(SharedBudget, OnlyFailedLoginsOfAllGatewaysCount) {
  const Json limits = {
      {"x", {{"rate", "6/day"}, {"per", "client_ip"}, {"count", {{"status", {401}}}}, {"leases", "off"}}}};
  Proxy one(in_redis(limits));
  Proxy two(in_redis(limits));
  for (int i = 0; i < 20; ++i) {
    Proxy& proxy = i % 2 == 0 ? one : two;
    const auto until = Clock::now() + kPatience;
    int status = 0;  // the permit of the answer before may be on its way back
    do status = proxy.client().get("/").status();
    while (status != 200 && Clock::now() < until);
    ASSERT_EQ(status, 200);
  }
  std::string left;
  for (const auto until = Clock::now() + kPatience; left != "6" && Clock::now() < until;)
    left = one.client().get("/").value("X-RateLimit-Remaining");
  EXPECT_EQ(left, "6");
  int failed = 0;
  while (failed < 10 && (failed % 2 == 0 ? one : two).client().get("/", "X-Test-Status: 401\r\n").status() == 401)
    ++failed;
  EXPECT_EQ(failed, 6);
}

TEST_F(SharedBudget, AnotherPrefixForgetsEverything) {
  const Json limits = {{"x", {{"rate", "1/day"}, {"per", "client_ip"}}}};
  FakeUpstream upstream;
  Json config = config_for(upstream, in_redis(limits, {{"log", {{"format", "json"}}}}));
  const TemporaryFile file(config.dump(2));
  Gateway gateway(Words{"run", "-c", file.path()});
  RawClient client = gateway.client();
  EXPECT_EQ(client.get().status(), 200);
  EXPECT_EQ(client.get().status(), 429);
  config["redis"]["key_prefix"] = "hg:two:";
  std::ofstream(file.path(), std::ios::trunc) << config.dump(2);
  gateway.process().signal(SIGHUP);
  ASSERT_TRUE(gateway.process().wait_for_err(
      [](const std::string& text) { return text.find("config_reloaded") != std::string::npos; }));
  EXPECT_EQ(client.get().status(), 200);
  EXPECT_EQ(client.get().status(), 429);
}

/// Two gateways with two configurations of one limit, as in every rolling deployment.
class TwoConfigurations : public testing::Test {
 protected:
  void SetUp() override {
    if (!RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
    ASSERT_TRUE(redis.start()) << redis.error();
  }

  Json with_limit(const Json& limit, const std::string& instance) const {
    Json one = {{"per", "client_ip"}, {"leases", "off"}, {"if_redis_down", "reject"}};
    one.merge_patch(limit);
    return {{"redis", {{"url", "redis://127.0.0.1:" + std::to_string(redis.port())}, {"timeout", "5s"}}},
            {"admin", {{"listen", "127.0.0.1:0"}}},
            {"instance", instance},
            {"limits", {{"read", one}}},
            {"all_routes", {{"limits", {"read"}}}}};
  }

  static bool disagrees(Reloaded& gateway) {
    return Look(gateway.process()).text().find("reason=\"gateways_disagree\"") != std::string::npos;
  }
  static int admitted(Reloaded& one, Reloaded& other, int requests) {
    int out = 0;
    for (int i = 0; i < requests; ++i) out += (i % 2 == 0 ? one : other).client().get().status() == 200 ? 1 : 0;
    return out;
  }

  RedisServer redis;
};

TEST_F(TwoConfigurations, OfOneLimitNeverSwitchItOffAndAreTold) {
  Reloaded one(with_limit({{"rate", "10/day"}}, "web-1"));
  Reloaded other(with_limit({{"rate", "10/day"}, {"algorithm", "fixed_window"}}, "web-2"));
  EXPECT_EQ(admitted(one, other, 60), 20) << "ten by each, and not one more";
  ASSERT_TRUE(wait_until([&] { return disagrees(one) && disagrees(other); }, std::chrono::seconds(15)));
  const auto status = Look(one.process()).get("/api/v1/status").body;
  EXPECT_NE(status.find("a different configuration of"), std::string::npos) << status;
  const auto told = Json::parse(status);
  ASSERT_FALSE(told.at("details").empty()) << status;
  for (const auto& each : told["details"])
    EXPECT_EQ(each.value("why", "").find("configuration"), std::string::npos)
        << "the sentence says it already: " << each;
  EXPECT_TRUE(one.process().says("reason_began"));
  EXPECT_TRUE(one.process().says("web-2"));

  one.write(with_limit({{"rate", "10/day"}, {"algorithm", "fixed_window"}}, "web-1"));
  const auto answer = RawClient(admin_port(one.process()))
                          .ask("POST /api/v1/reload HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n");
  ASSERT_EQ(answer.status(), 200) << answer.body;
  EXPECT_EQ(Json::parse(answer.body)["limits_begun_anew"],
            Json({{{"limit", "read"}, {"why", "the algorithm has changed"}}}));
  EXPECT_TRUE(one.process().says("limits_begin_anew"));
  EXPECT_EQ(one.client().get().status(), 429) << "it counts with the other one now";
  EXPECT_TRUE(wait_until([&] { return !disagrees(one) && !disagrees(other); }, std::chrono::seconds(15)));
  EXPECT_TRUE(one.process().says("reason_ended"));
}

TEST_F(TwoConfigurations, WithAnotherVersionALimitBeginsAnewInRedisAndInMemory) {
  for (const char* store : {"redis", "memory"}) {
    SCOPED_TRACE(store);
    Json limit = {{"rate", "2/day"}, {"store", store}};
    if (std::string(store) == "memory") limit["if_redis_down"] = nullptr;
    if (std::string(store) == "memory") limit["leases"] = nullptr;
    Reloaded gateway(with_limit(limit, "web-1"));
    for (int i = 0; i < 2; ++i) EXPECT_EQ(gateway.client().get().status(), 200);
    EXPECT_EQ(gateway.client().get().status(), 429);
    limit["version"] = 2;
    gateway.write(with_limit(limit, "web-1"));
    const auto answer = RawClient(admin_port(gateway.process()))
                            .ask("POST /api/v1/reload HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n");
    EXPECT_EQ(Json::parse(answer.body)["limits_begun_anew"],
              Json({{{"limit", "read"}, {"why", "\"version\" has changed"}}}));
    for (int i = 0; i < 2; ++i) EXPECT_EQ(gateway.client().get().status(), 200);
    EXPECT_EQ(gateway.client().get().status(), 429);
  }
}

}  // namespace
}  // namespace headgate::test
