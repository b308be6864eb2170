// Limits that delay a request until its permit comes.

#include "blackbox/harness/gateway.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <thread>

namespace headgate::test {
namespace {

using Clock = std::chrono::steady_clock;

Json waiting(const Json& limit) { return {{"limits", {{"x", limit}}}, {"all_routes", {{"limits", {"x"}}}}}; }

/// When each of `count` requests that were sent at once was answered, since the first was sent, in order; and their
/// statuses.
struct WaitingCrowd {
  std::vector<Milliseconds> answered;
  int rejected = 0;
};
WaitingCrowd crowd(const Proxy& proxy, int count) {
  std::vector<RawClient> clients;
  for (int i = 0; i < count; ++i) clients.push_back(proxy.client());
  std::mutex mutex;
  WaitingCrowd out;
  const auto start = Clock::now();
  std::vector<std::thread> threads;
  for (auto& client : clients) {
    threads.emplace_back([&] {
      const int status = client.get().status();
      const std::lock_guard guard(mutex);
      if (status == 200)
        out.answered.push_back(std::chrono::duration_cast<Milliseconds>(Clock::now() - start));
      else
        ++out.rejected;
    });
  }
  for (auto& thread : threads) thread.join();
  std::sort(out.answered.begin(), out.answered.end());
  return out;
}

TEST(Waiting, AQueueLetsRequestsOutEvenlySpaced) {
  Proxy proxy(waiting({{"algorithm", "leaky_bucket"}, {"rate", "10/second"}, {"wait", "2s"}, {"per", "client_ip"}}));
  const auto [answered, rejected] = crowd(proxy, 8);
  ASSERT_EQ(answered.size(), 8U);
  EXPECT_EQ(rejected, 0);
  for (std::size_t i = 0; i < answered.size(); ++i)
    EXPECT_GE(answered[i] + Milliseconds(25), Milliseconds(100) * i) << i << " came before its turn";
}

TEST(Waiting, AQueueIsBoundedInTimeAndInLength) {
  Proxy in_time(waiting({{"algorithm", "leaky_bucket"}, {"rate", "1/second"}, {"wait", "3200ms"}, {"per", "total"}}));
  EXPECT_EQ(crowd(in_time, 8).answered.size(), 4U) << "one at once, and three within 3.2 s";
  Proxy in_length(
      waiting({{"algorithm", "leaky_bucket"}, {"rate", "1/second"}, {"wait", "5s"}, {"burst", 3}, {"per", "total"}}));
  EXPECT_EQ(crowd(in_length, 8).answered.size(), 3U);
}

TEST(Waiting, APermitIsWaitedForIfItComesInTime) {
  Proxy proxy(waiting({{"rate", "1/second"}, {"burst", 2}, {"wait", "2400ms"}, {"per", "client_ip"}}));
  const auto [answered, rejected] = crowd(proxy, 8);
  ASSERT_EQ(answered.size(), 4U) << "two at once, then one after 1 s and one after 2 s";
  EXPECT_EQ(rejected, 4);
  EXPECT_GE(answered[2], Milliseconds(975));
  EXPECT_GE(answered[3], Milliseconds(1975));
}

/// Whether a request that waits reaches the server after `leave` of its client.
void expect_not_forwarded(const std::function<void(RawClient&)>& leave) {
  Proxy proxy(waiting({{"rate", "1/second"}, {"wait", "2s"}, {"per", "client_ip"}}));
  EXPECT_EQ(proxy.client().get().status(), 200);
  {
    RawClient leaver = proxy.client();
    ASSERT_TRUE(leaver.send(request("GET", "/left")));
    std::this_thread::sleep_for(Milliseconds(100));
    leave(leaver);
  }
  EXPECT_EQ(proxy.client().get("/stayed").status(), 200);
  EXPECT_EQ(proxy.upstream.request_count(), 2U);
  EXPECT_NE(proxy.forwarded().target(), "/left");
}

TEST(Waiting, AClientThatResetsItsConnectionIsNotForwarded) {
  expect_not_forwarded([](RawClient& client) { client.socket().reset(); });
}

TEST(Waiting, AClientThatClosesItsConnectionIsNotForwarded) {
  expect_not_forwarded([](RawClient&) {});  // its destructor does
}

TEST(Waiting, ADrainLetsWaitingRequestsFinish) {
  Proxy proxy(waiting({{"rate", "1/second"}, {"burst", 1}, {"wait", "2s"}, {"per", "client_ip"}}));
  EXPECT_EQ(proxy.client().get().status(), 200);
  RawClient client = proxy.client();
  ASSERT_TRUE(client.send(request("GET", "/")));
  std::this_thread::sleep_for(Milliseconds(500));
  proxy.gateway.process().signal(SIGTERM);
  EXPECT_EQ(client.read().status(), 200);
  EXPECT_EQ(proxy.gateway.process().wait(), 0);
}

}  // namespace
}  // namespace headgate::test
