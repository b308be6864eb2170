// Upstreams: their servers, and how one is chosen.

#include "support/per.hpp"

#include "headgate/balance/policy.hpp"
#include "headgate/config/load.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace headgate::config {
namespace {

/// Loads a file with this as its one upstream.
Loaded with_upstream(const std::string& upstream) {
  return load(R"({ "listen": ":1", "upstreams": { "u": )" + upstream +
              R"( }, "routes": [{ "path": "/*", "to": "u" }] })");
}

TEST(Upstreams, HaveServersAsTextsAndAsObjects) {
  const auto loaded = with_upstream(
      R"({ "servers": ["http://a:1", { "url": "http://b", "weight": 3 }, { "url": "http://[::1]:8", "backup": true }] })");
  ASSERT_TRUE(loaded.config);
  EXPECT_TRUE(loaded.diagnostics.empty());
  const std::vector<upstream::ServerOptions> servers{
      {.host = "a", .port = 1, .text = "a:1"},
      {.host = "b", .port = 80, .text = "b:80", .weight = 3},
      {.host = "::1", .port = 8, .text = "[::1]:8", .backup = true},
  };
  EXPECT_EQ(loaded.config->upstreams[0].servers, servers);
}

TEST(Upstreams, MayBeOneUrl) {
  const auto loaded = with_upstream(R"("http://a:1")");
  ASSERT_TRUE(loaded.config);
  EXPECT_EQ(loaded.config->upstreams[0].servers[0].weight, 1U);
}

TEST(Upstreams, MayBeAListOfServers) {
  const auto list = R"(["http://a:1", { "url": "http://b", "weight": 3 }])";
  const auto loaded = with_upstream(list);
  ASSERT_TRUE(loaded.config);
  EXPECT_TRUE(loaded.diagnostics.empty());
  const auto object = with_upstream(std::string(R"({ "servers": )") + list + " }");
  ASSERT_TRUE(object.config);
  EXPECT_EQ(loaded.config->upstreams[0].servers, object.config->upstreams[0].servers);
  EXPECT_EQ(loaded.config->upstreams[0].servers.size(), 2U);
  EXPECT_TRUE(with_upstream(R"(["https://a", "https://b"])").config->upstreams[0].tls);
}

TEST(Upstreams, HaveEachPolicy) {
  for (const auto* const policy : balance::policies()) {
    const std::string name(policy->name);
    const std::string per = policy->keyed ? R"(, "per": "client_ip")" : "";
    const auto loaded =
        with_upstream(R"({ "servers": ["http://a"], "balance": { "policy": ")" + name + '"' + per + " } }");
    ASSERT_TRUE(loaded.config) << name;
    EXPECT_TRUE(loaded.diagnostics.empty()) << name;
    EXPECT_EQ(loaded.config->upstreams[0].balance, policy);
    EXPECT_EQ(loaded.config->upstreams[0].balance_per.size(), policy->keyed ? 1U : 0U) << name;
    const auto word = with_upstream(R"({ "servers": ["http://a"], "balance": ")" + name + "\" }");
    EXPECT_EQ(word.config.has_value(), !policy->keyed) << name;
  }
}

TEST(Upstreams, GoRoundTheirServersUnlessTheySayOtherwise) {
  const auto loaded = with_upstream(R"({ "servers": ["http://a", "http://b"] })");
  ASSERT_TRUE(loaded.config);
  EXPECT_EQ(loaded.config->upstreams[0].balance, balance::find_policy("round_robin"));
  EXPECT_EQ(loaded.config->upstreams[0].slow_start, Duration(0));
}

TEST(Upstreams, BalanceByTheKeysOfLimits) {
  const auto loaded = with_upstream(
      R"({ "servers": ["http://a"], "slow_start": "30s",
           "balance": { "policy": "consistent_hash", "per": ["header:X-User", "host"] } })");
  ASSERT_TRUE(loaded.config);
  EXPECT_TRUE(loaded.diagnostics.empty());
  const auto& app = loaded.config->upstreams.at(0);
  EXPECT_EQ(app.balance_per, (std::vector{test::make_per("header:x-user"), test::make_per("host")}));
  EXPECT_EQ(loaded.config->upstreams[0].slow_start, std::chrono::seconds(30));
}

TEST(Upstreams, SayHowTheyChoose) {
  const std::string source = R"({ "listen": ":1", "routes": [{ "path": "/*", "to": "u" }], "upstreams": { "u": {
    "servers": [{ "url": "http://a", "weight": 3 }, "http://b", { "url": "http://c", "backup": true }],
    "balance": { "policy": "consistent_hash", "per": ["client_ip", "host"] }, "slow_start": "30s" } } })";
  const auto loaded = load(source);
  ASSERT_TRUE(loaded.config);
  EXPECT_THAT(meaning(*loaded.config, "f"), testing::HasSubstr(R"(
Requests to upstream u go to its servers by their key, client_ip and host
  their weights: a:80 3, b:80 1, c:80 1
  only while no other may be chosen: c:80
  a server with more than 5/4 of its share of the requests in flight is passed over
  a server that comes back gets a tenth of its share at first, and all of it after 30s
)"));
}

TEST(Upstreams, SayNothingOfThePlainCase) {
  const auto loaded = with_upstream(R"({ "servers": ["http://a", "http://b"] })");
  EXPECT_THAT(meaning(*loaded.config, "f"), testing::Not(testing::HasSubstr("its servers")));
}

}  // namespace
}  // namespace headgate::config
