// Envoy's rate limit service, asked by gRPC's own library.

#include "blackbox/harness/fake_upstream.hpp"
#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/real_server.hpp"
#include "support/redis_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace headgate::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const std::string kAsking = HEADGATE_SOURCE_DIR "/tests/blackbox/clients/rate_limit.py";
const std::string kFields = "ratelimit,ratelimit-policy,x-ratelimit-limit,x-ratelimit-remaining,x-ratelimit-reset";

const std::string kAskingOverGo = HEADGATE_SOURCE_DIR "/build/envoy_client/rate_limit";

Json config_of_service(const Json& changes = Json::object()) {
  Json out = {
      {"listen", {{"address", "127.0.0.1:0"}, {"protocol", "rate_limit_service"}}},
      {"admin", "off"},
      {"identity", {{"trusted_proxies", {"127.0.0.1/32"}}}},
      {"limits",
       {{"login", {{"rate", "3/hour"}, {"algorithm", "fixed_window"}, {"per", "descriptor:remote_address"}}},
        {"api", {{"rate", "100/minute"}, {"per", "total"}}}}},
      {"decide",
       {{{"domain", "edge"}, {"match", {{"generic_key", "login"}, {"remote_address", "*"}}}, {"limits", {"login"}}},
        {{"domain", "edge"}, {"match", {{"path", "/api/*"}}}, {"limits", {"api"}}}}},
      {"routes", {{{"path", "/"}, {"respond", {{"status", 404}}}}}}};
  out.merge_patch(changes);
  return out;
}

class RateLimitServiceCalls : public testing::Test {
 protected:
  void SetUp() override {
    Process probe({"-c", "import grpc"}, {}, kPython);
    if (probe.wait(std::chrono::seconds(30)) != 0) GTEST_SKIP() << "no grpc for " << kPython;
  }
  static Json config(const Json& changes = Json::object()) { return config_of_service(changes); }
  /// Returns the answers to the calls, one line each.
  static std::string ask(const Gateway& gateway, int times, const std::string& domain,
                         std::vector<std::string> descriptors) {
    Words words{kAsking, std::to_string(gateway.port()), std::to_string(times), domain};
    words.insert(words.end(), descriptors.begin(), descriptors.end());
    Process asking(words, {}, kPython);
    EXPECT_EQ(asking.wait(std::chrono::seconds(60)), 0) << asking.err();
    return asking.out();
  }
};

TEST_F(RateLimitServiceCalls, AreDecidedByTheLimitsOfTheirDescriptors) {
  const Gateway gateway(config());
  const auto lines = ask(gateway, 4, "edge", {"remote_address=203.0.113.9,generic_key=login"});
  EXPECT_THAT(lines, StartsWith("OK; OK login 3 3 2 True; " + kFields + "\n"));
  EXPECT_THAT(
      lines,
      testing::EndsWith(
          "OVER_LIMIT; OVER_LIMIT login 3 3 0 True; " +
          std::string(
              "ratelimit,ratelimit-policy,retry-after,x-ratelimit-limit,x-ratelimit-remaining,x-ratelimit-reset\n")));
  EXPECT_THAT(ask(gateway, 1, "edge", {"remote_address=203.0.113.10,generic_key=login"}),
              StartsWith("OK; OK login 3 3 2"));
}

TEST_F(RateLimitServiceCalls, TakeNothingIfOneDescriptorIsOverItsLimit) {
  const Gateway gateway(config());
  ask(gateway, 3, "edge", {"remote_address=7,generic_key=login"});
  EXPECT_THAT(ask(gateway, 5, "edge", {"path=/api/a", "remote_address=7,generic_key=login"}),
              StartsWith("OVER_LIMIT; OK api 100 2 "));
  EXPECT_THAT(ask(gateway, 1, "edge", {"path=/api/a"}), StartsWith("OK; OK api 100 2 99"));
}

TEST_F(RateLimitServiceCalls, ThatNothingMatchesAreFree) {
  const Gateway gateway(config());
  for (const std::string descriptor : {"other=1", "path=/apiary", "generic_key=login", "path=/api/a,generic_key=login"})
    EXPECT_EQ(ask(gateway, 1, "edge", {descriptor}), "OK; OK; \n") << descriptor;
  EXPECT_EQ(ask(gateway, 1, "elsewhere", {"path=/api/a"}), "OK; OK; \n");
}

TEST_F(RateLimitServiceCalls, AreFreeOrRejectedOrReplacedAsTheirEntriesSay) {
  const auto entry = [](const Json& match, const Json& limits) {
    return Json{{"domain", "edge"}, {"match", match}, {"limits", limits}};
  };
  const auto with = [](Json one, const std::string& key, const Json& value) {
    one[key] = value;
    return one;
  };
  const Gateway gateway(
      config({{"decide",
               {entry({{"remote_address", "*"}}, {"login"}), entry({{"remote_address", "10.0.0.1"}}, Json::array()),
                with(entry({{"remote_address", "10.0.0.2"}}, Json::array()), "reject", true),
                with(entry({{"user", "*"}}, {"api"}), "replaces", {"login"}),
                entry({{"generic_key", {"one", "two"}}}, {"api"})}}}));
  EXPECT_EQ(ask(gateway, 1, "edge", {"remote_address=10.0.0.1"}), "OK; OK; \n");
  EXPECT_EQ(ask(gateway, 1, "edge", {"user=7", "remote_address=10.0.0.2"}), "OVER_LIMIT; OK; OVER_LIMIT; \n");
  EXPECT_THAT(ask(gateway, 1, "edge", {"remote_address=10.0.0.3", "user=7"}), StartsWith("OK; OK; OK api 100 2 99"))
      << "the rejected call took nothing, and the limit of the user replaces that of the address";
  EXPECT_THAT(ask(gateway, 1, "edge", {"remote_address=10.0.0.3"}), StartsWith("OK; OK login 3 3 2"));
  EXPECT_THAT(ask(gateway, 1, "edge", {"generic_key=two,generic_key=one"}), StartsWith("OK; OK api 100 2 98"));
}

TEST_F(RateLimitServiceCalls, MayHaveHitsAndARateOfTheirOwn) {
  const Gateway gateway(config());
  EXPECT_THAT(ask(gateway, 1, "edge", {"remote_address=7,generic_key=login;hits=2"}), StartsWith("OK; OK login 3 3 1"));
  EXPECT_THAT(ask(gateway, 1, "edge", {"remote_address=7,generic_key=login;hits=2"}), StartsWith("OVER_LIMIT"));
  EXPECT_THAT(ask(gateway, 1, "edge", {"remote_address=8,generic_key=login;rate=10/3"}),
              StartsWith("OK; OK login 10 3 9"));
}

TEST_F(RateLimitServiceCalls, HaveTheTierThatADescriptorNames) {
  const Json tiers = {{"free", {{"rate", "2/hour"}}}, {"pro", {{"rate", "20/hour"}}}};
  const Gateway gateway(
      config({{"limits",
               {{"plan",
                 {{"per", "descriptor:user"},
                  {"algorithm", "fixed_window"},
                  {"tiers", tiers},
                  {"tier_from", "descriptor:plan"},
                  {"default_tier", "free"}}},
                {"size",
                 {{"per", "descriptor:user"},
                  {"rate", {{"from", "descriptor:quota"}, {"per", "hour"}, {"most", 50}, {"otherwise", 4}}}}}}},
              {"decide",
               {{{"domain", "edge"}, {"match", {{"user", "*"}}}, {"limits", {"plan"}}},
                {{"domain", "edge"}, {"match", {{"user", "*"}, {"plan", "*"}}}, {"limits", {"plan"}}},
                {{"domain", "edge"}, {"match", {{"user", "*"}, {"quota", "*"}}}, {"limits", {"size"}}}}}}));
  EXPECT_THAT(ask(gateway, 1, "edge", {"user=a,plan=pro", "user=b,plan=none", "user=c", "user=d,quota=9"}),
              StartsWith("OK; OK plan 20 3 19 True; OK plan 2 3 1 True; OK plan 2 3 1 True; OK size 9 3 8 True;"));
  EXPECT_THAT(ask(gateway, 3, "edge", {"user=c"}), HasSubstr("OVER_LIMIT; OVER_LIMIT plan 2 3 0"));
}

TEST_F(RateLimitServiceCalls, CostTheirHitsTimesTheCostOfTheLimit) {
  const Gateway gateway(config(
      {{"decide",
        {{{"domain", "edge"}, {"match", {{"path", "/api/*"}}}, {"limits", {{{"use", "api"}, {"cost", 20}}}}}}}}));
  EXPECT_THAT(ask(gateway, 1, "edge", {"path=/api/a;hits=4"}), StartsWith("OK; OK api 100 2 20"));
  EXPECT_THAT(ask(gateway, 1, "edge", {"path=/api/a;hits=2"}), StartsWith("OVER_LIMIT"));
}

TEST_F(RateLimitServiceCalls, AreOverTheirLimitWhileTheirKeyIsSuspended) {
  const Gateway gateway(config({{"limits",
                                 {{"login",
                                   {{"rate", "1000/second"},
                                    {"burst", 1},
                                    {"algorithm", "token_bucket"},
                                    {"ban", {{"after", 1}, {"for", "1h"}}}}}}}}));
  const std::vector<std::string> both{"remote_address=7,generic_key=login;hits=5", "path=/api/a"};
  EXPECT_THAT(ask(gateway, 1, "edge", both), StartsWith("OVER_LIMIT; OVER_LIMIT login 1000 1 "));
  EXPECT_THAT(ask(gateway, 1, "edge", both), StartsWith("OVER_LIMIT; OVER_LIMIT login 1000 1 0 True; OK; retry-after"));
  EXPECT_THAT(ask(gateway, 1, "edge", {"remote_address=8,generic_key=login"}), StartsWith("OK; OK login"));
  EXPECT_THAT(ask(gateway, 1, "edge", {"path=/api/a"}), StartsWith("OK; OK api 100 2 99")) << "the others took nothing";
}

TEST_F(RateLimitServiceCalls, AreLoggedWithTheEntryThatDecided) {
  const TemporaryFile log("", "log");
  Gateway gateway(config({{"log", {{"format", "json"}, {"access", log.path()}}}}));
  ask(gateway, 1, "edge", {"path=/about", "remote_address=7,generic_key=login;hits=9"});
  ask(gateway, 1, "edge", {"path=/about"});
  EXPECT_EQ(gateway.terminate(), 0);
  std::ifstream lines(log.path());
  std::string text;
  std::getline(lines, text);
  auto line = Json::parse(text);
  EXPECT_EQ(line.at("route"), "edge: generic_key=login, remote_address=*");
  EXPECT_EQ(line.at("limit"), "login");
  EXPECT_EQ(line.at("decision"), "rejected");
  EXPECT_EQ(line.at("cost"), 9);
  EXPECT_EQ(line.at("status"), 429);
  EXPECT_EQ(line.at("grpc_status"), "OK") << "the service has answered";
  EXPECT_TRUE(line.contains("key_id"));
  std::getline(lines, text);
  line = Json::parse(text);
  EXPECT_EQ(line.at("route"), "-") << "no entry matches";
}

TEST_F(RateLimitServiceCalls, AreDecidedForAnEmptyValueToo) {
  const Gateway gateway(config());
  EXPECT_THAT(ask(gateway, 4, "edge", {"remote_address=,generic_key=login"}),
              HasSubstr("OVER_LIMIT; OVER_LIMIT login 3 3 0"));
}

TEST_F(RateLimitServiceCalls, AreOverABudgetThatSays402) {
  const Gateway gateway(config({{"limits", {{"login", {{"unit", "token"}, {"spent_status", 402}}}}}}));
  EXPECT_THAT(ask(gateway, 4, "edge", {"remote_address=7,generic_key=login"}),
              HasSubstr("OVER_LIMIT; OVER_LIMIT login"));
}

TEST_F(RateLimitServiceCalls, NeedADomain) {
  const Gateway gateway(config());
  EXPECT_THAT(ask(gateway, 1, "", {"path=/api/a"}), StartsWith("INVALID_ARGUMENT"));
}

TEST_F(RateLimitServiceCalls, CannotHaveMoreRatesThanOneCallCanBeCountedBy) {
  const Gateway gateway(config());
  EXPECT_THAT(ask(gateway, 1, "edge", std::vector<std::string>(33, "path=/api/a")), StartsWith("INVALID_ARGUMENT"));
}

TEST_F(RateLimitServiceCalls, OfTwoGatewaysShareTheBudgetInRedis) {
  if (!RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
  RedisServer redis;
  ASSERT_TRUE(redis.start()) << redis.error();
  const Json shared = {{"redis", {{"url", "redis://127.0.0.1:" + std::to_string(redis.port())}}},
                       {"limits", {{"login", {{"rate", "10/hour"}, {"store", "redis"}}}}}};
  const Gateway one(config(shared));
  const Gateway two(config(shared));
  std::string lines;
  for (int i = 0; i < 3; ++i)
    for (const auto* const each : {&one, &two}) lines += ask(*each, 4, "edge", {"remote_address=9,generic_key=login"});
  int passed = 0;
  for (auto at = lines.find("OK; OK login"); at != lines.npos; at = lines.find("OK; OK login", at + 1)) ++passed;
  EXPECT_EQ(passed, 10) << lines;
}

/// The client that Envoy's project generates for Go, with a budget that two gateways share.
TEST(RateLimitServiceGo, GetsItsAnswersFromTwoGatewaysWithOneRedis) {
  if (!std::filesystem::exists(kAskingOverGo))
    GTEST_SKIP() << "no Go client of Envoy on this machine; ./dev test builds it where Debian can be reached";
  if (!RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
  RedisServer redis;
  ASSERT_TRUE(redis.start()) << redis.error();
  const Json shared = {
      {"redis", {{"url", "redis://127.0.0.1:" + std::to_string(redis.port())}}},
      {"limits",
       {{"login", {{"rate", "5/hour"}, {"algorithm", "token_bucket"}, {"store", "redis"}, {"leases", "off"}}},
        {"api", {{"rate", "50/hour"}, {"store", "redis"}, {"leases", "off"}}}}}};
  const Gateway one(config_of_service(shared));
  const Gateway two(config_of_service(shared));
  const auto ask = [](const Gateway& gateway, const std::string& times, const std::string& domain) {
    Process client(
        {std::to_string(gateway.port()), times, domain, "remote_address=9,generic_key=login", "path=/api/a", "other=1"},
        {}, kAskingOverGo);
    EXPECT_EQ(client.wait(std::chrono::seconds(60)), 0) << client.err();
    return client.out();
  };
  const std::string fields = " X-RateLimit-Limit X-RateLimit-Remaining X-RateLimit-Reset RateLimit-Policy RateLimit";
  EXPECT_EQ(ask(one, "1", "edge"),
            "OK; OK login 5 HOUR 4; OK api 50 HOUR 49; OK  0 UNKNOWN 0;" + fields + "; map[key:9 limit:login]\n");
  EXPECT_THAT(ask(two, "3", "edge"), HasSubstr("OK; OK login 5 HOUR 1; OK api 50 HOUR 46; OK  0 UNKNOWN 0;"));
  EXPECT_THAT(ask(one, "2", "edge"),
              HasSubstr("OVER_LIMIT; OVER_LIMIT login 5 HOUR 0; OK api 50 HOUR 45; OK  0 UNKNOWN 0;" + fields +
                        " Retry-After; map[key:9 limit:login]\n"));
  EXPECT_THAT(ask(one, "1", ""), StartsWith("InvalidArgument"));
}

TEST_F(RateLimitServiceCalls, FailIfTheirLimitCannotBeCounted) {
  const Gateway gateway(config({{"redis", {{"url", "redis://127.0.0.1:1"}, {"timeout", "100ms"}}},
                                {"limits", {{"login", {{"store", "redis"}, {"if_redis_down", "reject"}}}}}}));
  EXPECT_THAT(ask(gateway, 1, "edge", {"remote_address=9,generic_key=login"}), StartsWith("UNAVAILABLE"))
      << "the proxy then follows its own policy";
}

TEST_F(RateLimitServiceCalls, AreRefusedToOthersThanTrustedProxies) {
  const Gateway gateway(config({{"identity", {{"trusted_proxies", {"192.0.2.0/24"}}}}}));
  EXPECT_THAT(ask(gateway, 1, "edge", {"path=/api/a"}), StartsWith("PERMISSION_DENIED"));
}

}  // namespace
}  // namespace headgate::test
