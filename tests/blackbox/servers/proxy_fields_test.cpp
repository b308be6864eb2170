// Fields that only a trusted hop may send, other spellings of fields that are read here, and fields that the gateway
// writes.

#include "blackbox/harness/gateway.hpp"

#include <gtest/gtest.h>

namespace headgate::test {
namespace {

constexpr const char* kSaid =
    "X-Original-URL: /admin\r\nX-Rewrite-URL: /admin\r\nX-Forwarded-Port: 1\r\nX-Forwarded-Prefix: /a\r\n"
    "True-Client-IP: 10.0.0.1\r\nCF-Connecting-IP: 10.0.0.1\r\nProxy: http://evil\r\n"
    "X_Original_URL: /admin\r\nTrue_Client_IP: 10.0.0.1\r\n";

TEST(ProxyFields, OfACallerEndHere) {
  Proxy proxy(R"({"identity": {"trusted_proxies": ["127.0.0.9/32"]}})"_json);
  ASSERT_EQ(proxy.client("127.0.0.2").get("/", kSaid).status(), 200);
  const Message got = proxy.forwarded();
  for (const char* name : {"X-Original-URL", "X-Rewrite-URL", "X-Forwarded-Port", "X-Forwarded-Prefix",
                           "True-Client-IP", "CF-Connecting-IP", "Proxy", "X_Original_URL", "True_Client_IP"})
    EXPECT_FALSE(got.has(name)) << name;
}

TEST(ProxyFields, OfATrustedHopPass) {
  Proxy proxy(R"({"identity": {"trusted_proxies": ["127.0.0.1/32"]}})"_json);
  ASSERT_EQ(proxy.client("127.0.0.1").get("/", kSaid).status(), 200);
  EXPECT_EQ(proxy.forwarded().all("X-Original-URL"), "/admin");
  EXPECT_EQ(proxy.forwarded().all("True-Client-IP"), "10.0.0.1");
}

TEST(ProxyFields, StandInNoTrailer) {
  Proxy proxy;
  const std::string body =
      "1\r\nx\r\n0\r\nX-Sum: 1\r\nX-Original-URL: /admin\r\nX_Forwarded_Port: 1\r\nProxy: x\r\n\r\n";
  ASSERT_EQ(proxy.client().ask(request("POST", "/", "Transfer-Encoding: chunked\r\n", body)).status(), 200);
  ASSERT_TRUE(proxy.upstream.wait_for_requests(1));
  EXPECT_EQ(proxy.forwarded().trailer("X-Sum"), "1");
  EXPECT_EQ(proxy.forwarded().trailers.size(), 1U);
}

TEST(ProxyFields, AreThoseThatTheFileNames) {
  Proxy proxy(R"({"identity": {"proxy_fields": ["X-Edge-*"]}})"_json);
  ASSERT_EQ(proxy.client().get("/", "X-Edge-City: a\r\nTrue-Client-IP: 10.0.0.1\r\n").status(), 200);
  EXPECT_FALSE(proxy.forwarded().has("X-Edge-City"));
  EXPECT_EQ(proxy.forwarded().all("True-Client-IP"), "10.0.0.1");
}

TEST(Twins, OfAKeysFieldAreNoKey) {
  Proxy proxy(
      R"({"identity": {"api_key": {"keys": {"acme": {"key": "0123456789abcdef0123456789abcdef"}}, "pass_on": true}},
                  "routes": [{"path": "/open", "to": "app"}, {"path": "/*", "to": "app", "require": "api_key"}]})"_json);
  const std::string key = ": 0123456789abcdef0123456789abcdef\r\n";
  EXPECT_EQ(proxy.client().get("/", "X-API-Key" + key).status(), 200);
  EXPECT_EQ(proxy.forwarded().count("X-API-Key"), 1U);
  EXPECT_EQ(proxy.client().get("/", "X_API_Key" + key).status(), 401);
  EXPECT_EQ(proxy.client().get("/", "X-API-Key" + key + "X_API_Key" + key).status(), 400);
  EXPECT_EQ(proxy.client().get("/open", "X_API_Key" + key).status(), 200);
  EXPECT_FALSE(proxy.forwarded().has("X_API_Key")) << "a server would take it for one that was looked at";
}

TEST(Twins, OfACountedFieldAreRefusedBesideItAndElseKeptBack) {
  Proxy proxy(R"({"limits": {"x": {"rate": "1/day", "per": "header:X-Tenant", "if_absent": "skip"}},
                  "all_routes": {"limits": ["x"]}})"_json);
  EXPECT_EQ(proxy.client().get("/", "X-Tenant: a\r\n").status(), 200);
  EXPECT_EQ(proxy.client().get("/", "X-Tenant: a\r\n").status(), 429);
  EXPECT_EQ(proxy.client().get("/", "X-Tenant: b\r\nX_Tenant: a\r\n").status(), 400);
  EXPECT_EQ(proxy.client().get("/", "X_Tenant: a\r\n").status(), 200);
  EXPECT_FALSE(proxy.forwarded().has("X_Tenant"));
}

TEST(Via, CanBeTurnedOff) {
  Proxy proxy(R"({"via": false})"_json);
  EXPECT_FALSE(proxy.client().get().has("Via"));
  EXPECT_FALSE(proxy.forwarded().has("Via"));
}

TEST(Via, NamesTheInstance) {
  Proxy proxy(R"({"instance": "edge-1"})"_json);
  EXPECT_EQ(proxy.client().get().all("Via"), "1.1 edge-1");
  EXPECT_EQ(proxy.forwarded().all("Via"), "1.1 edge-1");
}

TEST(Date, IsWrittenWhereTheServerWroteNone) {
  Proxy proxy;
  EXPECT_EQ(proxy.client().get().count("Date"), 1U);
  EXPECT_EQ(proxy.client().get("/", "X-Test-Field: Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n").all("Date"),
            "Sun, 06 Nov 1994 08:49:37 GMT");
}

TEST(LimitNumbers, OfTheServerEndHereWhereOursAreTold) {
  Proxy proxy(R"({"limits": {"x": {"rate": "5/day", "per": "total"}},
                  "routes": [{"path": "/free", "to": "app"}, {"path": "/*", "to": "app", "limits": ["x"]}]})"_json);
  std::string fields;
  for (const char* name : {"RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", "X-Rate-Limit-Limit",
                           "X-Rate-Limit-Remaining", "x-rate-limit-reset", "X-RateLimit-Limit"})
    fields += "X-Test-Field: " + std::string(name) + ": 77\r\n";
  const Message counted = proxy.client().get("/", fields);
  for (const auto& field : counted.fields) EXPECT_NE(field.value, "77") << field.name;
  EXPECT_EQ(counted.value("X-RateLimit-Limit"), "5");
  EXPECT_EQ(proxy.client().get("/free", fields).value("RateLimit-Limit"), "77") << "where none of ours is told";
}

}  // namespace
}  // namespace headgate::test
