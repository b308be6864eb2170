// TLS to clients: who gets which certificate, what is refused, and what the server is told.

#include "blackbox/harness/look.hpp"

#include <gtest/gtest.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>

namespace headgate::test {
namespace {

Json pair(const std::string& name, const std::string& key) {
  return {{"certificate", tls_file(name)}, {"key", tls_file(key)}};
}

Json secure(Json tls = pair("good.pem", "good.key")) {
  return {{"listen", {{"address", "127.0.0.1:0"}, {"tls", std::move(tls)}}}};
}

Json with_changes(Json one, const Json& other) {
  one.merge_patch(other);
  return one;
}

/// A connection without TLS yet.
RawClient bare(const Gateway& gateway, std::size_t listener = 0, const std::string& source = "") {
  return RawClient(gateway.port(listener), source);
}

TEST(Tls, TellsTheServerThatTheClientUsesIt) {
  Proxy proxy(
      with_changes(secure(), {{"identity", {{"address_from", "Forwarded"}, {"trusted_proxies", {"10.0.0.0/8"}}}}}));
  auto client = proxy.client();
  ASSERT_NE(client.socket().tls(), nullptr);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(client.get("/a").status(), 200) << client.socket().tls()->why();
  const auto told = proxy.forwarded();
  EXPECT_EQ(told.all("X-Forwarded-Proto"), "https");
  EXPECT_NE(told.all("Forwarded").find("proto=https"), std::string::npos) << told.head;
  EXPECT_EQ(client.socket().tls()->version(), "TLSv1.3");
}

TEST(Tls, MakesCookiesOfAWaitingRoomSecure) {
  const Json room = {{"rate", "1/h"}, {"secret", "0123456789abcdef0123456789abcdef"}};
  const Proxy proxy(
      with_changes(secure(), {{"waiting_rooms", {{"sale", room}}},
                              {"routes", Json::array({{{"path", "/*"}, {"to", "app"}, {"waiting_room", "sale"}}})}}));
  const auto answer = proxy.client().get("/", "Accept: text/html\r\nSec-Fetch-Mode: navigate\r\n");
  EXPECT_TRUE(has(answer.all("Set-Cookie"), "; Secure")) << answer.head;
}

TEST(Tls, GivesEachNameItsCertificate) {
  Proxy proxy(secure({pair("good.pem", "good.key"), pair("rsa.pem", "rsa.key"), pair("other.pem", "good.key")}));
  const auto server_for = [&](const std::string& name) {
    auto client = bare(proxy.gateway);
    if (!client.socket().secure({.name = name})) return client.socket().tls()->why();
    EXPECT_EQ(client.get("/").status(), 200);
    return client.socket().tls()->server();
  };
  EXPECT_EQ(server_for("A.example"), "good");
  EXPECT_EQ(server_for("one.wild.example"), "good");
  EXPECT_EQ(server_for("rsa.example"), "rsa");
  EXPECT_EQ(server_for("b.example."), "other");
  EXPECT_EQ(server_for("two.labels.wild.example"), "good") << "the first";
  EXPECT_EQ(server_for(""), "good");
}

TEST(Tls, SaysInClearThatItIsNeeded) {
  const Proxy proxy(secure());
  for (const std::string& first : {request("GET", "/"), std::string("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")}) {
    auto client = bare(proxy.gateway);
    const auto answer = client.ask(first);
    EXPECT_EQ(answer.status(), 400);
    EXPECT_EQ(answer.value("Content-Type"), "text/plain; charset=utf-8");
    EXPECT_NE(answer.body.find("https://"), std::string::npos) << answer.body;
    EXPECT_TRUE(client.closes());
  }
  EXPECT_EQ(proxy.upstream.request_count(), 0U);
}

TEST(Tls, WaitsNoLongerForWhoSendsARecordByteByByte) {
  const Proxy proxy(with_changes(secure(), {{"timeouts", {{"idle", "1s"}, {"head", "1s"}}}}));
  const auto ended_in_time = [&](const std::string& before) {
    auto client = proxy.client();
    EXPECT_TRUE(client.socket().send(before));
    const int fd = client.socket().fd();
    const std::string start("\x17\x03\x03\x40\x00", 5);  // of a record of 16 KB
    for (int i = 0; i < 100; ++i) {
      pollfd ready{fd, POLLRDHUP, 0};
      if (::poll(&ready, 1, 50) == 1) return true;
      const char byte = i < 5 ? start[static_cast<std::size_t>(i)] : 'x';
      if (::send(fd, &byte, 1, MSG_NOSIGNAL) != 1) return true;
    }
    return false;
  };
  EXPECT_TRUE(ended_in_time("")) << "idle";
  EXPECT_TRUE(ended_in_time("GET / HT")) << "in a head";
  EXPECT_TRUE(ended_in_time(request("GET", "/"))) << "idle again";
}

TEST(Tls, RefusesOldVersionsWithAnAlert) {
  const Proxy proxy(secure());
  for (const int old : {TLS1_VERSION, TLS1_1_VERSION}) {
    auto client = bare(proxy.gateway);
    EXPECT_FALSE(client.socket().secure({.version = old}));
    EXPECT_EQ(client.socket().tls()->why(), "tlsv1 alert protocol version");
  }
  for (const int spoken : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    auto client = bare(proxy.gateway);
    EXPECT_TRUE(client.socket().secure({.version = spoken}));
    EXPECT_EQ(client.get("/").status(), 200);
  }
}

TEST(Tls, RefusesAProtocolThatItDoesNotSpeak) {
  const Proxy proxy(secure());
  auto client = bare(proxy.gateway);
  EXPECT_FALSE(client.socket().secure({.protocols = "\x02h3"}));
  EXPECT_EQ(client.socket().tls()->why(), "tlsv1 alert no application protocol");
  auto other = bare(proxy.gateway);
  EXPECT_TRUE(other.socket().secure({.protocols = "\x02h3\x08http/1.1"}));
  EXPECT_EQ(other.get("/").status(), 200);
}

TEST(Tls, SurvivesWhatIsNoTls) {
  const Proxy proxy(secure());
  for (const std::string& bytes : {std::string("\x16\x03\x01\x00\x05hello", 10), std::string(5000, '\x16'),
                                   std::string("\x80\x2e\x01", 3), std::string("\0\0\0\0", 4)}) {
    auto client = bare(proxy.gateway);
    client.send(bytes);
    client.socket().finish_sending();
    client.read_to_end();
  }
  EXPECT_EQ(proxy.client().get("/").status(), 200);
}

TEST(Tls, ComesBehindThePROXYHeaderOfATrustedPeer) {
  auto config = secure();
  config["listen"]["proxy_protocol"] = true;
  config["identity"] = {{"trusted_proxies", {"127.0.0.1/32"}}};
  Proxy proxy(config);
  auto client = bare(proxy.gateway);
  ASSERT_TRUE(client.send("PROXY TCP4 203.0.113.7 127.0.0.1 4000 443\r\n"));
  ASSERT_TRUE(client.socket().secure()) << client.socket().tls()->why();
  ASSERT_EQ(client.get("/").status(), 200);
  EXPECT_EQ(proxy.forwarded().all("X-Forwarded-For"), "203.0.113.7");
  EXPECT_EQ(proxy.forwarded().all("X-Forwarded-Proto"), "https");
  auto stranger = bare(proxy.gateway, 0, "127.0.0.2");
  stranger.send("PROXY TCP4 203.0.113.7 127.0.0.1 4000 443\r\n");
  EXPECT_FALSE(stranger.socket().secure()) << "its bytes are no header";
}

TEST(Tls, EndsAHandshakeThatDoesNotEnd) {
  const Proxy proxy(with_changes(secure(), {{"timeouts", {{"handshake", "300ms"}}}}));
  auto silent = bare(proxy.gateway);
  auto halting = bare(proxy.gateway);
  halting.send(std::string("\x16\x03\x01\x02\x00\x01\x00", 7));
  EXPECT_TRUE(silent.closes());
  EXPECT_TRUE(halting.closes());
}

TEST(Tls, GivesOneAddressOnlyItsShareOfHandshakes) {
  const Proxy proxy(with_changes(
      secure(), {{"bounds", {{"handshakes", 3}, {"handshakes_per_address", 2}}}, {"timeouts", {{"handshake", "5s"}}}}));
  const std::string half("\x16\x03\x01\x02\x00\x01\x00", 7);
  std::vector<RawClient> all;
  for (int i = 0; i < 2; ++i) {
    all.push_back(bare(proxy.gateway));
    ASSERT_TRUE(all.back().send(half));
    EXPECT_TRUE(all.back().stays_silent(Milliseconds(50)));
  }
  auto third = bare(proxy.gateway);
  third.send(half);
  EXPECT_TRUE(third.closes(Milliseconds(4000))) << "it has its two";
  auto other = bare(proxy.gateway, 0, "127.0.0.2");
  ASSERT_TRUE(other.socket().secure()) << "another address has its own";
  EXPECT_EQ(other.get("/").status(), 200);
  all.clear();
  EXPECT_EQ(proxy.client().get("/").status(), 200) << "the places are free again";
}

TEST(Tls, KeepsNoPlaceForHandshakesThatDoNothingWhileOthersWait) {
  const Proxy proxy(with_changes(secure(), {{"workers", 1}, {"bounds", {{"handshakes", 3}}}}));
  std::vector<RawClient> idle;
  for (int i = 0; i < 3; ++i) {
    idle.push_back(bare(proxy.gateway));
    ASSERT_TRUE(idle.back().send("\x16"));
  }
  ASSERT_TRUE(idle.back().stays_silent(Milliseconds(50)));
  for (int i = 0; i < 2; ++i) {
    auto client = bare(proxy.gateway);
    ASSERT_TRUE(client.socket().secure({}, Milliseconds(4000))) << "it need not wait for ten seconds";
    EXPECT_EQ(client.get("/").status(), 200);
  }
  EXPECT_TRUE(idle.front().closes(Milliseconds(4000))) << "the oldest had to leave";
}

TEST(Tls, LetsFurtherHandshakesWait) {
  const Proxy proxy(with_changes(secure(), {{"bounds", {{"handshakes", 1}}}, {"timeouts", {{"handshake", "2s"}}}}));
  auto first = bare(proxy.gateway);
  ASSERT_TRUE(first.send(std::string("\x16\x03\x01\x02\x00\x01\x00", 7)));
  ASSERT_TRUE(first.stays_silent(Milliseconds(50)));
  auto second = bare(proxy.gateway);
  EXPECT_FALSE(second.socket().secure({}, Milliseconds(200))) << "the only place is taken";
  first.socket().close();
  auto third = bare(proxy.gateway);
  EXPECT_TRUE(third.socket().secure());
}

TEST(Tls, CountsHandshakesAndLogsTheVersion) {
  Json config = with_changes(secure(), {{"log", {{"format", "json"}}}});
  config["admin"] = {{"listen", "127.0.0.1:0"}};
  Proxy proxy(config);
  const Look look(proxy.gateway.process());
  auto client = proxy.client();
  ASSERT_EQ(client.get("/").status(), 200);
  auto again = bare(proxy.gateway);
  ASSERT_TRUE(again.socket().secure({.session = client.socket().tls()->session()}));
  EXPECT_TRUE(again.socket().tls()->resumed());
  auto old = bare(proxy.gateway);
  EXPECT_FALSE(old.socket().secure({.version = TLS1_1_VERSION}));
  EXPECT_TRUE(look.comes_to([](const MetricsText& metrics) {
    const auto of = [&](const std::string& result, const std::string& version) {
      return metrics.value("headgate_tls_handshakes_total{result=\"" + result + "\",version=\"" + version + "\"}")
          .value_or(0);
    };
    return of("full", "1.3") == 1 && of("resumed", "1.3") == 1 && of("failed", "-") == 1;
  })) << look.text();
  EXPECT_NE(look.text().find("headgate_certificate_expiry_timestamp_seconds{file=\"" + tls_file("good.pem")),
            std::string::npos);
  proxy.gateway.terminate();
  EXPECT_TRUE(has(proxy.gateway.process().out() + proxy.gateway.process().err(), R"("tls":"1.3")"))
      << proxy.gateway.process().out();
}

TEST(Tls, FinishesWhatIsUnderWayWhenItDrains) {
  Proxy proxy(secure());
  auto client = proxy.client();
  client.send(request("GET", "/", "X-Test-Hold: 1\r\n"));
  ASSERT_TRUE(proxy.upstream.wait_for_heads(1));
  auto idle = proxy.client();
  proxy.gateway.process().signal(SIGTERM);
  EXPECT_TRUE(idle.closes());
  proxy.upstream.release();
  EXPECT_EQ(client.read().status(), 200);
  EXPECT_TRUE(client.closes());
  EXPECT_EQ(proxy.gateway.process().wait(), 0);
}

}  // namespace
}  // namespace headgate::test
