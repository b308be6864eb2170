// What one address, many connections, few descriptors or full buffers can do to the others: nothing.

#include "blackbox/harness/look.hpp"
#include "blackbox/harness/reloaded.hpp"

#include <gtest/gtest.h>

#include <regex>
#include <thread>

namespace headgate::test {
namespace {

/// Whether a client of this address is served, or closed without a byte.
bool served(const Gateway& gateway, const std::string& source, std::vector<RawClient>& kept) {
  auto& client = kept.emplace_back(gateway.client(source));
  return client.send(request("GET", "/")) && client.read().status() == 200;
}

Json bounded(const Json& bounds, const Json& more = Json::object()) {
  Json out = {{"bounds", bounds}, {"admin", {{"listen", "127.0.0.1:0"}}}};
  out.merge_patch(more);
  return out;
}

double refusals_for(const Look& look, const std::string& bound) {
  return look.metrics().value("headgate_connections_refused_total{reason=\"" + bound + "\"}").value_or(-1);
}

TEST(ConnectionsPerAddress, AreBoundedAndOthersAreServed) {
  Proxy proxy(bounded({{"connections_per_address", 2}, {"exempt", {"127.0.0.9"}}}));
  std::vector<RawClient> kept;
  EXPECT_TRUE(served(proxy.gateway, "127.0.0.2", kept));
  EXPECT_TRUE(served(proxy.gateway, "127.0.0.2", kept));
  EXPECT_FALSE(served(proxy.gateway, "127.0.0.2", kept));
  EXPECT_TRUE(served(proxy.gateway, "127.0.0.3", kept));
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(served(proxy.gateway, "127.0.0.9", kept)) << "exempt";
  const Look look(proxy.gateway.process());
  EXPECT_EQ(refusals_for(look, "address"), 1);
  kept.erase(kept.begin());
  std::vector<RawClient> again;
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (!served(proxy.gateway, "127.0.0.2", again) && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(Milliseconds(5));
  EXPECT_EQ(again.back().get().status(), 200) << "one has left";
}

TEST(ConnectionsPerAddress, CountTheClientThatATrustedProxyNames) {
  Proxy proxy(
      bounded({{"connections_per_address", 1}}, {{"identity", {{"trusted_proxies", {"127.0.0.1"}}}},
                                                 {"listen", {{"address", "127.0.0.1:0"}, {"proxy_protocol", true}}}}));
  const auto ask = [&](RawClient& client, const std::string& source) {
    return client.ask("PROXY TCP4 " + source + " 192.0.2.1 4711 80\r\n" + request("GET", "/")).status();
  };
  RawClient one = proxy.client();
  RawClient two = proxy.client();
  RawClient three = proxy.client();
  EXPECT_EQ(ask(one, "203.0.113.1"), 200);
  EXPECT_EQ(ask(two, "203.0.113.2"), 200);
  EXPECT_EQ(ask(three, "203.0.113.1"), -1);
}

TEST(ConnectionRate, LetsSoManyComeAtOnceAndLogsOnce) {
  Proxy proxy(bounded({{"connection_rate", "5/minute"}}, {{"log", {{"format", "json"}}}}));
  std::vector<RawClient> kept;
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(served(proxy.gateway, "127.0.0.2", kept)) << i;
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(served(proxy.gateway, "127.0.0.2", kept));
  EXPECT_TRUE(served(proxy.gateway, "127.0.0.3", kept));
  const Look look(proxy.gateway.process());
  EXPECT_EQ(refusals_for(look, "rate"), 20);
  EXPECT_LT(count_of(proxy.gateway.process().err(), "\"connection_refused\""), 10U);
  EXPECT_TRUE(proxy.gateway.process().says("\"bound\":\"rate\"")) << proxy.gateway.process().err();
}

TEST(Descriptors, ThatComeToAnEndLeaveRoomForThoseWhoAreThere) {
  FakeUpstream upstream;
  Json config = config_for(upstream, {{"log", {{"format", "json"}}}});
  const TemporaryFile file(config.dump());
  Process process({"-c", "ulimit -n 160; exec \"$0\" run -c \"$1\"", HEADGATE_BINARY, file.path()}, {}, "/bin/bash");
  std::uint16_t port = 0;
  ASSERT_TRUE(process.wait_for_err([&](const std::string& text) {
    std::smatch match;
    if (!std::regex_search(text, match, std::regex(R"re(listening on 127\.0\.0\.1:(\d+)")re"))) return false;
    port = static_cast<std::uint16_t>(std::stoul(match[1].str()));
    return true;
  }));
  std::vector<RawClient> here;
  for (int i = 0; i < 10; ++i) {
    here.emplace_back(port);
    ASSERT_TRUE(here.back().send("GET "));
  }
  std::vector<RawClient> flood;
  for (int i = 0; i < 250; ++i) flood.emplace_back(port);
  EXPECT_TRUE(process.wait_for_err([](const std::string& text) { return has(text, "\"accept_paused\""); }));
  for (auto& each : here) ASSERT_TRUE(each.send("/ HTTP/1.1\r\nHost: x\r\n\r\n"));
  for (auto& each : here) EXPECT_EQ(each.read().status(), 200) << "its connection to the server found a descriptor";
  flood.clear();
  EXPECT_EQ(RawClient(port).get().status(), 200) << "once some are free again";
  EXPECT_EQ(count_of(process.err(), "\"accept_paused\""), 1U) << process.err();
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait(), 0);
}

TEST(Buffers, ThatAreFullAreAnswered503UntilTheyAreNot) {
  Proxy proxy(bounded({{"buffered", "1MiB"}}, {{"all_routes", {{"max_body", "64MiB"}}}}));
  std::vector<RawClient> slow;
  for (int i = 0; i < 40; ++i) {
    slow.emplace_back(proxy.client());
    // Each holds a buffer for its head, and a large one for its body once a small one was filled.
    slow.back().send(request("POST", "/", "Content-Length: 100000\r\n", std::string(60'000, 'x')));
  }
  const Look look(proxy.gateway.process());
  EXPECT_TRUE(look.comes_to([](const MetricsText& now) { return now.value("headgate_buffered_bytes") >= 1 << 20; }));
  const Message refused = proxy.client().get();
  expect_problem(refused, 503);
  EXPECT_EQ(refused.value("Retry-After"), "1");
  EXPECT_GE(refusals_for(look, "memory"), 1);
  slow.clear();
  EXPECT_TRUE(look.comes_to([](const MetricsText& now) { return now.value("headgate_buffered_bytes") < 1 << 20; }));
  EXPECT_EQ(proxy.client().get().status(), 200);
}

}  // namespace
}  // namespace headgate::test
