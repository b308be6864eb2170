// The admin interface when somebody holds all of its connections.

#include "blackbox/harness/flood.hpp"
#include "blackbox/harness/operator.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <deque>
#include <memory>
#include <vector>

namespace headgate::test {
namespace {

const Json kFullHere = {{"admin", {{"listen", "127.0.0.1:0"}}}};
constexpr std::size_t kPlaces = 256;

/// Connections that all send the same bytes, and wait.
class Crowd {
 public:
  Crowd(std::uint16_t port, std::string bytes) : port_(port), bytes_(std::move(bytes)) {}
  /// The interface accepts in this order.
  void come(std::size_t count) {
    for (; count > 0; --count) {
      members_.emplace_back(port_);
      ASSERT_TRUE(members_.back().send(bytes_));
    }
  }
  /// As many come as leave.
  void renew(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) members_.pop_front();
    come(count);
  }
  RawClient& last() { return members_.back(); }

 private:
  std::uint16_t port_;
  std::string bytes_;
  std::deque<RawClient> members_;
};

TEST(AdminFull, AnswersProbesBesideHalfRequestsThatRenewThemselves) {
  Proxy proxy(kFullHere);
  const Operator probe(proxy.gateway.process());
  Crowd crowd(probe.port(), "GET /readyz HTTP/1.1\r\nHo");
  crowd.come(2 * kPlaces);
  for (int round = 0; round < 20; ++round) {
    EXPECT_EQ(probe.ask("GET", "/readyz").status(), 200) << round;
    crowd.renew(16);
  }
  EXPECT_TRUE(crowd.last().send("st: 127.0.0.1\r\n\r\n"));
  EXPECT_EQ(crowd.last().read().status(), 200) << "who came last was not ended";
}

TEST(AdminFull, AnswersProbesBesideRequestsWhoseBodiesDoNotCome) {
  Proxy proxy(kFullHere);
  const Operator probe(proxy.gateway.process());
  Crowd crowd(probe.port(), "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n");
  crowd.come(kPlaces + 16);
  for (int round = 0; round < 5; ++round) {
    EXPECT_EQ(probe.ask("GET", "/readyz").status(), 200) << round;
    crowd.renew(16);
  }
}

TEST(AdminFull, AnswersProbesBesideHalfBodiesOfReaders) {
  const std::string token = "token-of-readers-45678";
  const Json guarded = {
      {"admin", {{"listen", "127.0.0.1:0"}, {"token", "token-of-operators-123"}, {"read_token", token}}}};
  Proxy proxy(guarded);
  const Operator probe(proxy.gateway.process());
  Crowd crowd(probe.port(), "POST /api/v1/explain HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + token +
                                "\r\nContent-Length: 100\r\n\r\n{");
  crowd.come(kPlaces + 16);
  for (int round = 0; round < 5; ++round) {
    EXPECT_EQ(probe.ask("GET", "/readyz").status(), 200) << round;
    crowd.renew(16);
  }
}

/// Connections of one address that send requests without waiting for answers.
std::vector<std::unique_ptr<Flood>> pipelining(std::uint16_t port, std::size_t count, const std::string& request) {
  std::string block;
  for (int i = 0; i < 50; ++i) block += request;
  std::vector<std::unique_ptr<Flood>> out;
  for (; out.size() < count;)
    out.push_back(std::make_unique<Flood>(Socket::connect(port, "127.0.0.1", "127.0.0.2"), request, block));
  for (const auto& each : out) each->wait_until_sent(1);
  return out;
}

/// A gateway whose admin interface has few places, since it may have few descriptors.
TEST(AdminFull, AnswersProbesBesideRequestsThatDoNotWaitForAnswers) {
  FakeUpstream upstream;
  const TemporaryFile file(config_for(upstream, kFullHere).dump());
  Process process({"-c", "ulimit -n 160; exec \"$0\" run -c \"$1\"", HEADGATE_BINARY, file.path()}, {}, "/bin/bash");
  const Operator probe(process);
  std::size_t most = kPlaces;
  const auto bounds = probe.get("/api/v1/bounds");
  for (const auto& each : bounds.at("bounds"))
    if (each.at("bound") == "admin.connections") most = each.at("limit").get<std::size_t>();
  ASSERT_LT(most, 20U);
  const auto crowd = pipelining(probe.port(), most + 4, "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
  for (int round = 0; round < 20; ++round) EXPECT_EQ(probe.ask("GET", "/readyz").status(), 200) << round;
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait(), 0);
}

TEST(AdminFull, SoDoListenersOfClients) {
  const Json answered = {{"path", "/*"}, {"respond", {{"status", 204}}}};
  const Json few = {{"bounds", {{"connections", 32}}}, {"routes", Json::array({answered})}};
  Proxy proxy(few);
  const auto crowd = pipelining(proxy.gateway.port(), 40, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  for (int round = 0; round < 20; ++round) EXPECT_EQ(proxy.client().get("/").status(), 204) << round;
}

TEST(AdminFull, EndsWhoHasWaitedLongest) {
  Proxy proxy(kFullHere);
  const auto port = admin_port(proxy.gateway.process());
  RawClient first(port);
  RawClient second(port);
  EXPECT_EQ(second.get("/healthz").status(), 200);
  EXPECT_EQ(first.get("/healthz").status(), 200);
  EXPECT_EQ(first.get("/healthz").status(), 200);
  Crowd crowd(port, "GET /readyz HTTP/1.1\r\nHo");
  crowd.come(kPlaces - 1);
  EXPECT_TRUE(second.closes());
  EXPECT_EQ(first.get("/healthz").status(), 200) << "its last request came later";
}

TEST(AdminFull, EndsNobodyWhoIsServed) {
  Proxy proxy(kFullHere);
  const Operator operators(proxy.gateway.process());
  RawClient reader(operators.port());
  reader.send("GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
  EXPECT_EQ(reader.read_head().status(), 200);
  Crowd crowd(operators.port(), "GET /readyz HTTP/1.1\r\nHo");
  crowd.come(3 * kPlaces);
  EXPECT_EQ(operators.ask("PUT", "/api/v1/log-level", R"({"level": "info"})").status(), 200);
  std::string text;
  while (!has(text, "event: admin_change")) ASSERT_EQ(reader.socket().receive(text), Got::bytes) << text;
}

}  // namespace
}  // namespace headgate::test
