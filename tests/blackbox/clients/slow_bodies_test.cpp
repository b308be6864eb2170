// Bodies that trickle, in both directions: they end, and others do not pay for them meanwhile.

#include "blackbox/harness/gateway.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace headgate::test {
namespace {

using Clock = std::chrono::steady_clock;

/// The rate is demanded over half a second.
Json hasty(const Json& changes = Json::object()) {
  Json config = {{"timeouts", {{"body", "500ms"}}}, {"log", {{"format", "json"}, {"access", "stderr"}}}};
  config.merge_patch(changes);
  return config;
}

/// Much more than twice the time, and much less than a trickle would take.
constexpr Milliseconds kSoon{5000};

/// Sends `piece` every `between` until something comes back. Returns after how long; `kSoon` at most.
Milliseconds drip(RawClient& client, std::string_view piece, Milliseconds between = Milliseconds(20)) {
  const auto begun = Clock::now();
  const auto passed = [&] { return std::chrono::duration_cast<Milliseconds>(Clock::now() - begun); };
  while (passed() < kSoon && client.socket().is_open() && client.send(piece))
    if (!client.stays_silent(between)) break;
  return passed();
}

bool log_has(Proxy& proxy, const std::string& words) {
  return proxy.gateway.process().wait_for_err(
      [&](const std::string& log) { return log.find(words) != std::string::npos; });
}

/// A gateway whose upstream has `more` beside its server.
struct Bounded {
  explicit Bounded(const Json& more, const Json& changes = Json::object())
      : gateway(config_for(upstream, configured(more, changes))) {}
  Json configured(const Json& more, Json changes) const {
    changes["upstreams"]["app"] = more;
    changes["upstreams"]["app"]["servers"] = {upstream.url()};
    return changes;
  }
  FakeUpstream upstream;
  Gateway gateway;
};

TEST(SlowBodies, ThatTrickleAreOver) {
  for (const auto& [framing, piece] : {std::pair<std::string, std::string>{"Content-Length: 1000000\r\n", "x"},
                                       {"Transfer-Encoding: chunked\r\n", "1\r\nx\r\n"}}) {
    Proxy proxy(hasty());
    RawClient client = proxy.client();
    client.send(request("POST", "/", framing));
    EXPECT_LT(drip(client, piece), kSoon) << framing;
    EXPECT_TRUE(proxy.upstream.wait_for_closed(1)) << "its server's connection is free";
    EXPECT_TRUE(log_has(proxy, R"("status":408,"ended_by":"timeout_client")")) << proxy.gateway.process().err();
    EXPECT_TRUE(log_has(proxy, "the client was slower than min_rate"));
  }
}

TEST(SlowBodies, ThatTrickleAfterAFastBeginAreOverToo) {
  Proxy proxy(hasty());
  RawClient client = proxy.client();
  client.send(request("POST", "/", "Content-Length: 1000000\r\n"));
  client.send(std::string(100'000, 'x'));
  EXPECT_LT(drip(client, "x"), kSoon);
}

TEST(SlowBodies, GetAWordWhy) {
  Proxy proxy(hasty());
  RawClient client = proxy.client();
  client.send(request("POST", "/", "Content-Length: 1000000\r\n"));
  std::this_thread::sleep_for(Milliseconds(300));
  client.send("x");
  std::this_thread::sleep_for(Milliseconds(300));
  const Message answer = client.read();
  expect_problem(answer, 408);
  EXPECT_NE(answer.body.find("The request's body arrived too slowly."), std::string::npos) << answer.body;
}

TEST(SlowBodies, ThatAreFastEnoughPass) {
  Proxy proxy(hasty());
  RawClient client = proxy.client();
  client.send(request("POST", "/", "Content-Length: 6000\r\n"));
  client.send_slowly(std::string(6000, 'x'), 200, Milliseconds(50));
  EXPECT_EQ(client.read().status(), 200);
}

TEST(SlowBodies, PassWhereTheRouteDemandsNothing) {
  Proxy proxy(hasty({{"all_routes", {{"max_body", "2MiB"}}},
                     {"routes", Json::array({{{"path", "/*"}, {"to", "app"}, {"min_rate", "0"}}})}}));
  RawClient client = proxy.client();
  client.send(request("POST", "/", "Content-Length: 20\r\n"));
  client.send_slowly(std::string(20, 'x'), 1, Milliseconds(100));
  EXPECT_EQ(client.read().status(), 200);
}

TEST(SlowBodies, OfATunnelAreNone) {
  Proxy proxy(hasty());
  RawClient client = proxy.client();
  client.send(request("GET", "/", "Connection: Upgrade\r\nUpgrade: x\r\n"));
  EXPECT_EQ(client.read_head().status(), 101);
  for (int i = 0; i < 15; ++i) {
    std::this_thread::sleep_for(Milliseconds(100));
    client.send("w");
    ASSERT_EQ(client.read_bytes(1), "w");
  }
}

TEST(SlowBodies, AreNotThoseOfAQuietServer) {
  Proxy proxy(hasty());
  RawClient client = proxy.client();
  client.send(request("GET", "/", "X-Test-Stall: 1\r\nX-Test-Bytes: 1000\r\nX-Test-Chunked: 100\r\n"));
  Message answer = client.read_head();
  std::this_thread::sleep_for(Milliseconds(1500));
  proxy.upstream.release();
  client.read_body(answer);
  EXPECT_TRUE(answer.ok()) << answer.error;
}

TEST(SlowBodies, AreAnswersThatAClientHardlyTakes) {
  Proxy proxy(hasty({{"timeouts", {{"write", "1m"}}}}));
  RawClient client = proxy.client();
  client.socket().shrink_receive_buffer();
  client.send(request("GET", "/", "X-Test-Bytes: 50000000\r\n"));
  ASSERT_TRUE(proxy.upstream.wait_for_requests(1));
  const auto begun = Clock::now();
  while (proxy.upstream.closed() < 1 && Clock::now() - begun < 2 * kSoon) {
    std::string one;
    client.socket().receive(one, Milliseconds(20), 1);
    std::this_thread::sleep_for(Milliseconds(20));
  }
  EXPECT_EQ(proxy.upstream.closed(), 1U) << "a byte now and then is not enough";
  EXPECT_TRUE(log_has(proxy, R"("status":200,"ended_by":"timeout_client")")) << proxy.gateway.process().err();
  EXPECT_TRUE(log_has(proxy, "the client was slower than min_rate"));
}

TEST(SlowBodies, AreNotAnswersThatAClientTakesInItsTime) {
  Proxy proxy(hasty());
  RawClient client = proxy.client();
  client.socket().shrink_receive_buffer();
  client.send(request("GET", "/", "X-Test-Bytes: 3000000\r\n"));
  std::string all;
  while (all.size() < 3'000'000 && client.socket().receive(all, kPatience, 60'000) == Got::bytes)
    std::this_thread::sleep_for(Milliseconds(20));
  EXPECT_GT(all.size(), 3'000'000U);
}

TEST(SlowBodies, FreeThePlacesThatTheyHold) {
  const Bounded proxy({{"concurrency", {{"in_flight", 4}, {"adaptive", false}}}}, hasty());
  std::vector<RawClient> slow;
  for (int i = 0; i < 4; ++i) {
    slow.push_back(proxy.gateway.client());
    slow.back().send(request("POST", "/", "Content-Length: 1000000\r\n", "x"));
  }
  EXPECT_EQ(proxy.gateway.client().get().status(), 503);
  const auto until = Clock::now() + kSoon;
  bool served = false;
  while (!served && Clock::now() < until) {
    for (auto& each : slow) each.send("x");
    served = proxy.gateway.client().get().status() == 200;
    std::this_thread::sleep_for(Milliseconds(20));
  }
  EXPECT_TRUE(served);
}

class HeldBodies : public testing::TestWithParam<const char*> {};

TEST_P(HeldBodies, TakeNoPlaceWhileTheyArrive) {
  const Json route = {{"path", "/*"}, {"to", "app"}, {"buffer_request", "64KiB"}};
  Bounded proxy(Json::parse(GetParam()), {{"routes", Json::array({route})}});
  std::vector<RawClient> slow;
  for (int i = 0; i < 30; ++i) {
    slow.push_back(proxy.gateway.client());
    slow.back().send(request("POST", "/", "Content-Length: 1000\r\n", "x"));
  }
  for (int i = 0; i < 5; ++i) EXPECT_EQ(proxy.gateway.client().get().status(), 200);
  EXPECT_EQ(proxy.upstream.request_count(), 5U);
  slow[0].send(std::string(999, 'x'));
  EXPECT_EQ(slow[0].read().status(), 200);
}

INSTANTIATE_TEST_SUITE_P(At, HeldBodies,
                         testing::Values(R"({"concurrency": {"in_flight": 4, "adaptive": false}})",
                                         R"({"concurrency": {}})", R"({"max_in_flight": 2})"));

TEST(HeldMemory, CostsWhatHasArrived) {
  Json route = {{"path", "/*"}, {"to", "app"}, {"buffer_request", "1MiB"}};
  Proxy proxy(Json{{"bounds", {{"buffered", "4MiB"}}}, {"routes", Json::array({route})}});
  std::vector<RawClient> slow;
  for (int i = 0; i < 66; ++i) {
    slow.push_back(proxy.client());
    slow.back().send(request("POST", "/", "Content-Length: 1048576\r\n", "x"));
  }
  for (int i = 0; i < 5; ++i) EXPECT_EQ(proxy.client().get().status(), 200);
  slow[0].send(std::string(1048575, 'x'));
  EXPECT_EQ(slow[0].read().status(), 200);
}

TEST(HeldMemory, IsNotThatOfLongBodiesThatOnlyBegin) {
  Proxy proxy(Json{{"bounds", {{"buffered", "4MiB"}}}});
  std::vector<RawClient> slow;
  for (int i = 0; i < 80; ++i) {
    slow.push_back(proxy.client());
    slow.back().send(request("POST", "/", "Content-Length: 1000000\r\n", "x"));
  }
  ASSERT_TRUE(proxy.upstream.wait_for_heads(80));
  EXPECT_EQ(proxy.client().get().status(), 200) << "two small buffers for each, not large ones";
}

}  // namespace
}  // namespace headgate::test
