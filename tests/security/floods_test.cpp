// Connections that send without end: the other connections of the worker are still served.

#include "blackbox/harness/flood.hpp"
#include "blackbox/harness/gateway.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <vector>

namespace headgate::test {
namespace {

constexpr std::size_t kMuch = 200'000;
constexpr std::size_t kFloods = 4;
constexpr std::size_t kTurns = 60;  // a few, and a margin for a loaded machine, which changes the clock more

/// What a hostile client sends first, and then without end.
struct Attack {
  std::string name;
  std::string first;
  std::string block;
  std::size_t turn = 8UL * 1024;  ///< bytes that it is answered with before others have their turn
};

std::string repeated(const std::string& piece, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += piece;
  return out;
}

std::vector<Attack> attacks() {
  const std::string empty_body = repeated("0000000000001\r\nx\r\n", 5000);
  const std::string large(1'000'000, 'x');
  return {
      {"AnsweredHere", "", repeated(request("GET", "/here"), 1000)},
      {"RefusedByALimit", "", repeated(request("GET", "/limited"), 1000)},
      {"WithoutARoute", "", repeated(request("GET", "/nowhere"), 1000)},
      {"BodiesNobodyWants", "", repeated(request_with_body("POST", "/here", std::string(5000, 'x')), 100)},
      {"ABodyToTheServer", request("PUT", "/app", "Content-Length: 900000000000\r\n"), large},
      {"TinyChunks", request("PUT", "/app", "Transfer-Encoding: chunked\r\n"), empty_body},
      {"ATunnel", request("GET", "/app", "Connection: Upgrade\r\nUpgrade: x\r\n"), large, 256UL * 1024},
  };
}

struct Floods : testing::TestWithParam<Attack> {
  Proxy proxy{R"({"log": {"access": "off"}, "all_routes": {"max_body": "1TB"},
                  "limits": {"few": {"rate": "1/hour", "per": "client_ip"}},
                  "routes": [{"path": "/here", "respond": {"body": "here\n"}},
                             {"path": "/limited", "respond": {}, "limits": ["few"]},
                             {"path": "/app", "to": "app"}]})"_json};
};

TEST_P(Floods, LeaveOthersTheirTurn) {
  std::list<Flood> floods;
  for (std::size_t i = 0; i < kFloods; ++i)
    floods.emplace_back(Socket::connect(proxy.gateway.port()), GetParam().first, GetParam().block);
  for (const auto& flood : floods) ASSERT_TRUE(flood.wait_until_sent(kMuch)) << "it is not even taken";
  const auto answered = [&] {
    std::size_t bytes = 0;
    for (const auto& flood : floods) bytes += flood.received();
    return bytes;
  };
  std::size_t least = answered() + kMuch * kMuch;
  for (int i = 0; i < 5; ++i) {
    const auto before = answered();
    RawClient newcomer = proxy.client();
    EXPECT_EQ(newcomer.get("/here").status(), 200) << "answered only once the floods end";
    EXPECT_EQ(newcomer.get("/here").status(), 200);
    least = std::min(least, answered() - before);
  }
  EXPECT_LT(least, kFloods * kTurns * GetParam().turn) << "others are served first, by the thousand";
  for (const auto& flood : floods) EXPECT_FALSE(flood.over()) << "nothing was shown";
}

INSTANTIATE_TEST_SUITE_P(From, Floods, testing::ValuesIn(attacks()), [](const auto& each) { return each.param.name; });

TEST(FloodsOfAServer, LeaveOthersTheirTurn) {
  Socket listening = Socket::listen();
  Proxy proxy(Json{{"upstreams", {{"app", "http://127.0.0.1:" + std::to_string(listening.local_port())}}},
                   {"routes", Json::array({{{"path", "/here"}, {"respond", {{"body", "here\n"}}}},
                                           {{"path", "/*"}, {"to", "app"}}})}});
  const std::string chunks = repeated("1\r\nx\r\n", 10000);
  const Attack answers[] = {{"", "HTTP/1.1 200 OK\r\n\r\n", std::string(1'000'000, 'x')},
                            {"", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", chunks}};
  std::list<Flood> floods;
  for (const auto& answer : answers) {
    floods.emplace_back(Socket::connect(proxy.gateway.port()), request("GET", "/"), "\r\n");
    Socket server = listening.accept();
    std::string ignored;
    ASSERT_EQ(server.receive(ignored), Got::bytes);
    floods.emplace_back(std::move(server), answer.first, answer.block);
    ASSERT_TRUE(floods.back().wait_until_sent(kMuch));
  }
  for (int i = 0; i < 3; ++i) EXPECT_EQ(proxy.client().get("/here").status(), 200) << "only once the answers end";
}

TEST(FloodsOfEmptyLines, AreRefusedAfterAFewAndHoldUpNobody) {
  Proxy proxy;
  RawClient client = proxy.client();
  client.send(repeated("\r\n", 1000));
  expect_problem(client.read(), 400);
  EXPECT_TRUE(client.closes());
  EXPECT_EQ(proxy.client().ask("\r\n\r\n" + request("GET", "/")).status(), 200) << "a few are passed over";
  // Bytes after the refusal are dropped for a while: that must not delay others either.
  Flood flood(Socket::connect(proxy.gateway.port()), "", repeated("\r\n", 5000));
  ASSERT_TRUE(flood.wait_until_sent(kMuch));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(proxy.client().get().status(), 200);
}

}  // namespace
}  // namespace headgate::test
