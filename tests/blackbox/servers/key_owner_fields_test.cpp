// Who owns the API key of a request, as its server gets it: by fields of "caller_headers", and by variables. What a
// caller writes under these names never comes through.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/limits/comes.hpp"

#include <gtest/gtest.h>
#include <openssl/sha.h>

#include <array>
#include <fstream>
#include <string>

namespace headgate::test {
namespace {

const std::string kOwnersKey = "acme-key-of-some-length-0001";
const std::string kSends = "X-API-Key: " + kOwnersKey + "\r\n";

/// acme has the tier "pro" and two tags, globex has neither.
Json known(const Json& more = Json::object()) {
  Json api_key = {{"keys",
                   {{"acme", {{"key", kOwnersKey}, {"tier", "pro"}, {"tags", {"batch", "beta"}}}},
                    {"globex", {{"key", "globex-key-of-some-length-01"}}}}}};
  api_key.merge_patch(more);
  return {{"identity", {{"api_key", api_key}}},
          {"limits",
           {{"x",
             {{"per", "api_key"},
              {"if_absent", "skip"},
              {"tier_from", "api_key"},
              {"default_tier", "usual"},
              {"tiers", {{"usual", {{"rate", "1000/s"}}}, {"pro", {{"rate", "1000/s"}}}}}}}}},
          {"all_routes", {{"limits", {"x"}}}}};
}

const std::string kForged =
    "X-Consumer: root\r\nx_consumer: root\r\nX.Consumer: root\r\nX-CONSUMER-TIER: gold\r\nX_Consumer_Tags: admin\r\n";

TEST(KeyOwnerFields, TellTheServerOwnerTierAndTagsOfTheKey) {
  Proxy proxy(known({{"caller_headers", true}}));
  ASSERT_EQ(proxy.client().get("/", kSends + kForged).status(), 200);
  const Message got = proxy.forwarded();
  EXPECT_EQ(got.all("X-Consumer"), "acme");
  EXPECT_EQ(got.all("X-Consumer-Tier"), "pro");
  EXPECT_EQ(got.all("X-Consumer-Tags"), "batch, beta");
  for (const char* name : {"x_consumer", "X.Consumer", "X_Consumer_Tags", "X-API-Key"})
    EXPECT_FALSE(got.has(name)) << name;
}

TEST(KeyOwnerFields, OfACallerWithoutAKeyAreRemoved) {
  Proxy proxy(known({{"caller_headers", {{"X-Consumer", "owner"}, {"X-Plan", "tier"}, {"X-Groups", "tags"}}}}));
  for (const std::string key : {"", "X-API-Key: no-such-key-0123456789\r\n"}) {
    ASSERT_EQ(proxy.client().get("/", key + kForged + "X-Plan: gold\r\nx_plan: gold\r\nX-Groups: admin\r\n").status(),
              200);
    const Message got = proxy.forwarded();
    for (const char* name : {"X-Consumer", "x_consumer", "X.Consumer", "X-Plan", "x_plan", "X-Groups"})
      EXPECT_FALSE(got.has(name)) << name << " with [" << key << ']';
  }
}

TEST(KeyOwnerFields, OfATrustedProxyAreRemovedToo) {
  auto config = known({{"caller_headers", true}});
  config["identity"]["trusted_proxies"] = {"127.0.0.1/32"};
  Proxy proxy(config);
  ASSERT_EQ(proxy.client().get("/", kForged).status(), 200);
  EXPECT_FALSE(proxy.forwarded().has("X-Consumer")) << "headgate itself knows who calls";
}

TEST(KeyOwnerFields, WithoutATierOrTagsAreNotSent) {
  Proxy proxy(known({{"caller_headers", true}}));
  ASSERT_EQ(proxy.client().get("/", "X-API-Key: globex-key-of-some-length-01\r\n" + kForged).status(), 200);
  EXPECT_EQ(proxy.forwarded().all("X-Consumer"), "globex");
  EXPECT_FALSE(proxy.forwarded().has("X-Consumer-Tier"));
  EXPECT_FALSE(proxy.forwarded().has("X-Consumer-Tags"));
}

TEST(KeyOwnerFields, StandInNoTrailer) {
  Proxy proxy(known({{"caller_headers", {{"X-Plan", "tier"}}}}));
  const std::string body = "1\r\nx\r\n0\r\nX-Sum: 1\r\nX-Plan: gold\r\nx_plan: gold\r\nX-Consumer: root\r\n\r\n";
  ASSERT_EQ(proxy.client().ask(request("POST", "/", "Transfer-Encoding: chunked\r\n", body)).status(), 200);
  ASSERT_TRUE(proxy.upstream.wait_for_requests(1));
  EXPECT_EQ(proxy.forwarded().trailer("X-Sum"), "1");
  EXPECT_EQ(proxy.forwarded().trailers.size(), 1U);
}

TEST(KeyOwnerFields, OfACallerEndHereAlsoWhereNothingIsConfigured) {
  Proxy proxy;
  ASSERT_EQ(proxy.client()
                .get("/", kForged + "X-Consumer-Username: root\r\nX-Credential-Identifier: 1\r\n"
                                    "X_Authenticated_Userid: root\r\nX-Anonymous-Consumer: true\r\nX-Custom: 1\r\n")
                .status(),
            200);
  const Message got = proxy.forwarded();
  for (const char* name : {"X-Consumer", "x_consumer", "X-Consumer-Tier", "X-Consumer-Username",
                           "X-Credential-Identifier", "X_Authenticated_Userid", "X-Anonymous-Consumer"})
    EXPECT_FALSE(got.has(name)) << name;
  EXPECT_EQ(got.all("X-Custom"), "1");
}

TEST(KeyVariables, AreForTheFieldsOfServersAndCallers) {
  auto config = known();
  config["all_routes"]["request_headers"] = {
      {"set", {{"X-Who", "${api_key.owner}/${api_key.tier}"}, {"X-Groups", "${api_key.tags}"}}}};
  config["all_routes"]["response_headers"] = {{"set", {{"X-You-Are", "${api_key.owner}"}}}};
  Proxy proxy(config);
  const Message answer = proxy.client().get("/", kSends + "X-Who: root/gold\r\nx_who: root/gold\r\n");
  EXPECT_EQ(answer.all("X-You-Are"), "acme");
  EXPECT_EQ(proxy.forwarded().all("X-Who"), "acme/pro");
  EXPECT_EQ(proxy.forwarded().all("X-Groups"), "batch, beta");
  EXPECT_FALSE(proxy.forwarded().has("x_who"));
  EXPECT_FALSE(proxy.client().get("/", "X-Who: root/gold\r\n").has("X-You-Are"));
  EXPECT_FALSE(proxy.forwarded().has("X-Who")) << "without a key";
}

TEST(KeyVariables, FollowTheKeyFileWithoutAReload) {
  const auto file_with = [](const std::string& owner) {
    std::array<unsigned char, SHA256_DIGEST_LENGTH> bytes{};
    SHA256(reinterpret_cast<const unsigned char*>(kOwnersKey.data()), kOwnersKey.size(), bytes.data());
    std::string hex;
    for (const auto byte : bytes) {
      hex += "0123456789abcdef"[byte >> 4];
      hex += "0123456789abcdef"[byte & 15];
    }
    return Json{{"keys", Json::array({{{"sha256", hex}, {"owner", owner}}})}}.dump();
  };
  const TemporaryFile file(file_with("acme"));
  Proxy proxy(Json{{"identity", {{"api_key", {{"file", file.path()}, {"caller_headers", true}}}}}});
  ASSERT_EQ(proxy.client().get("/", kSends).status(), 200);
  EXPECT_EQ(proxy.forwarded().all("X-Consumer"), "acme");
  std::ofstream(file.path()) << file_with("acme-corp");
  EXPECT_TRUE(comes(Milliseconds(10'000), [&] {
    proxy.client().get("/", kSends);
    return proxy.forwarded().all("X-Consumer") == "acme-corp";
  }));
}

}  // namespace
}  // namespace headgate::test
