// Requests that wait for a permit in flight, in memory and over Redis: all are served, in their order.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/look.hpp"
#include "contract/redis_client.hpp"
#include "support/redis_server.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace headgate::test {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

Json queue(unsigned most, const std::string& wait = "20s", unsigned length = 100) {
  return {{"workers", 2},
          {"admin", {{"listen", "127.0.0.1:0"}}},
          {"limits",
           {{"flights",
             {{"in_flight", most},
              {"wait", wait},
              {"queue", length},
              {"per", "header:X-Key"},
              {"if_absent", "client_ip"}}}}},
          {"all_routes", {{"limits", {"flights"}}}}};
}

/// Eight clients with one key ask again and again. Returns how many answers were not 200.
int load(const std::vector<Proxy*>& proxies, int requests) {
  std::atomic<int> others = 0;
  std::vector<std::jthread> clients;
  for (std::size_t i = 0; i < 8; ++i)
    clients.emplace_back([&, i] {
      RawClient client = proxies[i % proxies.size()]->client();
      for (int n = 0; n < requests; ++n)
        if (client.get("/", "X-Key: a\r\nX-Test-Delay-Ms: 5\r\n").status() != 200) ++others;
    });
  clients.clear();
  return others;
}

/// Sends requests one after the other, to one proxy after the other.
void line_up(const std::vector<Proxy*>& proxies, std::vector<RawClient>& waiting, int count,
             const std::string& fields = "") {
  for (int i = 0; i < count; ++i) {
    auto& proxy = *proxies[static_cast<std::size_t>(i) % proxies.size()];
    waiting.push_back(proxy.client());
    const auto in_flight = [](const MetricsText& now) { return now.sum("headgate_requests_in_flight"); };
    const Look look(proxy.gateway.process());
    const auto before = in_flight(look.metrics());
    waiting.back().send(request("GET", "/" + std::to_string(i), "X-Key: a\r\n" + fields));
    EXPECT_TRUE(look.comes_to([&](const MetricsText& now) { return in_flight(now) > before; }));
    std::this_thread::sleep_for(milliseconds(60));  // until Redis has its place, too
  }
}

TEST(FlightQueue, ServesAllInsteadOfRejectingThem) {
  Proxy proxy(queue(2));
  EXPECT_EQ(load({&proxy}, 25), 0);
  const auto until = Clock::now() + kPatience;
  while (proxy.client().get("/", "X-Key: a\r\n").value("RateLimit") != R"("flights";r=1)")
    ASSERT_LT(Clock::now(), until) << "some did not come back";
}

TEST(FlightQueue, IsFirstComeFirstServed) {
  Proxy proxy(queue(1));
  RawClient holder = proxy.client();
  holder.send(request("GET", "/hold", "X-Key: a\r\nX-Test-Hold: 1\r\n"));
  ASSERT_TRUE(proxy.upstream.wait_for_requests(1));
  std::vector<RawClient> waiting;
  line_up({&proxy}, waiting, 6);
  EXPECT_EQ(proxy.client().get("/", "X-Key: b\r\n").status(), 200) << "another key has its own permits";
  proxy.upstream.release();
  for (auto& client : waiting) EXPECT_EQ(client.read().status(), 200);
  const auto seen = proxy.upstream.requests();
  ASSERT_EQ(seen.size(), 8U);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(seen[i + 2].message.target(), "/" + std::to_string(i));
}

TEST(FlightQueue, RejectsWhatWaitsTooLongAndWhatFindsItFull) {
  Proxy proxy(queue(1, "2s", 1));
  RawClient holder = proxy.client();
  holder.send(request("GET", "/hold", "X-Key: a\r\nX-Test-Hold: 1\r\n"));
  ASSERT_TRUE(proxy.upstream.wait_for_requests(1));
  const auto since = Clock::now();
  std::vector<RawClient> waiting;
  line_up({&proxy}, waiting, 1);
  EXPECT_EQ(proxy.client().get("/", "X-Key: a\r\n").status(), 429);
  EXPECT_LT(Clock::now() - since, milliseconds(1900)) << "it did not wait";
  EXPECT_EQ(waiting.front().read().status(), 429);
  EXPECT_GE(Clock::now() - since, milliseconds(2000));
  proxy.upstream.release();
  EXPECT_EQ(holder.read().status(), 200);
  EXPECT_EQ(Look(proxy.gateway.process()).metrics().value("headgate_limit_wait_seconds_count{limit=\"flights\"}"), 0)
      << "none of them got a permit";
}

TEST(FlightQueue, GoesOnWhenItsFirstLeaves) {
  Proxy proxy(queue(1));
  RawClient holder = proxy.client();
  holder.send(request("GET", "/hold", "X-Key: a\r\nX-Test-Hold: 1\r\n"));
  ASSERT_TRUE(proxy.upstream.wait_for_requests(1));
  std::vector<RawClient> waiting;
  line_up({&proxy}, waiting, 2);
  waiting.front().socket().reset();
  std::this_thread::sleep_for(milliseconds(50));
  proxy.upstream.release();
  EXPECT_EQ(waiting.back().read().status(), 200);
}

class FlightQueueInRedis : public testing::Test {
 protected:
  void SetUp() override {
    if (!RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
    ASSERT_TRUE(redis.start()) << redis.error();
  }
  Json shared(unsigned most) const {
    Json out = queue(most);
    out["redis"] = {{"url", "redis://127.0.0.1:" + std::to_string(redis.port())}, {"timeout", "2s"}};
    return out;
  }
  RedisServer redis;
};

TEST_F(FlightQueueInRedis, ServesAllOfSeveralGateways) {
  Proxy one(shared(2));
  Proxy two(shared(2));
  EXPECT_EQ(load({&one, &two}, 15), 0);
}

TEST_F(FlightQueueInRedis, IsFirstComeFirstServedOverGateways) {
  Proxy one(shared(1));
  Proxy two(shared(1));
  RawClient holder = one.client();
  holder.send(request("GET", "/hold", "X-Key: a\r\nX-Test-Hold: 1\r\n"));
  ASSERT_TRUE(one.upstream.wait_for_requests(1));
  std::vector<RawClient> waiting;
  line_up({&two, &one}, waiting, 6, "X-Test-Delay-Ms: 300\r\n");
  one.upstream.release();
  // One at a time: when one is answered, no more than the next one can have reached a server.
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    EXPECT_EQ(waiting[i].read().status(), 200) << i;
    EXPECT_LE(one.upstream.request_count() + two.upstream.request_count(), i + 3) << i;
  }
}

TEST_F(FlightQueueInRedis, OfAKilledGatewayHoldsUpNobody) {
  Proxy killed(shared(1));
  killed.gateway.expect_any_end();
  Proxy other(shared(1));
  RawClient holder = other.client();
  holder.send(request("GET", "/hold", "X-Key: a\r\nX-Test-Hold: 1\r\n"));
  ASSERT_TRUE(other.upstream.wait_for_requests(1));
  std::vector<RawClient> waiting;
  line_up({&killed, &other}, waiting, 2);
  killed.gateway.process().kill9();
  const auto since = Clock::now();
  other.upstream.release();
  EXPECT_EQ(waiting.back().read().status(), 200);
  EXPECT_LT(Clock::now() - since, std::chrono::seconds(4)) << "the first place was that of the killed one";
}

}  // namespace
}  // namespace headgate::test
