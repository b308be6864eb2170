// Servers that may have only so many requests at the same time, and connections that live only so long.

#include "blackbox/harness/checked_server.hpp"
#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/look.hpp"
#include "blackbox/harness/reloaded.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace headgate::test {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

Json bounded(unsigned most, const Json& more = Json::object()) {
  Json upstream = {{"max_in_flight", most}};
  upstream.merge_patch(more);
  return {{"admin", {{"listen", "127.0.0.1:0"}}}, {"log", {{"format", "json"}}}, {"upstreams", {{"app", upstream}}}};
}

/// As config_for makes it, with the keys of `upstream` in its upstream "app".
Json with_servers(const std::vector<std::string>& servers, Json changes) {
  changes["upstreams"]["app"]["servers"] = servers;
  return changes;
}

/// A proxy whose upstream is an object with its one server.
struct BoundedProxy {
  explicit BoundedProxy(Json changes)
      : gateway(config_for(upstream, with_servers({upstream.url()}, std::move(changes)))) {}
  RawClient client() const { return gateway.client(); }
  /// Requests that the server holds until it is told to release them.
  std::vector<RawClient> hold(std::size_t count) {
    std::vector<RawClient> out;
    for (std::size_t i = 0; i < count; ++i) {
      out.push_back(client());
      out.back().send(request("GET", "/held", "X-Test-Hold: 1\r\n"));
      EXPECT_TRUE(upstream.wait_for_heads(i + 1));
    }
    return out;
  }

  FakeUpstream upstream;
  Gateway gateway;
};

TEST(ServerBounds, SendRequestsToAnotherServerWhenOneIsFull) {
  FakeUpstream one;
  FakeUpstream two;
  Gateway gateway(config_for(one, with_servers({one.url(), two.url()}, bounded(1))));
  RawClient first = gateway.client();
  first.send(request("GET", "/held", "X-Test-Hold: 1\r\n"));
  ASSERT_TRUE(one.wait_for_heads(1));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(gateway.client().get("/free").status(), 200);
  EXPECT_EQ(one.request_count(), 1U);
  EXPECT_EQ(two.request_count(), 4U);
  one.release();
  EXPECT_EQ(first.read().status(), 200);
}

TEST(ServerBounds, RefuseWhatFindsNoPlaceAndNoQueue) {
  BoundedProxy proxy(bounded(2));
  auto held = proxy.hold(2);
  const auto refused = proxy.client().get("/");
  EXPECT_EQ(refused.status(), 503);
  EXPECT_EQ(refused.value("Retry-After"), "1");
  expect_problem(refused, 503);
  EXPECT_EQ(proxy.upstream.request_count(), 2U);
  proxy.upstream.release();
  for (auto& client : held) EXPECT_EQ(client.read().status(), 200);
  EXPECT_EQ(proxy.client().get("/").status(), 200) << "the places came back";
  EXPECT_TRUE(Look(proxy.gateway.process()).comes_to([](const MetricsText& now) {
    return now.value(R"(headgate_shed_total{upstream="app",layer="servers",priority="normal"})") == 1;
  }));
  const auto until = Clock::now() + kPatience;
  while (!has(proxy.gateway.process().out(), R"("reason":"servers")"))
    ASSERT_LT(Clock::now(), until) << proxy.gateway.process().out();
}

TEST(ServerBounds, LetRequestsWaitForAPlaceInTheirOrder) {
  BoundedProxy proxy(bounded(1, {{"queue", {{"length", 10}, {"wait", "5s"}}}}));
  auto held = proxy.hold(1);
  const Look look(proxy.gateway.process());
  std::vector<RawClient> waiting;
  for (int i = 0; i < 4; ++i) {
    waiting.push_back(proxy.client());
    waiting.back().send(request("GET", "/" + std::to_string(i)));
    EXPECT_TRUE(look.comes_to([&](const MetricsText& now) {
      return now.value(R"(headgate_queue_waiting{upstream="app",worker="0"})") == i + 1;
    }));
  }
  EXPECT_EQ(proxy.upstream.request_count(), 1U);
  proxy.upstream.release();
  for (auto& client : waiting) EXPECT_EQ(client.read().status(), 200);
  const auto seen = proxy.upstream.requests();
  ASSERT_EQ(seen.size(), 5U);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(seen[i + 1].message.target(), "/" + std::to_string(i));
  EXPECT_TRUE(Look(proxy.gateway.process()).comes_to([](const MetricsText& now) {
    return now.value(R"(headgate_queue_waiting{upstream="app",worker="0"})") == 0 &&
           now.value(R"(headgate_queue_seconds_count{upstream="app"})") == 4;
  }));
}

TEST(ServerBounds, RefuseWhatWaitsTooLongAndWhatFindsTheQueueFull) {
  BoundedProxy proxy(bounded(1, {{"queue", {{"length", 1}, {"wait", "2s"}}}}));
  auto held = proxy.hold(1);
  const auto since = Clock::now();
  RawClient waits = proxy.client();
  waits.send(request("GET", "/waits"));
  EXPECT_TRUE(Look(proxy.gateway.process()).comes_to([](const MetricsText& now) {
    return now.value(R"(headgate_queue_waiting{upstream="app",worker="0"})") == 1;
  }));
  EXPECT_EQ(proxy.client().get("/full").status(), 503);
  EXPECT_LT(Clock::now() - since, milliseconds(1900)) << "it did not wait";
  EXPECT_EQ(waits.read().status(), 503);
  EXPECT_GE(Clock::now() - since, milliseconds(2000));
  proxy.upstream.release();
}

TEST(ServerBounds, GoOnWhenAClientThatWaitsLeaves) {
  BoundedProxy proxy(bounded(1, {{"queue", {{"length", 1}, {"wait", "5s"}}}}));
  auto held = proxy.hold(1);
  RawClient leaves = proxy.client();
  leaves.send(request("GET", "/leaves"));
  std::this_thread::sleep_for(milliseconds(50));
  leaves.socket().reset();
  std::this_thread::sleep_for(milliseconds(50));
  RawClient stays = proxy.client();
  stays.send(request("GET", "/stays"));
  std::this_thread::sleep_for(milliseconds(50));
  proxy.upstream.release();
  EXPECT_EQ(stays.read().status(), 200) << "the place in the queue was free again";
}

TEST(ServerBounds, AreExactOverAllWorkersAndLoseNoRequest) {
  auto config = bounded(3, {{"queue", {{"length", 100}, {"wait", "8s"}}}});
  config["workers"] = 4;
  CheckedServer server;
  server.takes(milliseconds(5));
  Gateway gateway(config_for(FakeUpstream(), with_servers({server.url()}, config)));
  std::atomic<int> others = 0;
  {
    std::vector<std::jthread> clients;
    for (int i = 0; i < 12; ++i)
      clients.emplace_back([&] {
        for (int n = 0; n < 10; ++n)
          if (gateway.client().get("/").status() != 200) ++others;
      });
  }
  EXPECT_EQ(others, 0);
  EXPECT_EQ(server.requests(), 120U);
  EXPECT_EQ(server.most_at_once(), 3U) << "all places were used, and no more";
}

TEST(ServerBounds, KnowAfterAReloadWhatIsUnderWay) {
  Reloaded proxy(Json::object());
  const auto config = [&](unsigned most) {
    return with_servers({proxy.upstream.url()}, bounded(most, {{"idle_timeout", std::to_string(most) + "s"}}));
  };
  ASSERT_TRUE(proxy.reload(config(1)));
  RawClient held = proxy.client();
  held.send(request("GET", "/held", "X-Test-Hold: 1\r\n"));
  ASSERT_TRUE(proxy.upstream.wait_for_heads(1));
  ASSERT_TRUE(proxy.reload(config(2)));
  RawClient second = proxy.client();
  second.send(request("GET", "/second", "X-Test-Hold: 1\r\n"));
  ASSERT_TRUE(proxy.upstream.wait_for_heads(2)) << "there are two places now";
  EXPECT_EQ(proxy.client().get("/third").status(), 503) << "the request from before the reload counts";
  proxy.upstream.release();
  EXPECT_EQ(held.read().status(), 200);
  EXPECT_EQ(second.read().status(), 200);
}

TEST(ServerBounds, GiveThePlaceOfATunnelBackAtItsEnd) {
  BoundedProxy proxy(bounded(1));
  RawClient tunnel = proxy.client();
  tunnel.send(request("GET", "/", "Connection: Upgrade\r\nUpgrade: x\r\n"));
  EXPECT_EQ(tunnel.read_head().status(), 101);
  EXPECT_EQ(proxy.client().get("/").status(), 503);
  tunnel.socket().reset();
  const auto until = Clock::now() + kPatience;
  while (proxy.client().get("/").status() != 200) ASSERT_LT(Clock::now(), until);
}

TEST(ConnectionLifetime, EndsAConnectionThatIsOldEnough) {
  Json config;
  config["upstreams"]["app"]["connection_lifetime"] = "300ms";
  BoundedProxy proxy(config);
  RawClient client = proxy.client();
  const auto since = Clock::now();
  std::size_t asked = 0;
  while (proxy.upstream.connections() < 2) {
    ASSERT_EQ(client.get("/").status(), 200);
    ++asked;
    std::this_thread::sleep_for(milliseconds(10));
    ASSERT_LT(Clock::now() - since, kPatience);
  }
  EXPECT_GE(Clock::now() - since, milliseconds(265)) << "at most a tenth earlier";
  EXPECT_GT(asked, 5U) << "until then it was used again and again";
}

TEST(ConnectionLifetime, EndsAnIdleConnection) {
  Json config;
  config["upstreams"]["app"]["connection_lifetime"] = "200ms";
  BoundedProxy proxy(config);
  const auto since = Clock::now();
  EXPECT_EQ(proxy.client().get("/").status(), 200);
  ASSERT_TRUE(proxy.upstream.wait_for_closed(1));
  EXPECT_LT(Clock::now() - since, milliseconds(2000)) << "not only after idle_timeout";
}

}  // namespace
}  // namespace headgate::test
