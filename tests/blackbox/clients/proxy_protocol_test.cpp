// The PROXY protocol before the first request: who may send it, and what happens to a connection without it.

#include "blackbox/harness/gateway.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace headgate::test {
namespace {

const std::string kSignature{"\r\n\r\n\0\r\nQUIT\n", 12};
const std::string kVersion1 = "PROXY TCP4 203.0.113.7 192.0.2.1 4711 443\r\n";
/// The same of version 2.
const std::string kVersion2 =
    kSignature + std::string("\x21\x11\x00\x0c\xcb\x00\x71\x07\xc0\x00\x02\x01\x12\x67\x01\xbb", 16);
const std::string kLocal = kSignature + std::string("\x20\x00\x00\x00", 4);

/// A listener that accepts PROXY headers from 127.0.0.1 and 10/8; 127.0.0.2 is not trusted.
Json taking_headers(const Json& more = Json::object()) {
  Json changes = {{"listen", {{"address", "127.0.0.1:0"}, {"proxy_protocol", true}}},
                  {"identity", {{"trusted_proxies", {"127.0.0.1/32", "10.0.0.0/8"}}}}};
  changes.merge_patch(more);
  return changes;
}

/// The client that the upstream was told for the last request.
std::string told(const Proxy& proxy) { return proxy.forwarded().all("X-Forwarded-For"); }

TEST(ProxyProtocol, TellsTheClientOfEveryRequestOnTheConnection) {
  Proxy proxy(taking_headers());
  for (const auto& header : {kVersion1, kVersion2}) {
    RawClient client = proxy.client();
    client.send(header);
    for (int i = 0; i < 3; ++i) {
      ASSERT_EQ(client.get("/").status(), 200);
      EXPECT_EQ(told(proxy), "203.0.113.7");
    }
  }
}

TEST(ProxyProtocol, IsReadTogetherWithTheFirstRequestsToo) {
  Proxy proxy(taking_headers());
  RawClient client = proxy.client();
  client.send(kVersion2 + request("GET", "/1") + request("GET", "/2"));
  EXPECT_EQ(client.read().status(), 200);
  EXPECT_EQ(client.read().status(), 200);
  EXPECT_EQ(proxy.forwarded().target(), "/2");
  EXPECT_EQ(told(proxy), "203.0.113.7");
}

TEST(ProxyProtocol, IsReadHoweverItsBytesArrive) {
  Proxy proxy(taking_headers());
  for (const auto& header : {kVersion1, kVersion2}) {
    RawClient client = proxy.client();
    client.send_slowly(header + request("GET", "/"), 1, Milliseconds(1));
    EXPECT_EQ(client.read().status(), 200);
    EXPECT_EQ(told(proxy), "203.0.113.7");
  }
}

TEST(ProxyProtocol, LeavesAConnectionThatSpeaksForItselfItsOwnAddress) {
  Proxy proxy(taking_headers());
  for (const auto& header : {kLocal, std::string("PROXY UNKNOWN 203.0.113.7 192.0.2.1 1 2\r\n")}) {
    RawClient client = proxy.client();
    client.send(header);
    ASSERT_EQ(client.get("/").status(), 200);
    EXPECT_EQ(told(proxy), "127.0.0.1");
  }
}

TEST(ProxyProtocol, ThatNamesNoClientLeavesNoFieldToBelieve) {
  Proxy proxy(taking_headers());
  for (const auto& header : {std::string("PROXY UNKNOWN\r\n"), kLocal}) {
    RawClient client = proxy.client();
    client.send(header);
    ASSERT_EQ(client.get("/", "X-Forwarded-For: 9.9.9.9\r\n").status(), 200);
    EXPECT_EQ(told(proxy), "127.0.0.1") << "the client of a hop that speaks no HTTP wrote that itself";
  }
}

TEST(ProxyProtocol, SaysWhoIsCounted) {
  Json changes = taking_headers(
      {{"limits", {{"x", {{"rate", "2/day"}, {"per", "client_ip"}}}}}, {"all_routes", {{"limits", {"x"}}}}});
  Proxy proxy(changes);
  const auto status_for = [&](const std::string& source) {
    RawClient client = proxy.client();
    client.send("PROXY TCP4 " + source + " 192.0.2.1 1 2\r\n");
    return client.get("/").status();
  };
  EXPECT_EQ(status_for("203.0.113.7"), 200);
  EXPECT_EQ(status_for("203.0.113.7"), 200);
  EXPECT_EQ(status_for("203.0.113.7"), 429);
  EXPECT_EQ(status_for("203.0.113.8"), 200) << "the hop's other clients are not in its way";
}

TEST(ProxyProtocol, DoesNotMakeTheClientsFieldsTrusted) {
  Proxy proxy(taking_headers());
  RawClient client = proxy.client();
  client.send(kVersion1);
  ASSERT_EQ(client.get("/", "X-Forwarded-For: 6.6.6.6\r\n").status(), 200);
  EXPECT_EQ(told(proxy), "203.0.113.7");
}

TEST(ProxyProtocol, BelievesTheFieldsOfATrustedHopBehindAnother) {
  Proxy proxy(taking_headers());
  RawClient client = proxy.client();
  client.send("PROXY TCP4 10.0.0.5 192.0.2.1 1 2\r\n");
  ASSERT_EQ(client.get("/", "X-Forwarded-For: 203.0.113.9\r\n").status(), 200);
  EXPECT_EQ(told(proxy), "203.0.113.9, 10.0.0.5");
}

TEST(ProxyProtocol, IsRefusedFromUntrustedPeers) {
  Proxy proxy(taking_headers());
  RawClient plain = proxy.client("127.0.0.2");
  ASSERT_EQ(plain.get("/").status(), 200);
  EXPECT_EQ(told(proxy), "127.0.0.2");
  for (const auto& header : {kVersion1, kVersion2}) {
    RawClient liar = proxy.client("127.0.0.2");
    expect_problem(liar.ask(header + request("GET", "/")), 400);
    EXPECT_TRUE(liar.closes());
  }
  EXPECT_EQ(proxy.upstream.request_count(), 1U);
}

TEST(ProxyProtocol, IsNotReadWhereTheListenerDoesNotSaySo) {
  Proxy proxy(Json{{"identity", {{"trusted_proxies", {"127.0.0.1/32"}}}}});
  RawClient client = proxy.client();
  expect_problem(client.ask(kVersion1 + request("GET", "/")), 400);
}

TEST(ProxyProtocol, IsReadOnce) {
  Proxy proxy(taking_headers());
  RawClient client = proxy.client();
  expect_problem(client.ask(kVersion1 + kVersion1 + request("GET", "/")), 400);
  EXPECT_EQ(proxy.upstream.request_count(), 0U);
}

class WrongOpening : public testing::TestWithParam<std::string> {};

TEST_P(WrongOpening, OfATrustedHopClosesItsConnectionWithoutAnAnswer) {
  Proxy proxy(taking_headers());
  RawClient client = proxy.client();
  client.send(GetParam() + request("GET", "/"));
  EXPECT_TRUE(client.closes());
  EXPECT_EQ(proxy.upstream.request_count(), 0U);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, WrongOpening,
    testing::Values("", "PROXY TCP4 203.0.113.7 192.0.2.1 04711 443\r\n",
                    "PROXY TCP6 203.0.113.7 192.0.2.1 4711 443\r\n", "PROXY TCP4 203.0.113.7 192.0.2.1 4711 443\n",
                    "proxy TCP4 203.0.113.7 192.0.2.1 4711 443\r\n", kSignature + std::string("\x31\x11\x00\x00", 4),
                    kSignature + std::string("\x21\x11\x00\x00", 4), kSignature + std::string("\x21\x11\xff\xff", 4)));

TEST(ProxyProtocol, IsNotWaitedForLongerThanAHead) {
  Proxy proxy(taking_headers({{"timeouts", {{"head", "300ms"}, {"idle", "1m"}}}}));
  RawClient silent = proxy.client();
  RawClient halfway = proxy.client();
  halfway.send(kVersion2.substr(0, 20));
  EXPECT_TRUE(silent.closes());
  EXPECT_TRUE(halfway.closes());

  RawClient patient = proxy.client();
  patient.send(kVersion2);
  EXPECT_TRUE(patient.stays_silent(Milliseconds(600))) << "behind it a connection may rest";
  EXPECT_EQ(patient.get("/").status(), 200);
}

TEST(ProxyProtocol, DoesNotHoldUpADrain) {
  Proxy proxy(taking_headers({{"drain", "1m"}}));
  RawClient silent = proxy.client();
  RawClient rested = proxy.client();
  rested.send(kVersion1);
  ASSERT_EQ(rested.get("/").status(), 200);
  EXPECT_EQ(proxy.gateway.terminate(), 0);
}

TEST(ProxyProtocol, HalfwayHoldsUpADrainNoLongerThanAHead) {
  Proxy proxy(taking_headers({{"drain", "1m"}, {"timeouts", {{"head", "500ms"}}}}));
  RawClient halfway = proxy.client();
  halfway.send(kVersion1.substr(0, 10));
  EXPECT_EQ(proxy.gateway.terminate(), 0);
}

TEST(ProxyProtocol, MayStillComeWithARequestWhenADrainBegins) {
  Proxy proxy(taking_headers({{"drain", "1m"}}));
  RawClient client = proxy.client();
  proxy.gateway.process().signal(SIGTERM);
  client.send(kVersion1);
  EXPECT_EQ(client.get("/").status(), 200);
  EXPECT_EQ(told(proxy), "203.0.113.7");
  EXPECT_EQ(proxy.gateway.process().wait(), 0);
}

TEST(ProxyProtocol, ConnectionsCountAgainstTheirBoundWhileTheyOweAHeader) {
  Proxy proxy(taking_headers({{"bounds", {{"connections", 1}}}}));
  RawClient first = proxy.client();
  ASSERT_TRUE(first.stays_silent(Milliseconds(50)));
  RawClient second = proxy.client();
  second.send(kVersion1 + request("GET", "/"));
  EXPECT_EQ(second.read().status(), 200);
  EXPECT_TRUE(first.closes()) << "it waits longest, and makes room";
}

/// PP2_TYPE_SSL: TLS and a certificate on this connection, with that result of its verification.
std::string certificate(char verified) {
  const std::string ssl = std::string("\x20\x00\x05\x03\x00\x00\x00", 7) + verified;
  return kSignature + std::string("\x21\x11\x00\x14\xcb\x00\x71\x07\xc0\x00\x02\x01\x12\x67\x01\xbb", 16) + ssl;
}

TEST(ProxyProtocol, TellsOfAVerifiedCertificate) {
  Proxy proxy(taking_headers({{"routes", Json::array({{{"path", "/*"}, {"to", "app"}, {"require", "mtls"}}})}}));
  const auto status_behind = [&](const std::string& header, const std::string& source = "") {
    RawClient client = proxy.client(source);
    client.send(header);
    return client.get("/").status();
  };
  EXPECT_EQ(status_behind(certificate('\0')), 200);
  EXPECT_NE(status_behind(certificate('\1')), 200);
  EXPECT_NE(status_behind(kVersion2), 200);
  EXPECT_NE(status_behind("", "127.0.0.2"), 200);
  EXPECT_EQ(proxy.upstream.request_count(), 1U);
}

}  // namespace
}  // namespace headgate::test
