// What one address can do to the others with connections that do nothing, and what a flood can do after its refusal.

#include "blackbox/harness/look.hpp"
#include "blackbox/harness/reloaded.hpp"

#include <gtest/gtest.h>

namespace headgate::test {
namespace {

Json crowded(const Json& changes = Json::object()) {
  Json out = {{"bounds", {{"connections", 8}}}, {"admin", {{"listen", "127.0.0.1:0"}}}, {"log", {{"format", "json"}}}};
  out.merge_patch(changes);
  return out;
}

/// Opens so many, each with a first request that is answered.
std::vector<RawClient> open_and_ask(const Gateway& gateway, const std::string& source, std::size_t count) {
  std::vector<RawClient> out;
  for (std::size_t i = 0; i < count; ++i) {
    out.push_back(gateway.client(source));
    EXPECT_EQ(out.back().get().status(), 200) << source << ' ' << i;
  }
  return out;
}

TEST(Crowded, TheAddressWithTheMostGivesUpTheOneThatWasIdleLongest) {
  Proxy proxy(crowded());
  auto some = open_and_ask(proxy.gateway, "127.0.0.3", 2);
  auto many = open_and_ask(proxy.gateway, "127.0.0.2", 6);
  EXPECT_EQ(many[0].get().status(), 200) << "the second of them is idle longest now";
  auto newcomer = open_and_ask(proxy.gateway, "127.0.0.4", 1);
  EXPECT_TRUE(many[1].closes());
  for (auto& each : some) EXPECT_EQ(each.get().status(), 200) << "the older ones of another address stay";
  EXPECT_EQ(many[0].get().status(), 200);
  EXPECT_TRUE(proxy.gateway.process().wait_for_err([](const std::string& log) {
    return has(log, "\"connections_full\"") && has(log, "\"address\":\"127.0.0.2\",\"connections\":6");
  })) << proxy.gateway.process().err();
  const Look look(proxy.gateway.process());
  EXPECT_EQ(look.metrics().value("headgate_connections_gave_way_total"), 1);
}

TEST(Crowded, HalfHeadsAreIdleToo) {
  Proxy proxy(crowded());
  std::vector<RawClient> many;
  for (int i = 0; i < 8; ++i) {
    many.push_back(proxy.client("127.0.0.2"));
    ASSERT_TRUE(many.back().send("GET / HTTP/1.1\r\nHo"));
  }
  const Look look(proxy.gateway.process());
  ASSERT_TRUE(look.comes_to([](const MetricsText& now) { return now.value("headgate_connections_active") == 8; }));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(proxy.client("127.0.0.3").get().status(), 200) << i;
}

TEST(Crowded, NobodyWhoIsServedIsEndedAndTheEventNamesWhoHasTheMost) {
  Proxy proxy(crowded());
  std::vector<RawClient> many;
  for (int i = 0; i < 8; ++i) {
    many.push_back(proxy.client("127.0.0.2"));
    ASSERT_TRUE(many.back().send(request("GET", "/", "X-Test-Hold: 1\r\n")));
  }
  ASSERT_TRUE(proxy.upstream.wait_for_requests(8));
  expect_problem(proxy.client("127.0.0.3").get(), 503);
  EXPECT_TRUE(proxy.gateway.process().wait_for_err([](const std::string& log) {
    return has(log, "\"most_from\":\"127.0.0.2\",\"connections_from_there\":8");
  })) << proxy.gateway.process().err();
  proxy.upstream.release();
  for (auto& each : many) EXPECT_EQ(each.read().status(), 200);
}

TEST(Crowded, AWorkerWithoutOneOfTheirsAsksTheOthers) {
  Proxy proxy(crowded({{"workers", 3}}));
  auto many = open_and_ask(proxy.gateway, "127.0.0.2", 8);
  // The kernel chooses the worker of each: some of them have none of the eight.
  for (int i = 0; i < 20; ++i) EXPECT_EQ(proxy.client("127.0.0." + std::to_string(3 + i)).get().status(), 200) << i;
}

/// How many bytes a client can send that never reads.
std::size_t bytes_taken(RawClient& client, const std::string& block, std::size_t most) {
  std::size_t sent = 0;
  while (sent < most && client.send(block)) sent += block.size();
  return sent;
}

constexpr std::size_t kFlood = 256UL << 20;

TEST(Floods, OfEmptyLinesBeforeARequestEnd) {
  Proxy proxy;
  std::string block;
  while (block.size() < 64UL * 1024) block += "\r\n";
  auto client = proxy.client();
  EXPECT_LT(bytes_taken(client, block, kFlood), kFlood / 4);
}

TEST(Floods, AfterAHeadThatIsTooLongEnd) {
  Proxy proxy;
  auto client = proxy.client();
  EXPECT_LT(bytes_taken(client, std::string(64UL * 1024, 'a'), kFlood), kFlood / 4);
}

TEST(Floods, AfterAPipelinedRequestEnd) {
  Proxy proxy;
  auto client = proxy.client();
  ASSERT_EQ(client.get().status(), 200);
  EXPECT_LT(bytes_taken(client, std::string(64UL * 1024, '\n'), kFlood), kFlood / 4);
}

}  // namespace
}  // namespace headgate::test
