// Routes that take only some valid tokens and keys.

#include "blackbox/harness/gateway.hpp"
#include "support/jwt_signer.hpp"

#include <gtest/gtest.h>

#include <ctime>

namespace headgate::test {
namespace {

const std::string kSecretOfA = "a secret of at least thirty-two bytes, for tests";
const std::string kHalfOfSecretB = "the secret of another issuer, thirty-two bytes";

std::string bearer_of(const std::string& secret, const Json& changes) {
  Json all = {{"sub", "alice"}, {"exp", std::time(nullptr) + 600}};
  all.merge_patch(changes);
  return "Authorization: Bearer " + sign_hs256(secret, all.dump()) + "\r\n";
}

/// Two issuers, and one route with these demands on the token.
Json taking(const Json& jwt) {
  const Json a = {{"issuer", "https://a"}, {"algorithms", {"HS256"}}, {"secret", kSecretOfA}};
  const Json b = {
      {"issuer", "https://b"}, {"algorithms", {"HS256", "HS512"}}, {"secret", kHalfOfSecretB + kHalfOfSecretB}};
  return {{"identity", {{"jwt", {{"issuers", Json::array({a, b})}}}}},
          {"routes", Json::array({{{"path", "/orders"}, {"to", "app"}, {"require", {{"jwt", jwt}}}},
                                  {{"path", "/*"}, {"to", "app"}, {"require", "jwt"}}})}};
}

TEST(Require, ARouteTakesTheTokensOfSomeIssuersOnly) {
  Proxy proxy(taking({{"issuer", "https://a"}}));
  RawClient client = proxy.client();
  const auto ours = bearer_of(kSecretOfA, {{"iss", "https://a"}});
  const auto theirs = bearer_of(kHalfOfSecretB + kHalfOfSecretB, {{"iss", "https://b"}});
  EXPECT_EQ(client.get("/orders", ours).status(), 200);
  EXPECT_EQ(client.get("/other", theirs).status(), 200);
  const auto refused = client.get("/orders", theirs);
  expect_problem(refused, 401);
  EXPECT_EQ(refused.value("WWW-Authenticate"), R"(Bearer error="invalid_token")");
  EXPECT_EQ(client.get("/other", theirs).status(), 200) << "it is still valid elsewhere";
}

TEST(Require, ATokenWithoutTheScopeIsToldWhichItNeeds) {
  Proxy proxy(taking({{"scope", {"orders:read", "orders:write"}}}));
  RawClient client = proxy.client();
  const auto refused = client.get("/orders", bearer_of(kSecretOfA, {{"iss", "https://a"}, {"scope", "orders:read"}}));
  expect_problem(refused, 403);
  EXPECT_EQ(refused.value("WWW-Authenticate"),
            R"(Bearer error="insufficient_scope", scope="orders:read orders:write")");
  const std::string many(2000, 'x');
  for (const Json& claims :
       {Json{{"scope", "orders:write openid orders:read"}}, Json{{"scp", Json::array({"orders:read", "orders:write"})}},
        Json{{"scope", many + " orders:write orders:read"}}}) {
    Json all = {{"iss", "https://a"}};
    all.merge_patch(claims);
    EXPECT_EQ(client.get("/orders", bearer_of(kSecretOfA, all)).status(), 200) << claims;
    EXPECT_EQ(client.get("/orders", bearer_of(kSecretOfA, all)).status(), 200) << "from the token cache: " << claims;
  }
}

TEST(Require, ClaimsMustHaveTheirValuesAndTypes) {
  Proxy proxy(taking({{"claims", {{"plan", {"pro", "enterprise"}}, {"admin", true}, {"level", 5}}}}));
  RawClient client = proxy.client();
  const auto status = [&](const Json& claims) {
    Json all = {{"iss", "https://a"}, {"plan", "pro"}, {"admin", true}, {"level", 5}};
    all.merge_patch(claims);
    return client.get("/orders", bearer_of(kSecretOfA, all)).status();
  };
  EXPECT_EQ(status(Json::object()), 200);
  EXPECT_EQ(status({{"plan", Json::array({"free", "enterprise"})}}), 200);
  EXPECT_EQ(status({{"plan", "free"}}), 403);
  EXPECT_EQ(status({{"plan", nullptr}}), 403);
  EXPECT_EQ(status({{"admin", "true"}}), 403);
  EXPECT_EQ(status({{"admin", false}}), 403);
  EXPECT_EQ(status({{"level", "5"}}), 403);
  EXPECT_EQ(status({{"level", 5.0}}), 403);
  EXPECT_EQ(status({{"level", 6}}), 403);
}

TEST(Require, AValidTokenThatLacksSomethingIsNoFailedAuthentication) {
  auto changes = taking({{"scope", "orders:write"}});
  changes["identity"]["failures"] = {{"rate", "2/hour"}};
  Proxy proxy(changes);
  RawClient client = proxy.client();
  for (int i = 0; i < 6; ++i)
    EXPECT_EQ(client.get("/orders", bearer_of(kSecretOfA, {{"iss", "https://a"}, {"n", i}})).status(), 403);
  EXPECT_EQ(client.get("/other", bearer_of(kSecretOfA, {{"iss", "https://a"}})).status(), 200);
}

TEST(Require, ARouteTakesSomeKeysOnly) {
  const std::string acme = "key-of-acme-0123456789";
  const std::string initech = "key-of-initech-0123456789";
  Json changes = {{"identity",
                   {{"api_key",
                     {{"keys",
                       {{"acme", {{"key", acme}, {"tier", "pro"}, {"tags", {"batch"}}}},
                        {"initech", {{"key", initech}, {"tier", "pro"}}}}}}}}}};
  changes["routes"] =
      Json::array({{{"path", "/acme"}, {"to", "app"}, {"require", {{"api_key", {{"owners", "acme"}}}}}},
                   {{"path", "/pro"}, {"to", "app"}, {"require", {{"api_key", {{"tiers", {"pro", "enterprise"}}}}}}},
                   {{"path", "/batch"}, {"to", "app"}, {"require", {{"api_key", {{"tags", "batch"}}}}}}});
  Proxy proxy(changes);
  RawClient client = proxy.client();
  const auto status = [&](const std::string& path, const std::string& key) {
    return client.get(path, "X-API-Key: " + key + "\r\n").status();
  };
  EXPECT_EQ(status("/acme", acme), 200);
  EXPECT_EQ(status("/pro", acme), 200);
  EXPECT_EQ(status("/batch", acme), 200);
  EXPECT_EQ(status("/acme", initech), 403);
  EXPECT_EQ(status("/pro", initech), 200);
  EXPECT_EQ(status("/batch", initech), 403);
  EXPECT_EQ(status("/batch", "another"), 401);
  EXPECT_EQ(client.get("/batch").status(), 401);
}

}  // namespace
}  // namespace headgate::test
