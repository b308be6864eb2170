// What a file says about limits, as the limiter gets it: sizes, calendars, waits, leases, costs and exemptions.

#include "describe.hpp"
#include "loaded.hpp"
#include "support/per.hpp"

#include "headgate/config/load.hpp"
#include "headgate/core/hash.hpp"
#include "headgate/limit/balance.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

namespace headgate::config {
namespace {

using test::described;

constexpr const char* kIdentity = R"("identity": { "trusted_proxies": ["10.0.0.0/8"],
  "jwt": { "algorithms": ["HS256"], "secret": "0123456789abcdef0123456789abcdef" },
  "api_key": { "keys": { "acme": { "key": "0123456789abcdef", "tier": "pro" },
                         "batch": { "sha256": "9F9f5111f7b27a781f1f1ddde5ebc2dd2b796bfc7365c9c28b548e5641769290" } } } }, )";

/// The limit "x" of a file with one limit, which may count in Redis.
limit::Limit limit_of(const std::string& keys, const std::string& redis = R"("redis": { "url": "redis://r" }, )") {
  const auto config =
      loaded(R"({ "listen": ":1", )" + redis + kIdentity + R"("limits": { "x": { "per": "client_ip", )" + keys +
             R"( } }, "routes": [{ "path": "/*", "respond": {}, "limits": ["x"] }] })");
  return config.limits.empty() ? limit::Limit{} : config.limits.front();
}

limit::Rule rule_of(const std::string& keys, const std::string& redis = R"("redis": { "url": "redis://r" }, )") {
  const auto limit = limit_of(keys, redis);
  return limit.tiers.empty() || limit.tiers.front().rules.empty() ? limit::Rule{} : limit.tiers.front().rules.front();
}

std::vector<std::string> suffixes(const limit::Tier& tier) {
  std::vector<std::string> out;
  for (const auto& rule : tier.rules) out.push_back(rule.suffix);
  return out;
}

TEST(LoadBalances, HaveAStartAndARefusalWhileRedisIsAway) {
  const auto limit = limit_of(R"("balance": { "start": 1000 }, "unit": "token")");
  ASSERT_EQ(limit.tiers.size(), 1U);
  ASSERT_EQ(limit.tiers[0].rules.size(), 1U);
  const auto& rule = limit.tiers[0].rules[0];
  EXPECT_TRUE(limit::is_balance(rule));
  EXPECT_EQ(rule.start, 1000U);
  EXPECT_EQ(rule.unit, limit::Unit::token);
  EXPECT_EQ(rule.suffix, ":x:balance");
  EXPECT_FALSE(rule.algorithm->check(rule));
  EXPECT_EQ(limit.if_redis_down, limit::IfRedisDown::reject);
  EXPECT_EQ(rule_of(R"("balance": true)").start, 0U);
  EXPECT_EQ(limit_of(R"("balance": true, "if_redis_down": "allow")").if_redis_down, limit::IfRedisDown::allow);
  const std::string open = R"("redis": { "url": "redis://r", "if_down": "allow" }, )";
  EXPECT_EQ(limit_of(R"("balance": true)", open).if_redis_down, limit::IfRedisDown::reject);
}

TEST(LoadTiers, KeepsTheirOrderAndFindsTheDefault) {
  const auto limit = limit_of(R"("tier_from": "jwt.plan", "default_tier": "pro", "tiers": {
    "free": { "rate": ["60/minute", "1000/day"] }, "pro": { "rate": "50/second", "burst": 70 }, "all": "unlimited" })");
  ASSERT_EQ(limit.tiers.size(), 3U);
  EXPECT_EQ(limit.tier_from, test::make_per("jwt.plan"));
  EXPECT_EQ(limit.default_tier, 1U);
  EXPECT_EQ(limit.tiers[0].name, "free");
  EXPECT_EQ(limit.tiers[0].rules.at(1).name, "1000/day");
  EXPECT_EQ(limit.tiers[1].rules.at(0).name, "");
  EXPECT_EQ(limit.tiers[1].rules.at(0).burst, 70U);
  EXPECT_TRUE(limit.tiers[2].rules.empty());
}

TEST(LoadNotices, ArePercentagesOfAllTiers) {
  const auto limit =
      limit_of(R"("algorithm": "fixed_window", "time_zone": "Europe/Vienna", "rate": ["10/hour", "90/day"],
    "notify_at": ["1%", "80%", "100%"])",
               R"("webhook": { "url": "https://h/", "secret": "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz" }, )");
  EXPECT_EQ(limit.notify_at, (std::vector<unsigned>{1, 80, 100}));
  EXPECT_TRUE(limit_of(R"("rate": "10/hour")").notify_at.empty());
}

TEST(LoadBudgets, MayHaveAStatusOfTheirOwnIfTheyAreSpent) {
  EXPECT_EQ(limit_of(R"("rate": "10/hour", "unit": "token", "spent_status": 402)").spent_status, 402U);
  EXPECT_EQ(limit_of(R"("rate": "10/hour", "unit": "token")").spent_status, 429U);
}

TEST(LoadTiers, NameCountersByPeriodSoThatACallerWhoChangesTierKeepsWhatItUsed) {
  const auto limit = limit_of(R"("tier_from": "header:X-Plan", "default_tier": "free", "tiers": {
    "free": { "rate": "60/minute" }, "pro": { "rate": ["600/minute", "9000/day"] } })");
  EXPECT_EQ(suffixes(limit.tiers.at(0)), (std::vector<std::string>{":x:1m"}));
  EXPECT_EQ(suffixes(limit.tiers.at(1)), (std::vector<std::string>{":x:1m", ":x:1d"}));
  EXPECT_EQ(limit.tiers[0].rules[0].seed, limit.tiers[1].rules[0].seed);
  EXPECT_EQ(limit.tiers[0].rules[0].seed, stable_hash(":x:1m"));
}

TEST(LoadRates, NameCountersTheSameWhateverTheirCount) {
  EXPECT_EQ(rule_of(R"("rate": "5/minute")").suffix, ":x");
  EXPECT_EQ(rule_of(R"("rate": "500/minute")").suffix, ":x");
  const auto suffix_of_first = [](const std::string& rates) { return rule_of(R"("rate": )" + rates).suffix; };
  EXPECT_EQ(suffix_of_first(R"(["5/minute", "30/hour"])"), ":x:1m");
  EXPECT_EQ(suffix_of_first(R"(["7/60s", "30/hour"])"), ":x:1m");
  EXPECT_EQ(suffix_of_first(R"(["9/5m", "30/hour"])"), ":x:5m");
}

TEST(LoadRates, NameCountersByWhatAnotherRuleCannotRead) {
  EXPECT_EQ(rule_of(R"("rate": "5/minute", "algorithm": "leaky_bucket")").suffix, ":x:leaky_bucket");
  EXPECT_EQ(rule_of(R"("rate": "5/minute", "algorithm": "fixed_window")").suffix, ":x:1m:fixed_window");
  EXPECT_EQ(rule_of(R"("rate": "5/hour", "algorithm": "sliding_window")").suffix, ":x:1h:sliding_window");
  EXPECT_EQ(rule_of(R"("rate": "5/day", "algorithm": "fixed_window", "time_zone": "Europe/Vienna")", "").suffix,
            ":x:1d:Europe/Vienna:fixed_window");
  EXPECT_EQ(rule_of(R"("rate": "5/month", "algorithm": "fixed_window")", "").suffix, ":x:month");
  EXPECT_EQ(rule_of(R"("in_flight": 5)").suffix, ":x:in_flight");
}

TEST(LoadRates, NameCountersByTheVersionOfTheirLimit) {
  EXPECT_EQ(rule_of(R"("rate": "5/minute", "version": 1)").suffix, ":x");
  EXPECT_EQ(rule_of(R"("rate": "5/minute", "version": 2)").suffix, ":x:v2");
  EXPECT_EQ(rule_of(R"("in_flight": 5, "version": 7)").suffix, ":x:in_flight:v7");
  const auto limit = limit_of(R"("rate": "5/minute", "version": 3, "ban": { "after": 5, "for": "1m" })");
  EXPECT_EQ(limit.version, 3U);
  EXPECT_EQ(limit.ban->offences.suffix, ":x:1m:sliding_log:v3:ban");
}

TEST(LoadRates, TakeTheUsualBurstOfTheirAlgorithm) {
  EXPECT_EQ(rule_of(R"("rate": "5/minute")").burst, 5U);
  EXPECT_EQ(rule_of(R"("rate": "5/minute", "burst": 9)").burst, 9U);
  EXPECT_EQ(rule_of(R"("rate": "5/minute", "algorithm": "leaky_bucket")").burst, 1U);
  EXPECT_EQ(rule_of(R"("rate": "10/second", "algorithm": "leaky_bucket", "wait": "1s")").burst, 11U);
  EXPECT_EQ(rule_of(R"("rate": "5/minute", "algorithm": "sliding_log")").burst, 5U);
}

TEST(LoadRates, TakeEveryAlgorithmThereIs) {
  for (const auto* algorithm : limit::algorithms()) {
    const auto rule = rule_of(R"("rate": "5/minute", "algorithm": ")" + std::string(algorithm->name) + '"');
    EXPECT_EQ(rule.algorithm, algorithm);
    EXPECT_FALSE(algorithm->meaning(rule, " requests").empty());
  }
}

TEST(LoadCalendars, CountDaysOfAZoneOnlyWhereOneIsWritten) {
  const auto of = [](const std::string& keys) {
    return rule_of(R"("algorithm": "fixed_window", )" + keys, "").calendar;
  };
  EXPECT_EQ(of(R"("rate": "1000/day")"), nullptr);
  const auto day = of(R"("rate": "1000/day", "time_zone": "Europe/Vienna")");
  ASSERT_NE(day, nullptr);
  EXPECT_EQ(day->zone(), "Europe/Vienna");
  EXPECT_EQ(day->unit(), limit::Calendar::Unit::day);
}

TEST(LoadCalendars, CountMonthsOfUtcWhereNoZoneIsWritten) {
  const auto limit = limit_of(R"("algorithm": "fixed_window", "rate": ["10/minute", "2000/month"])", "");
  const auto& rules = limit.tiers.at(0).rules;
  EXPECT_EQ(rules.at(0).calendar, nullptr);
  ASSERT_NE(rules.at(1).calendar, nullptr);
  EXPECT_EQ(rules[1].calendar->zone(), "UTC");
  EXPECT_EQ(rules[1].calendar->unit(), limit::Calendar::Unit::month);
  EXPECT_EQ(rules[1].suffix, ":x:month");
}

TEST(LoadWaits, AreTheLimitsUnlessTheTierHasItsOwn) {
  const auto limit = limit_of(R"("wait": "1s", "tier_from": "jwt.plan", "default_tier": "a", "tiers": {
    "a": { "rate": "1/s" }, "b": { "rate": "1/s", "wait": "3s" } })");
  EXPECT_EQ(limit.tiers.at(0).rules.at(0).wait, std::chrono::seconds(1));
  EXPECT_EQ(limit.tiers.at(1).rules.at(0).wait, std::chrono::seconds(3));
}

TEST(LoadLeases, AreForWhatIsEnforcedInRedisWithoutWaiting) {
  EXPECT_TRUE(rule_of(R"("rate": "5/s")").leases);
  EXPECT_TRUE(rule_of(R"("rate": "5/s", "leases": "auto")").leases);
  EXPECT_FALSE(rule_of(R"("rate": "5/s", "leases": "off")").leases);
  EXPECT_FALSE(rule_of(R"("rate": "5/s", "mode": "observe")").leases);
  EXPECT_FALSE(rule_of(R"("rate": "5/s", "wait": "1s")").leases);
  EXPECT_FALSE(rule_of(R"("rate": "5/s")", "").leases);
  EXPECT_FALSE(rule_of(R"("rate": "5/s", "algorithm": "sliding_log")").leases);
}

gateway::LimitUse use_of(const std::string& keys) {
  const auto config = loaded(std::string(R"({ "listen": ":1", )") + kIdentity + R"(
    "limits": { "x": { "per": "client_ip", "rate": "1000/minute" } },
    "routes": [{ "path": "/*", "respond": {}, "limits": [{ "use": "x", )" +
                             keys + R"( }] }] })");
  return config.gateway.routes.empty() ? gateway::LimitUse{} : config.gateway.routes.front().limits.at(0);
}

gateway::LimitUse cost_of(std::string_view source, std::int64_t otherwise, std::int64_t most) {
  gateway::LimitUse use{.limit = "x", .cost = {}};
  use.cost.from = gateway::find_cost_source(source);
  use.cost.default_value = otherwise;
  use.cost.most = most;
  return use;
}

TEST(LoadCosts, AreANumberOrComeFromTheMethodAFieldOrTheAnswer) {
  EXPECT_EQ(described(use_of(R"("cost": 7)")), described(cost_of("", 7, 0)));
  auto expected = cost_of("by_method", 2, 0);
  expected.cost.methods = {{"GET", 0}, {"POST", 5}};
  EXPECT_EQ(described(use_of(R"("cost": { "by_method": { "GET": 0, "POST": 5 }, "otherwise": 2 })")),
            described(expected));
  expected = cost_of("header", 1, 100);
  expected.cost.name = "x-cost";
  EXPECT_EQ(described(use_of(R"("cost": { "header": "X-Cost", "most": 100 })")), described(expected));
  expected = cost_of("response_header", 500, 9000);
  expected.cost.name = "x-tokens";
  EXPECT_EQ(described(use_of(R"("cost": { "response_header": "X-Tokens", "hold": 500, "most": 9000 })")),
            described(expected));
}

TEST(LoadCosts, CountMoneyInMicroDollars) {
  constexpr std::int64_t kMaxCost = 10'000'000'000'000;
  for (const char* algorithm : {"token_bucket", "leaky_bucket", "fixed_window", "sliding_window"}) {
    const auto rule = rule_of(std::string(R"("rate": "10000000000000/day", "algorithm": ")") + algorithm + '"');
    EXPECT_EQ(rule.rate.count, static_cast<std::uint64_t>(kMaxCost)) << algorithm;
  }
  EXPECT_EQ(rule_of(R"("rate": "1/s", "burst": 3000000000)").burst, 3'000'000'000U);
  EXPECT_EQ(rule_of(R"("rate": "1000000/s", "burst": 10000000000000)").burst, static_cast<std::uint64_t>(kMaxCost));
  auto expected = cost_of("response_header", 500, kMaxCost);
  expected.cost.name = "x-cost";
  EXPECT_EQ(described(use_of(R"("cost": { "response_header": "X-Cost", "hold": 500, "most": 10000000000000 })")),
            described(expected));
}

TEST(LoadCosts, HoldWhatIsLearnedFromEarlierCalls) {
  auto expected = cost_of("usage", 900, 900);
  expected.cost.name = "openai";
  expected.cost.hold = {.pointer = {}, .of_usage = true, .learned = true, .otherwise_most = true};
  EXPECT_EQ(described(use_of(R"("cost": { "usage": "openai", "hold": "learned", "most": 900 })")), described(expected));
  EXPECT_EQ(described(use_of(R"("cost": { "usage": "openai", "hold": { "learned": true }, "most": 900 })")),
            described(expected));
  expected.cost.hold.otherwise_most = false;
  expected.cost.hold.input = 4;
  expected.cost.default_value = 50;
  EXPECT_EQ(described(use_of(R"("cost": { "usage": "openai", "most": 900,
                                "hold": { "learned": true, "input": 4, "otherwise": 50 } })")),
            described(expected));
}

TEST(LoadCosts, MayBeClamped) {
  auto expected = cost_of("answer", 50, 900);
  expected.cost.name = "/used";
  expected.cost.hold = {.pointer = "/max", .clamp = true, .at_least = 20};
  EXPECT_EQ(described(use_of(R"("cost": { "answer": "/used", "most": 900,
                                "hold": { "body": "/max", "otherwise": 50, "clamp": true, "at_least": 20 } })")),
            described(expected));
}

TEST(LoadCosts, StandBesideAScale) {
  auto expected = cost_of("", 7, 0);
  expected.scale_down = 10;
  EXPECT_EQ(described(use_of(R"("cost": 7, "scale": "1/10")")), described(expected));
  expected = cost_of("", 1, 0);
  expected.scale_up = 20;
  EXPECT_EQ(described(use_of(R"("scale": "20/1")")), described(expected));
}

TEST(LoadExemptions, HoldNamesOfKnownKeysAndNetworks) {
  const auto config = loaded(std::string(R"({ "listen": ":1", )") + kIdentity + R"("limits": {
    "x": { "per": "client_ip", "rate": "5/s", "exempt": { "api_key": ["batch"], "client_ip": ["10.9.0.0/16", "::1"] } } },
    "routes": [{ "path": "/*", "respond": {}, "limits": ["x"] }] })");
  const gateway::Exemption expected{
      .limit = "x",
      .addresses = {*identity::parse_network("10.9.0.0/16"), *identity::parse_network("::1")},
      .api_keys = {"batch"}};
  EXPECT_EQ(described(config.gateway.exemptions), described(std::vector{expected}));
}

TEST(LoadApiKeys, AreKeptAsDigestsOnly) {
  const auto config = loaded(std::string(R"({ "listen": ":1", )") + kIdentity + R"("limits": {
    "x": { "per": "client_ip", "tier_from": "api_key", "default_tier": "pro", "tiers": { "pro": { "rate": "5/s" } } } },
    "routes": [{ "path": "/*", "respond": {}, "limits": ["x"] }] })");
  const auto& keys = config.identity.api_key.known;
  ASSERT_EQ(keys.size(), 2U);
  EXPECT_EQ(keys[0].owner, "acme");
  EXPECT_EQ(keys[0].tier, "pro");
  EXPECT_EQ(keys[0].digest, identity::sha256("0123456789abcdef"));
  EXPECT_EQ(keys[1].tier, "");
  auto almost = keys[0].digest;  // the other differs in its last byte
  almost.back() = 0x90;
  EXPECT_EQ(keys[1].digest, almost);
}

redis::RedisOptions redis_of(const std::string& keys) {
  const auto config = loaded(R"({ "listen": ":1", "redis": { )" + keys + R"( },
    "limits": { "x": { "per": "client_ip", "rate": "5/s" } },
    "routes": [{ "path": "/*", "respond": {}, "limits": ["x"] }] })");
  return config.redis.value_or(redis::RedisOptions{});
}

TEST(LoadRedis, FindsAClusterBySomeOfItsNodes) {
  const auto redis = redis_of(R"("cluster": ["redis-1:7000", "redis-2", "[::1]:7001"], "tls": { "server_name": "r" })");
  EXPECT_EQ(redis.topology, redis::Topology::cluster);
  EXPECT_EQ(redis.nodes, (std::vector<redis::RedisNode>{{"redis-1", 7000}, {"redis-2", 6379}, {"::1", 7001}}));
  ASSERT_TRUE(redis.tls);
  EXPECT_EQ(redis.tls->server_name, "r");
  EXPECT_TRUE(redis.tls->verify);
}

TEST(LoadRedis, FindsAMasterByItsSentinels) {
  const auto redis = redis_of(R"("database": 3, "username": "u", "password": "p",
    "sentinel": { "master": "m", "nodes": ["s-1", "s-2:9"], "username": "su", "password": "sp" })");
  EXPECT_EQ(redis.topology, redis::Topology::sentinel);
  EXPECT_EQ(redis.nodes, (std::vector<redis::RedisNode>{{"s-1", 26379}, {"s-2", 9}}));
  EXPECT_EQ(redis.master, "m");
  EXPECT_EQ(redis.database, 3U);
  EXPECT_EQ(redis.username + redis.password + redis.sentinel_username + redis.sentinel_password, "upsusp");
  EXPECT_FALSE(redis.tls);
}

TEST(LoadRedis, SpeaksTlsIfTheUrlSaysRediss) {
  const auto redis = redis_of(R"("url": "rediss://u:p@red:1/2", "tls": { "server_name": "other" })");
  EXPECT_EQ(redis.topology, redis::Topology::single);
  EXPECT_EQ(redis.nodes, (std::vector<redis::RedisNode>{{"red", 1}}));
  EXPECT_EQ(redis.database, 2U);
  ASSERT_TRUE(redis.tls);
  EXPECT_EQ(redis.tls->server_name, "other");
  EXPECT_TRUE(redis_of(R"("url": "rediss://red")").tls);
  EXPECT_FALSE(redis_of(R"("url": "redis://red")").tls);
}

TEST(LoadRedis, RefusesAFileThatHoldsNoCertificate) {
  const auto path = testing::TempDir() + "/headgate_no_certificate_" + std::to_string(::getpid());
  std::ofstream(path) << "not PEM";
  const auto messages = [&](const std::string& tls) {
    std::vector<std::string> out;
    const auto source = R"({ "listen": ":1", "redis": { "url": "rediss://r", "tls": )" + tls + R"( },
      "limits": { "x": { "per": "client_ip", "rate": "5/s" } },
      "routes": [{ "path": "/*", "respond": {}, "limits": ["x"] }] })";
    for (const auto& each : load(source).diagnostics) out.push_back(each.pointer + ' ' + each.message);
    return out;
  };
  EXPECT_EQ(messages(R"({ "ca": ")" + path + "\" }"),
            std::vector<std::string>{"/redis/tls/ca the CA file \"" + path + "\" holds no certificate in PEM"});
  EXPECT_EQ(messages(R"({ "certificate": ")" + path + R"(", "key": ")" + path + "\" }"),
            std::vector<std::string>{"/redis/tls/certificate the file \"" + path + "\" holds no certificate in PEM"});
  std::remove(path.c_str());
}

TEST(LoadAdmin, IsOnLoopbackUnlessWrittenOrOff) {
  const auto of = [](const std::string& keys) {
    return loaded(R"({ "listen": ":1", )" + keys + R"("routes": [{ "path": "/*", "respond": {} }] })").admin;
  };
  const auto default_value = of("");
  ASSERT_TRUE(default_value);
  EXPECT_EQ(default_value->listen.text, "127.0.0.1:9900");
  EXPECT_EQ(default_value->if_taken, Admin::IfTaken::go_without);
  const auto own = of(R"("admin": { "listen": "[::1]:9901" }, )");
  ASSERT_TRUE(own);
  EXPECT_EQ(own->listen.host, "::1");
  EXPECT_EQ(own->if_taken, Admin::IfTaken::fail);
  const auto open = of(R"("admin": { "listen": ":9902", "token": "0123456789abcdef" }, )");
  ASSERT_TRUE(open);
  EXPECT_EQ(open->tokens, std::vector<std::string>{"0123456789abcdef"});
  EXPECT_TRUE(open->read_tokens.empty());
  setenv("HEADGATE_TEST_SECRET", "top secret value", 1);
  const auto rotated = of(R"("admin": { "token": ["0123456789abcdef", "${HEADGATE_TEST_SECRET}"],
                             "read_token": ["fedcba9876543210"] }, )");
  ASSERT_TRUE(rotated);
  EXPECT_EQ(rotated->tokens, (std::vector<std::string>{"0123456789abcdef", "top secret value"}));
  EXPECT_EQ(rotated->read_tokens, std::vector<std::string>{"fedcba9876543210"});
  EXPECT_FALSE(of(R"("admin": "off", )"));
}

}  // namespace
}  // namespace headgate::config
