// What clients of HTTP/2 do without need, counted by limits, until it suspends them.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/h2_client.hpp"
#include "support/redis_cli.hpp"
#include "support/redis_server.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace headgate::test {
namespace {

Json counting(const Json& more = Json::object()) {
  Json changes = {{"listen", {{"address", "127.0.0.1:0"}, {"http2", true}}},
                  {"limits",
                   {{"protocol",
                     {{"count", "glitches"},
                      {"rate", "20/minute"},
                      {"per", "client_ip"},
                      {"ban", {{"after", 1}, {"within", "1m"}, {"for", "1m"}}}}}}},
                  {"all_routes", {{"limits", {"protocol"}}}}};
  changes.merge_patch(more);
  return changes;
}

void ping(H2Client& client, unsigned times) {
  std::string out;
  for (unsigned i = 0; i < times; ++i) out += h2_frame(h2_ping, 0, 0, "12345678");
  client.send(out);
}

TEST(Http2Glitches, SuspendTheAddressThatDoesMoreThanItsLimitAllows) {
  Proxy proxy(counting());
  H2Client client(proxy.gateway.port());
  for (std::uint32_t i = 0; i < 40; ++i) ASSERT_EQ(client.ask(2 * i + 1, h2_get()).status, 200) << "no request counts";
  ping(client, 16);
  EXPECT_EQ(client.ask(101, h2_get()).status, 200);
  ping(client, 16);
  ASSERT_TRUE(wait_until([&] { return proxy.client().get("/").status() == 429; }));
  EXPECT_EQ(client.ask(103, h2_get()).status, 429) << "over any connection";
  EXPECT_TRUE(proxy.gateway.process().wait_for_err([](const std::string& log) {
    return log.find("suspended: a caller is suspended limit=protocol") != std::string::npos;
  }));
  EXPECT_EQ(proxy.gateway.client("127.0.0.2").get("/").status(), 200) << "and nobody else";
}

TEST(Http2Glitches, AreResetsAndMalformedHeadsToo) {
  for (const bool resets : {true, false}) {
    Proxy proxy(counting());
    std::optional<H2Client> client(std::in_place, proxy.gateway.port());
    for (std::uint32_t i = 0; i < 60; ++i) {
      const auto id = 2 * i + 1;
      if (resets)
        client->send(h2_request(id, h2_get("/", {{"x-test-never", "1"}})) +
                     h2_frame(h2_rst_stream, 0, id, h2_number(8)));
      else
        client->send(h2_request(id, {{":method", "GET"}, {"Upper", "x"}}));
    }
    client->ask(121, h2_get());  // all of them were read
    client.reset();              // what was not counted yet is now
    EXPECT_TRUE(wait_until([&] { return proxy.client().get("/").status() == 429; })) << resets;
  }
}

TEST(Http2Glitches, OfATrustedProxyAreNotItsOwn) {
  Proxy proxy(counting({{"identity", {{"trusted_proxies", {"127.0.0.1"}}}}}));
  H2Client client(proxy.gateway.port());
  ping(client, 60);
  EXPECT_EQ(client.ask(1, h2_get()).status, 200);
  EXPECT_EQ(proxy.client().get("/").status(), 200);
}

TEST(Http2Glitches, AreOnlyWatchedByALimitThatObserves) {
  Proxy proxy(counting({{"limits", {{"protocol", {{"mode", "observe"}}}}}}));
  H2Client client(proxy.gateway.port());
  ping(client, 60);
  EXPECT_TRUE(proxy.gateway.process().wait_for_err(
      [](const std::string& log) { return log.find("would be suspended") != std::string::npos; }));
  EXPECT_EQ(client.ask(1, h2_get()).status, 200);
}

TEST(Http2Glitches, OnOneGatewaySuspendOnAllThatShareTheLimit) {
  if (!RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
  RedisServer redis;
  ASSERT_TRUE(redis.start()) << redis.error();
  const Json changes =
      counting({{"redis", {{"url", "redis://127.0.0.1:" + std::to_string(redis.port())}, {"timeout", "2s"}}}});
  Proxy one(changes), two(changes);
  EXPECT_EQ(two.client().get("/").status(), 200);
  H2Client a(one.gateway.port()), b(two.gateway.port());
  ping(a, 16);
  EXPECT_EQ(a.ask(1, h2_get()).status, 200);
  ping(b, 16);
  EXPECT_TRUE(wait_until([&] { return one.client().get("/").status() == 429; }));
  EXPECT_TRUE(wait_until([&] { return two.client().get("/").status() == 429; }));
}

}  // namespace
}  // namespace headgate::test
