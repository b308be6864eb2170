// Fields about a connection are not forwarded; fields about the client are written by the gateway.

#include "blackbox/harness/gateway.hpp"

#include <gtest/gtest.h>

#include <set>

namespace headgate::test {
namespace {

constexpr const char* kTrusting = R"({"identity": {"trusted_proxies": ["127.0.0.1/32", "10.0.0.0/8"]}})";

TEST(HopByHop, FieldsOfTheClientsConnectionEndHere) {
  Proxy proxy;
  const Message answer = proxy.client().get("/",
                                            "Connection: X-Gone, keep-alive ,,x-also\r\nConnection: X-Third\r\n"
                                            "X-Gone: 1\r\nX-Also: 2\r\nX-Third: 3\r\nKeep-Alive: timeout=5\r\n"
                                            "Proxy-Connection: keep-alive\r\nTE: trailers, deflate\r\n"
                                            "Upgrade: nothing\r\nX-Stays: 4\r\n");
  ASSERT_EQ(answer.status(), 200) << visible(answer.head + answer.body);
  const Message got = proxy.forwarded();
  for (const char* gone : {"X-Gone", "X-Also", "X-Third", "Keep-Alive", "Proxy-Connection", "Upgrade"}) {
    EXPECT_FALSE(got.has(gone)) << gone << " in " << visible(got.head);
  }
  EXPECT_EQ(got.all("TE").find("deflate"), std::string::npos) << visible(got.head);
  EXPECT_EQ(got.all("Connection").find("X-"), std::string::npos) << visible(got.head);
  EXPECT_EQ(got.value("X-Stays"), "4");
}

TEST(HopByHop, FieldsOfTheServersConnectionEndHere) {
  Proxy proxy;
  const Message answer = proxy.client().get(
      "/",
      "X-Test-Connection: X-Gone\r\nX-Test-Field: X-Gone: 1\r\nX-Test-Field: Keep-Alive: timeout=5\r\n"
      "X-Test-Field: Proxy-Authenticate: Basic realm=x\r\nX-Test-Field: Proxy-Connection: close\r\n"
      "X-Test-Field: Upgrade: h2c\r\nX-Test-Field: X-Stays: 2\r\n");
  ASSERT_EQ(answer.status(), 200) << visible(answer.head);
  for (const char* gone : {"X-Gone", "Keep-Alive", "Proxy-Authenticate", "Proxy-Connection", "Upgrade"}) {
    EXPECT_FALSE(answer.has(gone)) << gone << " in " << visible(answer.head);
  }
  EXPECT_EQ(answer.value("X-Stays"), "2");
}

TEST(HopByHop, AClientCannotNameOurFieldsAway) {
  Proxy proxy;
  RawClient client = proxy.client();
  const Message answer = client.ask(
      request_with_body("POST", "/", "hello",
                        "Connection: host, content-length, x-forwarded-for, x-forwarded-proto, x-forwarded-host, "
                        "x-request-id, via\r\n"));
  if (answer.status() == 400) {
    EXPECT_TRUE(client.closes());
    EXPECT_EQ(proxy.upstream.request_count(), 0U);
    return;
  }
  ASSERT_EQ(answer.status(), 200) << visible(answer.head + answer.body);
  const Message got = proxy.forwarded();
  EXPECT_EQ(got.body, "hello") << visible(got.head);
  for (const char* ours : {"Host", "X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "X-Request-Id", "Via"}) {
    EXPECT_EQ(got.count(ours), 1U) << ours << " in " << visible(got.head);
  }
}

TEST(ForwardedFor, IsTheCallersAddressWhateverItClaims) {
  Proxy proxy;
  const Message answer = proxy.client("127.0.0.2")
                             .get("/",
                                  "X-Forwarded-For: 1.2.3.4\r\nx-forwarded-for: 5.6.7.8\r\n"
                                  "X-Forwarded-Proto: https\r\nX-Forwarded-Host: evil.example\r\n");
  ASSERT_EQ(answer.status(), 200) << visible(answer.head + answer.body);
  EXPECT_EQ(proxy.forwarded().all("X-Forwarded-For"), "127.0.0.2");
  EXPECT_EQ(proxy.forwarded().all("X-Forwarded-Proto"), "http");
  EXPECT_EQ(proxy.forwarded().all("X-Forwarded-Host"), "test.example");
}

TEST(ForwardedFor, OfATrustedProxyIsExtended) {
  Proxy proxy(Json::parse(kTrusting));
  const Message answer = proxy.client("127.0.0.1")
                             .get("/",
                                  "X-Forwarded-For: 1.2.3.4\r\nX-Forwarded-For: 10.0.0.9\r\n"
                                  "X-Forwarded-Proto: https\r\nX-Forwarded-Host: shop.example\r\n");
  ASSERT_EQ(answer.status(), 200) << visible(answer.head + answer.body);
  EXPECT_EQ(proxy.forwarded().all("X-Forwarded-For"), "1.2.3.4, 10.0.0.9, 127.0.0.1");
  EXPECT_EQ(proxy.forwarded().all("X-Forwarded-Proto"), "https");
  EXPECT_EQ(proxy.forwarded().all("X-Forwarded-Host"), "shop.example");
}

TEST(ForwardedFor, OfAnUntrustedCallerIsDroppedEvenWhereOthersAreTrusted) {
  Proxy proxy(Json::parse(kTrusting));
  ASSERT_EQ(proxy.client("127.0.0.2").get("/", "X-Forwarded-For: 10.0.0.9\r\n").status(), 200);
  EXPECT_EQ(proxy.forwarded().all("X-Forwarded-For"), "127.0.0.2");
}

TEST(RequestId, IsKeptIfItIsValidAndSentToBothSides) {
  Proxy proxy;
  RawClient client = proxy.client();
  for (const std::string id : {"abc", "01JD5K7M2Q8X", "4bf92f35-77b3-4da6_a3.ce"}) {
    const Message answer = client.get("/", "X-Request-Id: " + id + "\r\n");
    EXPECT_EQ(answer.all("X-Request-Id"), id);
    EXPECT_EQ(proxy.forwarded().all("X-Request-Id"), id);
  }
}

TEST(RequestId, IsMadeIfThereIsNoneOrAnInvalidOne) {
  Proxy proxy;
  RawClient client = proxy.client();
  std::set<std::string> ids;
  const std::vector<std::string> insane = {"",
                                           "X-Request-Id: \r\n",
                                           "X-Request-Id: a b\r\n",
                                           "X-Request-Id: a\"b\r\n",
                                           "X-Request-Id: {}<script>\r\n",
                                           "X-Request-Id: \xc3\xa9\r\n",
                                           "X-Request-Id: one\r\nX-Request-Id: two\r\n",
                                           "X-Request-Id: " + std::string(1000, 'a') + "\r\n"};
  for (const auto& fields : insane) {
    const Message answer = client.get("/", fields);
    ASSERT_EQ(answer.status(), 200) << visible(answer.head + answer.body);
    const std::string id = answer.all("X-Request-Id");
    EXPECT_EQ(answer.count("X-Request-Id"), 1U) << fields;
    EXPECT_GE(id.size(), 3U) << fields;
    EXPECT_LE(id.size(), 64U) << fields;
    EXPECT_EQ(proxy.forwarded().all("X-Request-Id"), id);
    ids.insert(id);
  }
  EXPECT_EQ(ids.size(), insane.size()) << "each request has an id of its own";
}

TEST(RequestId, OfTheServersAnswerIsOurs) {
  Proxy proxy;
  const Message answer = proxy.client().get("/", "X-Request-Id: mine\r\nX-Test-Field: X-Request-Id: theirs\r\n");
  EXPECT_EQ(answer.all("X-Request-Id"), "mine");
}

TEST(Host, ReachesTheServerOnceWithXForwardedHost) {
  Proxy proxy;
  RawClient client = proxy.client();
  for (const char* host : {"test.example", "Test.Example:8080", "[::1]:80", "127.0.0.1", "a_b.example"}) {
    const Message answer = client.ask("GET / HTTP/1.1\r\nHost: " + std::string(host) + "\r\n\r\n");
    ASSERT_EQ(answer.status(), 200) << host << visible(answer.head + answer.body);
    EXPECT_EQ(proxy.forwarded().count("Host"), 1U);
    EXPECT_EQ(proxy.forwarded().all("X-Forwarded-Host"), host);
  }
}

}  // namespace
}  // namespace headgate::test
