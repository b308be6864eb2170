// Policy tests, run: what holds, what does not and why, and how much they may do.

#include "headgate/policy_test/run_test.hpp"

#include "headgate/config/load.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace headgate::policy_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kConfig = R"({
  "listen": ":8080",
  "redis": { "url": "redis://127.0.0.1", "instances": 2 },
  "identity": {
    "jwt": { "issuer": "https://login.example.com", "algorithms": ["HS256"], "secret": "0123456789abcdef0123456789abcdef" },
    "api_key": { "keys": { "acme": { "sha256": "0000000000000000000000000000000000000000000000000000000000000001", "tier": "pro" } } }
  },
  "upstreams": { "app": "http://127.0.0.1:3000" },
  "limits": {
    "per-ip": { "rate": "10/minute", "per": "client_ip", "store": "memory" },
    "shared": { "rate": "4/minute", "per": "client_ip", "if_redis_down": "count_locally" },
    "plan": { "per": "api_key", "tier_from": "api_key", "store": "memory", "default_tier": "free",
              "tiers": { "free": { "rate": "1/minute" }, "pro": { "rate": "2/minute" } } },
    "smooth": { "algorithm": "leaky_bucket", "rate": "1/second", "wait": "2s", "per": "client_ip", "store": "memory" },
    "flights": { "in_flight": 2, "per": "client_ip", "store": "memory" }
  },
  "routes": [
    { "name": "all", "path": "/*", "to": "app", "limits": ["per-ip"] },
    { "name": "shared", "path": "/shared", "to": "app", "limits": ["shared"] },
    { "name": "keys", "path": "/keys", "to": "app", "limits": ["plan"], "require": "api_key" },
    { "name": "tokens", "path": "/tokens", "to": "app", "require": { "jwt": { "claims": { "org.role": "admin" } } } },
    { "name": "smooth", "path": "/smooth", "to": "app", "limits": ["smooth"] },
    { "name": "flights", "path": "/flights", "to": "app", "limits": ["flights"], "timeout": "1m" },
    { "name": "pages", "path": "/pages", "to": "app", "cors": { "origins": ["https://app.example"] } },
    { "name": "fixed", "path": "/fixed", "respond": { "status": 200, "body": "ok" } }
  ]
})";

const offline::OfflineConfig& offline_config() {
  static const auto made = [] {
    auto loaded = config::load(kConfig);
    EXPECT_TRUE(loaded.config) << config::render_text(loaded.diagnostics, "c", kConfig);
    return offline::OfflineConfig::make(loaded.config.value());
  }();
  return *made;
}

TestResult run(const std::string& steps, Budget budget = {}) {
  const auto source = R"({ "config": "c", "tests": [{ "name": "n", "steps": [)" + steps + "] }] }";
  const auto loaded = config::load_policy_tests(source);
  EXPECT_TRUE(loaded.file) << config::render_text(loaded.diagnostics, "t", source);
  if (!loaded.file) return {};
  return run_test(loaded.file->tests[0], offline_config(), {}, budget);
}

std::vector<std::string> messages(const TestResult& result) {
  std::vector<std::string> out;
  for (const auto& each : result.differences) out.push_back(each.message);
  return out;
}

TEST(PolicyTests, CountTheRequestsOfAStepAndDescribeItsLastAnswer) {
  const auto result = run(R"(
    { "send": "GET /a", "times": 12, "expect": { "allowed": 10, "rejected": 2, "refused": 0, "status": 429,
      "limit": "per-ip", "retry_after": "6s", "remaining": 0, "route": "all", "headers": { "Retry-After": "6" } } },
    { "wait": "6s" },
    { "send": "GET /a", "expect": { "allowed": 1, "status": 200, "remaining": 0, "upstream": "app",
      "headers": { "RateLimit": true, "Retry-After": false } } },
    { "send": "GET /nowhere", "ip": "198.51.100.1", "answer": { "status": 404, "headers": { "X-A": "b" } },
      "expect": { "status": 404, "allowed": 1, "headers": { "x-a": "b" } } })");
  EXPECT_THAT(messages(result), IsEmpty());
  EXPECT_EQ(result.requests, 14U);
  EXPECT_EQ(result.lasted, seconds(6));
}

TEST(PolicyTests, JudgePreflightsByTheirOrigin) {
  const auto result = run(R"(
    { "send": "OPTIONS /pages", "headers": { "Origin": "https://app.example", "Access-Control-Request-Method": "GET" },
      "expect": { "allowed": 1, "refused": 0 } },
    { "send": "OPTIONS /pages", "headers": { "Origin": "https://evil.example", "Access-Control-Request-Method": "GET" },
      "expect": { "allowed": 0, "refused": 1, "status": 403 } })");
  EXPECT_THAT(messages(result), IsEmpty());
}

TEST(PolicyTests, SayWhatIsOtherwise) {
  const auto result = run(R"(
    { "send": "GET /a", "times": 12, "expect": { "allowed": 12, "status": 200, "limit": "shared", "retry_after": "5s",
      "remaining": 3, "route": "keys", "upstream": "app", "took": "1s", "headers": { "Retry-After": false, "X-A": "b" } } })");
  EXPECT_THAT(
      messages(result),
      ElementsAre("expected 12 allowed, got 10 of 12; the 11th was the first that was not, it got 429 (limit) by "
                  "limit per-ip, to come back in 6s",
                  "expected status 200, got 429 for the last request",
                  "expected limit \"shared\", got \"per-ip\" for the last request",
                  "expected retry_after 5s, got 6s for the last request",
                  "expected remaining 3, got 0 for the last request",
                  "expected route \"keys\", got \"all\" for the last request",
                  "expected upstream \"app\", got none for the last request",
                  "expected it to take 1s, it took 0s for the last request", "expected no field Retry-After, got \"6\"",
                  "expected X-A: b, got none"));
}

TEST(PolicyTests, TellWhatWouldHaveHappenedRightBefore) {
  const auto result = run(R"({ "send": "GET /a", "times": 11 }, { "send": "GET /a", "expect": { "status": 200 } })");
  EXPECT_THAT(messages(result),
              ElementsAre("expected status 200, got 429 (limit) by limit per-ip, to come back in 6s"));
  ASSERT_TRUE(result.why);
  EXPECT_EQ(result.why->told.status, 429U);
  EXPECT_EQ(result.why->told.route, "all");
  ASSERT_EQ(result.why->told.limits.size(), 1U);
  EXPECT_EQ(result.why->told.limits[0].rules.at(0).remaining, 0U);
  ASSERT_FALSE(result.why->candidates.routes.empty());
  EXPECT_EQ(result.why->candidates.routes[0].why, gateway::ConsideredRoute::Why::chosen);
}

TEST(PolicyTests, TakeCallersForWhatTheySay) {
  EXPECT_THAT(messages(run(R"(
    { "send": "GET /keys", "expect": { "refused": 1, "status": 401 } },
    { "send": "GET /keys", "api_key_owner": "acme", "times": 3, "expect": { "allowed": 2, "tier": "pro" } },
    { "send": "GET /tokens", "expect": { "status": 401 } },
    { "send": "GET /tokens", "claims": { "org": { "role": "guest" } }, "expect": { "status": 403 } },
    { "send": "GET /tokens", "claims": { "org": { "role": ["guest", "admin"] } }, "expect": { "status": 200 } },
    { "send": "GET /tokens", "claims": { "iss": "https://evil.example", "org": { "role": "admin" } }, "expect": { "status": 401 } },
    { "send": "GET /tokens", "claims": { "exp": 1767225630, "org": { "role": "admin" } }, "expect": { "status": 200 } },
    { "wait": "1h" },
    { "send": "GET /tokens", "claims": { "exp": 1767225630, "org": { "role": "admin" } }, "expect": { "status": 401 } })")),
              IsEmpty());
}

TEST(PolicyTests, LetOnlyWaitMoveTimeAndJudgeWhatWaitsWhenItHasEnded) {
  const auto result = run(R"(
    { "send": "GET /smooth", "times": 4, "expect": { "allowed": 3, "rejected": 1, "limit": "smooth" } },
    { "send": "GET /flights", "times": 3, "answer": { "after": "10s" }, "expect": { "allowed": 2, "rejected": 1 } },
    { "send": "GET /flights", "expect": { "rejected": 1, "took": "0s" } },
    { "wait": "9s" },
    { "send": "GET /flights", "expect": { "rejected": 1 } },
    { "wait": "1s" },
    { "send": "GET /flights", "answer": { "after": "50s" }, "expect": { "allowed": 1, "took": "50s" } },
    { "send": "GET /flights", "answer": { "after": "2m" }, "expect": { "status": 504, "took": "1m" } })");
  EXPECT_THAT(messages(result), IsEmpty());
  EXPECT_EQ(result.lasted, seconds(70)) << "until the last request has ended";
}

TEST(PolicyTests, BeginAnewEachTimeAndAtTheSameMoment) {
  for (int i = 0; i < 2; ++i)
    EXPECT_THAT(messages(run(R"({ "send": "GET /a", "times": 10, "expect": { "allowed": 10, "headers": {
                                  "Date": "Thu, 01 Jan 2026 00:00:00 GMT" } } })")),
                IsEmpty());
}

TEST(PolicyTests, LetRedisGoAndComeBack) {
  EXPECT_THAT(messages(run(R"(
    { "redis": "down" },
    { "send": "GET /shared", "times": 3, "expect": { "allowed": 2, "rejected": 1, "limit": "shared" } },
    { "redis": "up" }, { "wait": "3s" },
    { "send": "GET /shared", "times": 3, "expect": { "allowed": 2, "rejected": 1 } })")),
              IsEmpty());
}

TEST(PolicyTests, LetAYearPassAtOnce) {
  const auto result = run(R"(
    { "redis": "down" }, { "send": "GET /shared", "times": 3, "expect": { "allowed": 2 } },
    { "send": "GET /a" }, { "wait": "366d" }, { "send": "GET /a", "expect": { "remaining": 9 } })");
  EXPECT_THAT(messages(result), IsEmpty());
  EXPECT_EQ(result.lasted, std::chrono::hours(366 * 24));
}

TEST(PolicyTests, EndWithAClearErrorWhenTooMuchHappens) {
  const auto many = run(R"({ "send": "GET /a", "times": 60 }, { "send": "GET /a", "times": 60 })", {.requests = 100});
  EXPECT_THAT(messages(many), ElementsAre(HasSubstr("too much happens")));
  EXPECT_EQ(many.differences[0].place.pointer, "/tests/0/steps/1/send");
  const auto huge = run(R"({ "send": "POST /flights", "times": 1000, "answer": { "body": "1TiB" } })");
  EXPECT_THAT(messages(huge), ElementsAre(HasSubstr("too much happens")));
  std::string years = R"({ "wait": "366d" })";
  for (int i = 0; i < 100; ++i) years += R"(, { "wait": "366d" })";
  EXPECT_THAT(messages(run(years)), ElementsAre(HasSubstr("too much happens")));
  const auto long_outage = run(R"(
    { "redis": "down" }, { "send": "GET /shared" }, { "send": "GET /flights", "answer": { "after": "30s" } },
    { "wait": "1h" })",
                               {.alarms = 20});
  EXPECT_THAT(messages(long_outage), ElementsAre(HasSubstr("too much happens")));
}

TEST(PolicyTests, RefuseMalformedRequestsAsLive) {
  EXPECT_THAT(messages(run(R"(
    { "send": "GET /%2e%2e%2fx%zz", "expect": { "refused": 1, "status": 400 } },
    { "send": "GET http://a..b/", "expect": { "refused": 1, "status": 400 } },
    { "send": "GET /a", "headers": { "Host": "b.example" }, "expect": { "status": 200 } },
    { "send": "GET /a", "headers": { "Host": ["b.example", "c.example"] }, "expect": { "status": 400 } })")),
              IsEmpty());
}

}  // namespace
}  // namespace headgate::policy_test
