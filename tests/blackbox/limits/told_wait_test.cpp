// Callers with a key of their own go from gateway to gateway and wait exactly as told, in milliseconds: all of these
// promises are kept.

#include "blackbox/harness/gateway.hpp"
#include "support/redis_server.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace headgate::test {
namespace {

class ToldWait : public testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override {
    if (!RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
    ASSERT_TRUE(redis.start()) << redis.error();
  }

  Json in_redis(const Json& limit) const {
    return {{"workers", 2},
            {"redis",
             {{"url", "redis://127.0.0.1:" + std::to_string(redis.port())}, {"timeout", "5s"}, {"if_down", "reject"}}},
            {"limits", {{"x", limit}}},
            {"all_routes", {{"limits", {"x"}}}}};
  }

  RedisServer redis;
};

struct Kept {
  std::atomic<int> kept = 0;
  std::atomic<int> broken = 0;
};

/// One request after the other, each at the next gateway, until so many waits were kept or broken.
void wait_as_told(const std::vector<std::unique_ptr<Proxy>>& gateways, int caller, int promises, Kept& out) {
  const auto key = "X-Api-Key: caller-" + std::to_string(caller) + "\r\n";
  std::vector<RawClient> clients;
  for (const auto& gateway : gateways) clients.push_back(gateway->client());
  bool promised = false;
  for (std::size_t at = 0; promises > 0; ++at) {
    const Message answer = clients[at % clients.size()].get("/", key);
    if (std::exchange(promised, false)) {
      ++(answer.status() == 200 ? out.kept : out.broken);
      --promises;
    }
    if (answer.status() != 429) continue;
    promised = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(std::stoi(answer.value("Retry-After-Ms"))));
  }
}

TEST_P(ToldWait, HoldsAtWhicheverGatewayTheCallerComesBackTo) {
  for (const Json& limit :
       {Json{{"rate", "10/second"}, {"per", "header:X-Api-Key"}, {"if_absent", "skip"}},
        Json{{"rate", "20/second"}, {"burst", 1}, {"per", "header:X-Api-Key"}, {"if_absent", "skip"}},
        Json{
            {"rate", "20/second"}, {"per", "header:X-Api-Key"}, {"if_absent", "skip"}, {"algorithm", "sliding_window"}},
        Json{{"rate", "40/second"},
             {"per", "header:X-Api-Key"},
             {"if_absent", "skip"},
             {"algorithm", "sliding_log"},
             {"leases", "off"},
             {"shards", 4}},
        Json{{"rate", "20/second"},
             {"per", "header:X-Api-Key"},
             {"if_absent", "skip"},
             {"algorithm", "fixed_window"},
             {"window", "first_use"}}}) {
    std::vector<std::unique_ptr<Proxy>> gateways;
    for (std::size_t i = 0; i < GetParam(); ++i) gateways.push_back(std::make_unique<Proxy>(in_redis(limit)));
    Kept all;
    std::vector<std::thread> callers;
    for (int caller = 0; caller < 4; ++caller)
      callers.emplace_back([&, caller] { wait_as_told(gateways, caller, 20, all); });
    for (auto& caller : callers) caller.join();
    EXPECT_EQ(all.kept, 80) << limit;
    EXPECT_EQ(all.broken, 0) << limit;
    std::cout << all.kept << " of " << all.kept + all.broken << " promises kept at " << GetParam() << " gateways\n";
  }
}

INSTANTIATE_TEST_SUITE_P(Gateways, ToldWait, testing::Values(2, 4, 6));

}  // namespace
}  // namespace headgate::test
