// Policy tests of the rate limit service: calls with descriptors, and what their answers are compared with.

#include "headgate/config/load.hpp"
#include "headgate/policy_test/run_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headgate::policy_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view kServiceConfig = R"({
  "listen": { "address": ":8081", "protocol": "rate_limit_service" },
  "identity": { "trusted_proxies": ["127.0.0.1/32"] },
  "redis": { "url": "redis://127.0.0.1" },
  "limits": {
    "login": { "rate": "3/minute", "algorithm": "fixed_window", "per": "descriptor:remote_address", "store": "memory" },
    "api": { "rate": "100/minute", "per": "total", "store": "memory" },
    "shared": { "rate": "2/minute", "per": "descriptor:tenant", "if_redis_down": "reject" }
  },
  "decide": [
    { "domain": "edge", "match": { "generic_key": "login", "remote_address": "*" }, "limits": ["login"] },
    { "domain": "edge", "match": { "path": "/api/*" }, "limits": ["api"] },
    { "domain": "edge", "match": { "tenant": "*" }, "limits": ["shared"] }
  ],
  "routes": [{ "path": "/", "respond": { "status": 404 } }]
})";

TestResult run_calls(const std::string& steps) {
  static const auto made = [] {
    auto loaded = config::load(kServiceConfig);
    EXPECT_TRUE(loaded.config) << config::render_text(loaded.diagnostics, "c", kServiceConfig);
    return offline::OfflineConfig::make(loaded.config.value());
  }();
  const auto source = R"({ "config": "c", "tests": [{ "name": "n", "steps": [)" + steps + "] }] }";
  const auto loaded = config::load_policy_tests(source);
  EXPECT_TRUE(loaded.file) << config::render_text(loaded.diagnostics, "t", source);
  if (!loaded.file) return {};
  Budget budget;
  return run_test(loaded.file->tests[0], *made, {}, budget);
}

std::vector<std::string> differences_of(const TestResult& result) {
  std::vector<std::string> out;
  for (const auto& each : result.differences) out.push_back(each.message);
  return out;
}

TEST(PolicyTestsOfCalls, CountThemAndDescribeTheLastAnswer) {
  const auto result = run_calls(R"(
    { "domain": "edge", "descriptors": [{ "remote_address": "203.0.113.9", "generic_key": "login" }], "times": 5,
      "expect": { "allowed": 3, "rejected": 2, "refused": 0, "code": "OVER_LIMIT", "codes": ["OVER_LIMIT"],
                  "limit": "login", "remaining": 0, "retry_after": "1m",
                  "route": "edge: generic_key=login, remote_address=*", "headers": { "Retry-After": "60" } } },
    { "domain": "edge", "descriptors": [{ "remote_address": "203.0.113.10", "generic_key": "login" }], "hits": 2,
      "expect": { "allowed": 1, "code": "OK", "remaining": 1, "headers": { "Retry-After": false } } },
    { "wait": "1m" },
    { "domain": "edge", "descriptors": [{ "remote_address": "203.0.113.9", "generic_key": "login" }],
      "expect": { "code": "OK", "remaining": 2 } })");
  EXPECT_THAT(differences_of(result), IsEmpty());
  EXPECT_EQ(result.requests, 7U);
}

TEST(PolicyTestsOfCalls, DecideAllDescriptorsTogether) {
  const auto result = run_calls(R"(
    { "domain": "edge", "descriptors": [{ "remote_address": "7", "generic_key": "login" }], "times": 3 },
    { "domain": "edge",
      "descriptors": [{ "path": "/api/a" }, { "remote_address": "7", "generic_key": "login" }, { "other": "1" }],
      "times": 2, "expect": { "rejected": 2, "codes": ["OK", "OVER_LIMIT", "OK"] } },
    { "domain": "edge", "descriptors": [{ "path": "/api/a" }], "expect": { "limit": "api", "remaining": 99 } },
    { "domain": "elsewhere", "descriptors": [{ "path": "/api/a" }], "times": 1000,
      "expect": { "allowed": 1000, "code": "OK", "codes": ["OK"] } })");
  EXPECT_THAT(differences_of(result), IsEmpty());
}

TEST(PolicyTestsOfCalls, FailWithoutRedisIfTheirLimitThenRejects) {
  const auto result = run_calls(R"(
    { "domain": "edge", "descriptors": [{ "tenant": "a" }], "expect": { "code": "OK", "remaining": 1 } },
    { "redis": "down" },
    { "domain": "edge", "descriptors": [{ "tenant": "a" }], "expect": { "code": "UNAVAILABLE", "rejected": 1 } },
    { "redis": "up" },
    { "wait": "30s" },
    { "domain": "edge", "descriptors": [{ "tenant": "a" }], "expect": { "code": "OK" } })");
  EXPECT_THAT(differences_of(result), IsEmpty());
}

TEST(PolicyTestsOfCalls, SayWhatIsOtherwiseAndWhy) {
  const auto result = run_calls(R"(
    { "domain": "edge", "descriptors": [{ "remote_address": "7", "generic_key": "login" }, { "path": "/api/a" }],
      "times": 4, "expect": { "allowed": 4, "code": "OK", "codes": ["OK", "OK"] } })");
  EXPECT_THAT(differences_of(result),
              ElementsAre("expected 4 allowed, got 3 of 4; the 4th was the first that was not, it got OVER_LIMIT "
                          "(limit) by limit login, to come back in 1m",
                          "expected code OK, got OVER_LIMIT for the last call",
                          "expected codes OK, OK, got OVER_LIMIT, OK for the last call"));
  ASSERT_TRUE(result.why && result.why->told.call);
  EXPECT_EQ(result.why->told.call->code, "OVER_LIMIT");
  const auto& descriptors = result.why->told.call->descriptors;
  ASSERT_EQ(descriptors.size(), 2U);
  EXPECT_EQ(descriptors[0].entry, "edge: generic_key=login, remote_address=*");
  EXPECT_EQ(descriptors[0].limits.at(0).rules.at(0).remaining, 0U);
  EXPECT_EQ(descriptors[1].limits.at(0).rules.at(0).remaining, 97U);
}

}  // namespace
}  // namespace headgate::policy_test
