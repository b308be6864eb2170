// Callers without the key that a limit counts by, or with a weaker credential.

#include "blackbox/harness/gateway.hpp"
#include "support/jwt_signer.hpp"

#include <gtest/gtest.h>

#include <ctime>

namespace headgate::test {
namespace {

const std::string kUserSecret = "a secret of at least thirty-two bytes, for tests";
const std::string kAcmeKey = "acme-key-of-some-length-0001";

std::string proof(const std::string& user) {
  const Json claims = {{"sub", user}, {"exp", std::time(nullptr) + 600}};
  return "Authorization: Bearer " + sign_hs256(kUserSecret, claims.dump()) + "\r\n";
}

Json counting_per(const Json& per, const Json& if_absent) {
  return {{"identity",
           {{"jwt", {{"algorithms", {"HS256"}}, {"secret", kUserSecret}}},
            {"api_key", {{"keys", {{"acme", {{"key", kAcmeKey}}}}}}}}},
          {"limits", {{"x", {{"rate", "2/day"}, {"per", per}, {"if_absent", if_absent}}}}},
          {"all_routes", {{"limits", {"x"}}}}};
}

std::string all_statuses(RawClient client, const std::string& fields, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += (i > 0 ? " " : "") + std::to_string(client.get("/", fields).status());
  return out;
}

TEST(Fallback, IsTriedInTurnUserThenKeyThenAddress) {
  Proxy proxy(counting_per("jwt.sub", Json::array({"api_key", "client_ip"})));
  const std::string key = "X-API-Key: " + kAcmeKey + "\r\n";
  EXPECT_EQ(all_statuses(proxy.client("127.0.0.2"), proof("alice") + key, 3), "200 200 429");
  EXPECT_EQ(all_statuses(proxy.client("127.0.0.2"), proof("bob") + key, 1), "200");
  EXPECT_EQ(all_statuses(proxy.client("127.0.0.2"), key, 3), "200 200 429");
  EXPECT_EQ(all_statuses(proxy.client("127.0.0.3"), key, 1), "429") << "the key's owner, from wherever";
  EXPECT_EQ(all_statuses(proxy.client("127.0.0.2"), "", 3), "200 200 429");
  EXPECT_EQ(all_statuses(proxy.client("127.0.0.3"), "", 1), "200");
  EXPECT_EQ(all_statuses(proxy.client("127.0.0.2"), proof("acme"), 1), "200") << "a user is no owner of the same name";
}

TEST(Fallback, MayEndInSkipOrInARefusal) {
  {
    Proxy proxy(counting_per("jwt.sub", Json::array({"api_key", "skip"})));
    EXPECT_EQ(all_statuses(proxy.client(), "", 4), "200 200 200 200");
  }
  Proxy proxy(counting_per("jwt.sub", Json::array({"api_key", "reject"})));
  const Message refused = proxy.client().get();
  expect_problem(refused, 401);
  EXPECT_EQ(refused.value("WWW-Authenticate"), "Bearer");
}

TEST(Fallback, RefusesWithTheStatusTheFileChose) {
  Proxy proxy(counting_per("api_key", {{"reject", 403}}));
  const Message refused = proxy.client().get();
  expect_problem(refused, 403);
  EXPECT_FALSE(refused.has("WWW-Authenticate")) << "it belongs to 401";
}

TEST(Keys, MayBeCookiesMethodsAndPartsOfThePath) {
  Json changes = {
      {"limits",
       {{"account", {{"rate", "2/day"}, {"per", "path:id"}}},
        {"visitor", {{"rate", "2/day"}, {"per", Json::array({"cookie:v", "method"})}, {"if_absent", "skip"}}}}},
      {"routes", Json::array({{{"path", "/accounts/{id}/x"}, {"to", "app"}, {"limits", {"account"}}},
                              {{"path", "/*"}, {"to", "app"}, {"limits", {"visitor"}}}})}};
  Proxy proxy(changes);
  RawClient client = proxy.client();
  const auto at = [&](const std::string& target) { return client.get(target).status(); };
  EXPECT_EQ(at("/accounts/1/x"), 200);
  EXPECT_EQ(at("/accounts/1;v=2/x"), 200) << "its parameters are not another account";
  EXPECT_EQ(at("/accounts/%31/x"), 429) << "nor is another spelling";
  EXPECT_EQ(at("/accounts/2/x"), 200);
  EXPECT_EQ(all_statuses(proxy.client(), "Cookie: a=b; v=1\r\n", 3), "200 200 429");
  EXPECT_EQ(all_statuses(proxy.client(), "Cookie: v=2\r\n", 1), "200");
  EXPECT_EQ(client.ask(request("PUT", "/", "Cookie: v=1\r\nContent-Length: 0\r\n")).status(), 200);
  EXPECT_EQ(all_statuses(proxy.client(), "", 4), "200 200 200 200");
}

}  // namespace
}  // namespace headgate::test
