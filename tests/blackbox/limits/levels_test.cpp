// Limits at several levels, from the person at a key to its organisation, and sizes that a credential tells.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/operator.hpp"
#include "support/jwt_signer.hpp"
#include "support/redis_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace headgate::test {
namespace {

using testing::HasSubstr;

const std::string kTokenSecret = "a secret of at least thirty-two bytes, for tests";

std::string key_of(const std::string& owner) { return "key-of-" + owner + "-0123456789"; }

std::string signed_with(const Json& claims) {
  return "Authorization: Bearer " + sign_hs256(kTokenSecret, claims.dump()) + "\r\n";
}

Json with_callers() {
  Json out = {{"admin", {{"listen", "127.0.0.1:0"}}}, {"log", {{"format", "json"}, {"access", "stderr"}}}};
  out["identity"]["jwt"] = {{"algorithms", {"HS256"}}, {"secret", kTokenSecret}};
  const auto know = [&](const std::string& owner, const Json& groups) {
    out["identity"]["api_key"]["keys"][owner] = {{"key", key_of(owner)}, {"groups", groups}};
  };
  know("dev", {{"team", "search"}, {"organisation", "acme"}});
  know("ads", {{"team", "ads"}, {"organisation", "acme"}});
  return out;
}

class Levels : public testing::Test {
 protected:
  void SetUp() override {
    if (!RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
    ASSERT_TRUE(redis.start()) << redis.error();
  }
  RedisServer redis;
};

TEST_F(Levels, CountARequestAtAllOfThemOrAtNone) {
  Json config = with_callers();
  config["log"]["callers"] = {"owner", "group:team"};
  config["redis"] = {{"url", "redis://127.0.0.1:" + std::to_string(redis.port())}, {"timeout", "5s"}};
  config["limits"] = {{"key", {{"rate", "50/day"}, {"per", "api_key"}, {"store", "memory"}}},
                      {"user", {{"rate", "50/day"}, {"per", "jwt.sub"}, {"store", "memory"}, {"if_absent", "skip"}}},
                      {"team", {{"rate", "50/day"}, {"per", "group:team"}, {"leases", "off"}}},
                      {"organisation", {{"rate", "5/day"}, {"per", "group:organisation"}, {"leases", "off"}}}};
  config["routes"] = Json::array(
      {{{"path", "/*"}, {"to", "app"}, {"require", "api_key"}, {"limits", {"key", "user", "team", "organisation"}}}});
  Proxy proxy(config);
  const Operator admin(proxy.gateway.process());
  auto client = proxy.client();
  const auto status = [&](const std::string& owner) {
    return client.get("/", "X-API-Key: " + key_of(owner) + "\r\n" + signed_with({{"sub", "alice"}})).status();
  };
  for (int i = 0; i < 3; ++i) EXPECT_EQ(status("dev"), 200) << i;
  for (int i = 0; i < 2; ++i) EXPECT_EQ(status("ads"), 200) << i;
  for (int i = 0; i < 4; ++i) EXPECT_EQ(status(i % 2 == 0 ? "dev" : "ads"), 429) << i;
  const auto used = [&](const std::string& limit, const std::string& key) {
    return admin.get("/api/v1/limits/" + limit + "/keys/" + key).at("rules").at(0).at("used").get<int>();
  };
  EXPECT_EQ(used("key", "dev"), 3);
  EXPECT_EQ(used("key", "ads"), 2);
  EXPECT_EQ(used("user", "alice"), 5);
  EXPECT_EQ(used("team", "search"), 3);
  EXPECT_EQ(used("team", "ads"), 2);
  EXPECT_EQ(used("organisation", "acme"), 5);
  EXPECT_TRUE(proxy.gateway.process().wait_for_err([](const std::string& log) {
    return log.find(R"("owner":"dev","group:team":"search")") != std::string::npos;
  })) << proxy.gateway.process().err();
  const auto keys = admin.get("/api/v1/keys?owner=dev").at("keys");
  ASSERT_EQ(keys.size(), 1U);
  EXPECT_EQ(keys[0].at("groups"), (Json{{"team", "search"}, {"organisation", "acme"}}));
}

TEST(ToldSizes, AreThoseOfTheTokenAndAreExplained) {
  Json config = with_callers();
  config["limits"] = {
      {"plan", {{"rate", {{"from", "jwt.rpm"}, {"per", "day"}, {"most", 6}, {"otherwise", 2}}}, {"per", "jwt.sub"}}}};
  config["routes"] = Json::array({{{"path", "/*"}, {"to", "app"}, {"require", "jwt"}, {"limits", {"plan"}}}});
  Proxy proxy(config);
  auto client = proxy.client();
  const auto passed = [&](const Json& claims) {
    int out = 0;
    for (int i = 0; i < 9; ++i) out += client.get("/", signed_with(claims)).status() == 200 ? 1 : 0;
    return out;
  };
  EXPECT_EQ(passed({{"sub", "a"}, {"rpm", 4}}), 4);
  EXPECT_EQ(passed({{"sub", "b"}, {"rpm", "5"}}), 5);
  EXPECT_EQ(passed({{"sub", "c"}, {"rpm", 1000000}}), 6) << "the most";
  for (const Json& none : {Json(), Json("ten"), Json(-4), Json(2.5), Json({1, 2}), Json({{"a", 3}})})
    EXPECT_EQ(passed({{"sub", "without " + none.dump()}, {"rpm", none}}), 2) << none;
  EXPECT_EQ(passed({{"sub", "a"}, {"rpm", 6}}), 2) << "four are used";
  const auto explained = [&](const Json& claims) {
    const auto url = "http://127.0.0.1:" + std::to_string(admin_port(proxy.gateway.process()));
    auto token = signed_with(claims);
    token.resize(token.size() - 2);
    return run_headgate({"explain", "GET", "/", "--admin", url, "-H", token}).out;
  };
  EXPECT_THAT(explained({{"sub", "d"}, {"rpm", 3}}), testing::ContainsRegex("plan +jwt.rpm +d +1 +3/day"));
  EXPECT_THAT(explained({{"sub", "d"}}), testing::ContainsRegex("plan +no jwt.rpm +d +1 +2/day"));
  const Operator admin(proxy.gateway.process());
  const auto key = admin.get("/api/v1/limits/plan/keys/a");
  EXPECT_EQ(key.at("size"), (Json{{"from", "jwt.rpm"}, {"most", 6}, {"otherwise", 2}}));
  EXPECT_EQ(key.at("rules"), (Json{{{"rule", "at most 6/day"}, {"used", 6}}}))
      << "the key does not say how many its callers may have";
}

}  // namespace
}  // namespace headgate::test
