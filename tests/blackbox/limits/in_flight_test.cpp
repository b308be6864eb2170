// Limits of requests at the same time, in memory and shared by gateways through Redis.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/look.hpp"
#include "blackbox/limits/comes.hpp"
#include "contract/redis_client.hpp"
#include "support/redis_server.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <optional>
#include <thread>
#include <vector>

namespace headgate::test {
namespace {

using Clock = std::chrono::steady_clock;

Json calls_at_most(unsigned most) {
  return {{"limits", {{"flights", {{"in_flight", most}, {"per", "client_ip"}}}}},
          {"all_routes", {{"limits", {"flights"}}}}};
}

/// A request that stays at the server until the test releases it, or for ever.
void hold(Proxy& proxy, RawClient& client, const std::string& field = "X-Test-Hold: 1\r\n") {
  const auto before = proxy.upstream.request_count();
  client.send(request("GET", "/", field));
  ASSERT_TRUE(proxy.upstream.wait_for_requests(before + 1));
}

/// Asks again until the answer has this status.
bool soon_answers(const Proxy& proxy, int status, const std::string& fields = "") {
  const auto until = Clock::now() + kPatience;
  while (Clock::now() < until)
    if (proxy.client().get("/", fields).status() == status) return true;
  return false;
}

TEST(InFlight, AreRejectedBeyondTheirNumberAndAllowedWhenOneEnds) {
  Proxy proxy(calls_at_most(1));
  RawClient slow = proxy.client();
  hold(proxy, slow);
  const Message rejected = proxy.client().get();
  EXPECT_EQ(rejected.value("Retry-After"), "1");
  EXPECT_NE(rejected.body.find("The limit of 1 request at the same time is reached. Try again in 1 second."),
            std::string::npos)
      << rejected.body;
  proxy.upstream.release();
  EXPECT_EQ(slow.read().status(), 200);
  EXPECT_TRUE(soon_answers(proxy, 200));
}

TEST(InFlight, AreFreeWhenTheClientIsGone) {
  Proxy proxy(calls_at_most(1));
  RawClient leaver = proxy.client();
  hold(proxy, leaver, "X-Test-Never: 1\r\n");
  EXPECT_EQ(proxy.client().get().status(), 429);
  leaver.socket().reset();
  EXPECT_TRUE(soon_answers(proxy, 200));
}

TEST(InFlight, AreNeverMoreThanTheirNumberAtTheServer) {
  Proxy proxy(calls_at_most(3));
  std::atomic<int> allowed = 0;
  std::atomic<int> rejected = 0;
  std::vector<std::jthread> clients;
  for (int i = 0; i < 8; ++i)
    clients.emplace_back([&] {
      RawClient client = proxy.client();
      for (int n = 0; n < 20; ++n) {
        const auto status = client.get("/", "X-Test-Delay-Ms: 10\r\n").status();
        ++(status == 200 ? allowed : rejected);
        EXPECT_TRUE(status == 200 || status == 429) << status;
      }
    });
  clients.clear();
  EXPECT_GT(allowed, 0);
  EXPECT_GT(rejected, 0);
  EXPECT_TRUE(comes(kPatience, [&] { return proxy.client().get().value("RateLimit") == R"("flights";r=2)"; }))
      << "all came back";
}

std::optional<double> held(const MetricsText& now) {
  return now.value(R"(headgate_limit_in_flight{limit="flights",worker="0"})");
}

TEST(InFlight, AreShownByTheMetricsAlsoOverAReload) {
  Json config = calls_at_most(5);
  config["admin"] = {{"listen", "127.0.0.1:0"}};
  Proxy proxy(config);
  const Look look(proxy.gateway.process());
  EXPECT_EQ(held(look.metrics()), 0) << "there before the first";
  RawClient first = proxy.client();
  hold(proxy, first);
  RawClient second = proxy.client();
  hold(proxy, second);
  EXPECT_EQ(held(look.metrics()), 2);
  proxy.gateway.process().signal(SIGHUP);
  ASSERT_TRUE(look.comes_to(
      [](const MetricsText& now) { return now.value(R"(headgate_config_reloads_total{result="applied"})") == 1; }));
  RawClient third = proxy.client();
  hold(proxy, third);
  EXPECT_EQ(held(look.metrics()), 3);
  proxy.upstream.release();
  EXPECT_EQ(first.read().status(), 200);
  EXPECT_TRUE(look.comes_to([](const MetricsText& now) { return held(now) == 0; }));
}

class InFlightInRedis : public testing::Test {
 protected:
  void SetUp() override {
    if (!RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
    ASSERT_TRUE(redis.start()) << redis.error();
  }
  Json shared(unsigned most) const {
    Json out = calls_at_most(most);
    out["redis"] = {{"url", "redis://127.0.0.1:" + std::to_string(redis.port())}, {"timeout", "2s"}};
    out["admin"] = {{"listen", "127.0.0.1:0"}};
    return out;
  }
  RedisServer redis;
};

TEST_F(InFlightInRedis, AreCountedByAllGatewaysTogether) {
  Proxy one(shared(2));
  Proxy two(shared(2));
  RawClient first = one.client();
  hold(one, first);
  RawClient second = two.client();
  hold(two, second);
  EXPECT_EQ(one.client().get().status(), 429);
  EXPECT_EQ(two.client().get().status(), 429);
  EXPECT_EQ(held(Look(one.gateway.process()).metrics()), 1) << "each gateway shows its own";
  EXPECT_EQ(held(Look(two.gateway.process()).metrics()), 1);
  one.upstream.release();
  EXPECT_EQ(first.read().status(), 200);
  EXPECT_TRUE(soon_answers(two, 200)) << "what one gateway gave back another may take";
  two.upstream.release();
  EXPECT_EQ(second.read().status(), 200);
}

TEST_F(InFlightInRedis, OfAKilledGatewayAreFreeAfterTenSecondsAndThoseOfOthersAreHeldLonger) {
  Proxy killed(shared(2));
  killed.gateway.expect_any_end();
  Proxy other(shared(2));
  RawClient held = other.client();
  hold(other, held);
  RawClient lost = killed.client();
  hold(killed, lost, "X-Test-Never: 1\r\n");
  ASSERT_EQ(other.client().get().status(), 429);
  const auto since = Clock::now();
  killed.gateway.process().kill9();
  Message freed = other.client().get();
  while (freed.status() == 429 && Clock::now() - since < std::chrono::seconds(20)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    freed = other.client().get();
  }
  EXPECT_LT(Clock::now() - since, std::chrono::seconds(12));
  EXPECT_EQ(freed.value("RateLimit"), R"("flights";r=0)") << "the request that is still in flight was renewed";
  other.upstream.release();
  EXPECT_EQ(held.read().status(), 200);
}

}  // namespace
}  // namespace headgate::test
