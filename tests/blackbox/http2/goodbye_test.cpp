// How connections of HTTP/2 end without losing a request: at a reload, at an upgrade, and when they are old. And how
// they begin behind a PROXY header.

#include "blackbox/harness/h2_client.hpp"
#include "blackbox/harness/upgraded.hpp"
#include "support/redis_cli.hpp"

#include <gtest/gtest.h>

namespace headgate::test {
namespace {

constexpr std::uint32_t kNoticed = 0x7fffffff;

Json http2_listener() { return {{"address", "127.0.0.1:0"}, {"http2", true}}; }

/// A stream is under way (1), the connection is to end: a late stream (3) is still answered, the last one is named, and
/// the first is answered in the end.
void expect_goodbye(H2Client& client, FakeUpstream& server) {
  ASSERT_TRUE(client.next(h2_goaway));
  EXPECT_EQ(client.last_ids.back(), kNoticed) << "first a notice";
  client.send(h2_request(3, h2_get("/late")));
  EXPECT_EQ(client.answer(3).status, 200) << "it was on its way";
  ASSERT_TRUE(client.next(h2_goaway));
  EXPECT_EQ(client.last_ids.back(), 3U) << "then the last one";
  server.release();
  EXPECT_EQ(client.answer(1).status, 200);
  EXPECT_TRUE(client.closes());
  EXPECT_EQ(*client.goaway, 0U) << "NO_ERROR";
}

TEST(Http2Goodbye, OfAListenerThatAReloadRemovesLosesNoRequest) {
  Reloaded gateway(Json{{"listen", Json::array({"127.0.0.1:0", http2_listener()})}});
  H2Client client(gateway.gateway().port(1));
  client.send(h2_request(1, h2_get("/", {{"x-test-hold", "1"}})));
  ASSERT_TRUE(gateway.upstream.wait_for_heads(1));
  ASSERT_TRUE(gateway.reload(Json{{"listen", Json::array({"127.0.0.1:0"})}, {"drain", "20s"}}));
  expect_goodbye(client, gateway.upstream);
}

TEST(Http2Goodbye, AtAReloadThatKeepsTheListenerThereIsNone) {
  Json before = {{"listen", http2_listener()}};
  Reloaded gateway(before);
  H2Client client(gateway.gateway().port());
  EXPECT_EQ(client.ask(1, h2_get()).status, 200);
  before["all_routes"]["max_body"] = "1KiB";
  ASSERT_TRUE(gateway.reload(before));
  EXPECT_EQ(client.ask(3, h2_get()).status, 200);
  client.send(h2_request(5, h2_get("/", {{"content-length", "2000"}}, "POST"), false));
  EXPECT_EQ(client.answer(5).status, 413) << "its next request finds the new configuration";
  EXPECT_FALSE(client.goaway);
}

TEST(Http2Goodbye, AtAnUpgradeLosesNoRequest) {
  Upgraded upgraded(Json{{"listen", http2_listener()}, {"drain", "20s"}});
  auto& gateway = upgraded.gateway;
  H2Client client(gateway.gateway().port());
  client.send(h2_request(1, h2_get("/", {{"x-test-hold", "1"}})));
  ASSERT_TRUE(gateway.upstream.wait_for_heads(1));
  ASSERT_TRUE(upgraded.upgrade());
  // A connection may still come to the process before, which is ending.
  ASSERT_TRUE(wait_until([&] {
    H2Client next(gateway.gateway().port());
    return next.ask(1, h2_get()).status == 200 && !next.goaway;
  })) << "by the new process";
  expect_goodbye(client, gateway.upstream);
}

TEST(Http2Goodbye, ComesWithTheTenThousandthStream) {
  Proxy proxy(Json{{"listen", http2_listener()}});
  H2Client client(proxy.gateway.port());
  const auto head = h2_block(h2_get("/%2f", {}, "HEAD"));  // refused without a server, and no window is needed
  std::uint32_t id = 1;
  while (id < 20'000) {
    std::string all;
    for (const auto end = id + 100; id < end; id += 2) all += h2_frame(h2_headers, kEndHeaders | kEndStream, id, head);
    client.send(all);
    for (auto each = id - 100; each < id; each += 2) ASSERT_EQ(client.answer(each).status, 400);
    client.answers.clear();
    client.frames.clear();
  }
  while (client.last_ids.empty()) ASSERT_TRUE(client.read());
  EXPECT_EQ(client.last_ids.back(), kNoticed);
  EXPECT_EQ(client.ask(id, h2_get("/late")).status, 200) << "it was on its way";
  EXPECT_TRUE(client.closes());
  EXPECT_EQ(client.last_ids.back(), id);
}

TEST(Http2BehindAProxy, BeginsBehindItsHeader) {
  Json listener = http2_listener();
  listener["proxy_protocol"] = true;
  Proxy proxy(Json{{"listen", listener}, {"identity", {{"trusted_proxies", {"127.0.0.1"}}}}});
  const std::string header = "PROXY TCP4 203.0.113.7 192.0.2.1 4711 80\r\n";
  Socket whole = Socket::connect(proxy.gateway.port());
  ASSERT_TRUE(whole.send(header, kPatience));
  H2Client client(std::move(whole));
  EXPECT_EQ(client.ask(1, h2_get()).status, 200);
  EXPECT_EQ(proxy.forwarded().all("X-Forwarded-For"), "203.0.113.7");
  Socket pieces = Socket::connect(proxy.gateway.port());
  ASSERT_TRUE(pieces.send(header + "PRI * HTTP/2.0\r\n\r\nS", kPatience)) << "a part of the preface in the same packet";
  ASSERT_TRUE(pieces.send("M\r\n\r\n" + h2_frame(h2_settings, 0, 0) + h2_frame(h2_ping, 0, 0, "12345678"), kPatience));
  std::string got;
  while (got.find("12345678") == std::string::npos) ASSERT_EQ(pieces.receive(got), Got::bytes);
  RawClient plain = proxy.client();
  EXPECT_EQ(plain.ask(header + request("GET", "/")).status(), 200) << "and HTTP/1.1 too";
}

}  // namespace
}  // namespace headgate::test
