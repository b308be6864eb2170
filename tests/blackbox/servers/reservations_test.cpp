// Decisions that a second call settles, with real connections: over several workers, two gateways on one Redis, a
// reload, and callers that settle at the same moment.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/raw_client.hpp"
#include "blackbox/harness/reloaded.hpp"
#include "support/redis_cli.hpp"
#include "support/redis_server.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace headgate::test {
namespace {

/// A gateway that decides for Traefik, with 1000 tokens for each client, of which each decision holds 100.
Json reserving(const Json& changes = Json::object()) {
  Json config = {
      {"listen", {{"address", "127.0.0.1:0"}, {"protocol", "decision"}, {"from", "traefik"}, {"settle_within", "1m"}}},
      {"admin", "off"},
      {"workers", 4},
      {"identity", {{"trusted_proxies", {"127.0.0.1/32"}}}},
      {"limits",
       {{"tokens", {{"rate", "1000/day"}, {"algorithm", "fixed_window"}, {"per", "client_ip"}, {"unit", "token"}}},
        {"calls", {{"in_flight", 2}, {"per", "client_ip"}}}}},
      {"routes",
       {{{"path", "/*"},
         {"respond", {{"status", 200}}},
         {"limits", {"calls", {{"use", "tokens"}, {"cost", {{"answer", "/used"}, {"hold", 100}, {"most", 500}}}}}}}}}};
  config.merge_patch(changes);
  return config;
}

/// Asks for a decision over a new connection, which any worker may accept.
Message decide(std::uint16_t port) {
  RawClient client(port);
  return client.get("/",
                    "X-Forwarded-For: 203.0.113.9\r\nX-Forwarded-Method: GET\r\nX-Forwarded-Uri: /a\r\n"
                    "X-Forwarded-Host: a.example\r\n");
}

std::string reserve_at(std::uint16_t port) {
  const auto answer = decide(port);
  EXPECT_EQ(answer.status(), 200) << answer.body;
  return answer.value("X-Headgate-Reservation");
}

int settle_at(std::uint16_t port, const std::string& body) {
  RawClient client(port);
  return client.ask(request_with_body("POST", "/settle", body)).status();
}

std::string with_use(const std::string& reservation, int tokens) {
  return R"({"reservation":")" + reservation + R"(","used":{"tokens":)" + std::to_string(tokens) + "}}";
}

/// Returns how many decisions pass one after the other if each is settled with `tokens`.
int passing(std::uint16_t port, int tokens) {
  int passed = 0;
  while (true) {
    const auto answer = decide(port);
    if (answer.status() != 200) return passed;
    ++passed;
    EXPECT_EQ(settle_at(port, with_use(answer.value("X-Headgate-Reservation"), tokens)), 204);
  }
}

TEST(Reservations, AreSettledExactlyThroughAnyWorker) {
  Gateway gateway(reserving());
  std::set<std::string> ids;
  for (int i = 0; i < 30; ++i) {
    const auto id = reserve_at(gateway.port());
    EXPECT_TRUE(ids.insert(id).second);
    EXPECT_EQ(settle_at(gateway.port(), with_use(id, 10)), 204);
  }
  EXPECT_EQ(passing(gateway.port(), 100), 7) << "300 of the 1000 tokens are used";
  EXPECT_EQ(settle_at(gateway.port(), with_use(*ids.begin(), 0)), 404);
}

TEST(Reservations, AreSettledByOneOfManyCallsAtTheSameMoment) {
  Gateway gateway(reserving());
  constexpr int kRounds = 10, kCalls = 6;
  for (int round = 0; round < kRounds; ++round) {
    const auto id = reserve_at(gateway.port());
    std::atomic<int> settled{0}, refused{0};
    std::vector<std::thread> callers;
    for (int i = 0; i < kCalls; ++i)
      callers.emplace_back([&] {
        const auto status = settle_at(gateway.port(), with_use(id, 50));
        ++(status == 204 ? settled : refused);
        EXPECT_TRUE(status == 204 || status == 404) << status;
      });
    for (auto& caller : callers) caller.join();
    EXPECT_EQ(settled, 1);
    EXPECT_EQ(refused, kCalls - 1);
  }
  EXPECT_EQ(passing(gateway.port(), 100), 5) << "each round has charged 50 tokens once";
}

TEST(Reservations, OfTwoGatewaysOnOneRedisShareTheLimits) {
  if (!RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
  RedisServer redis;
  ASSERT_TRUE(redis.start()) << redis.error();
  const auto config = reserving({{"redis", {{"url", "redis://127.0.0.1:" + std::to_string(redis.port())}}},
                                 {"limits", {{"tokens", {{"store", "redis"}}}, {"calls", {{"store", "redis"}}}}}});
  Gateway one(config), other(config);
  const auto first = reserve_at(one.port());
  const auto second = reserve_at(other.port());
  EXPECT_EQ(decide(one.port()).status(), 429) << "two calls are in flight";
  EXPECT_EQ(settle_at(other.port(), with_use(first, 10)), 421) << "the other gateway has made it";
  EXPECT_EQ(settle_at(one.port(), with_use(first, 10)), 204);
  EXPECT_EQ(settle_at(other.port(), R"({"reservation":")" + second + R"(","cancel":true})"), 204);
  // The changes in Redis are queued, so the next decision may be too early.
  std::string third;
  EXPECT_TRUE(wait_until([&] {
    const auto answer = decide(other.port());
    third = answer.value("X-Headgate-Reservation");
    return answer.status() == 200;
  }));
  EXPECT_EQ(settle_at(other.port(), with_use(third, 490)), 204);
  int passed = 0;
  EXPECT_TRUE(wait_until([&] {
    const auto answer = decide(one.port());
    if (answer.status() == 200) {
      ++passed;
      EXPECT_EQ(settle_at(one.port(), with_use(answer.value("X-Headgate-Reservation"), 100)), 204);
    }
    return passed == 5;
  })) << passed;
  EXPECT_TRUE(wait_until([&] { return decide(other.port()).status() == 429; })) << "10 + 490 + 5 * 100 tokens are used";
  EXPECT_EQ(decide(other.port()).value("X-Headgate-Reservation"), "");
}

TEST(Reservations, EndByThemselves) {
  Gateway gateway(reserving({{"listen", {{"settle_within", "1s"}}}}));
  const auto first = reserve_at(gateway.port());
  reserve_at(gateway.port());
  EXPECT_TRUE(wait_until([&] { return decide(gateway.port()).status() == 200; }))
      << "two calls are in flight until their reservations end";
  EXPECT_EQ(settle_at(gateway.port(), with_use(first, 10)), 404);
}

TEST(Reservations, SurviveAReloadAndEndWithTheGateway) {
  Reloaded file(reserving());
  const auto first = reserve_at(file.gateway().port());
  const auto second = reserve_at(file.gateway().port());
  ASSERT_TRUE(file.reload(reserving({{"limits", {{"calls", {{"in_flight", 3}}}}}})));
  EXPECT_EQ(settle_at(file.gateway().port(), with_use(first, 10)), 204);
  reserve_at(file.gateway().port());
  EXPECT_EQ(settle_at(file.gateway().port(), with_use(second, 90)), 204);
  EXPECT_EQ(passing(file.gateway().port(), 100), 8) << "the third is open, and holds 100 tokens";
}

}  // namespace
}  // namespace headgate::test
