// What streams hold counts for bounds.buffered, and is free again however they end.

#include "blackbox/harness/h2_client.hpp"
#include "blackbox/harness/look.hpp"
#include "blackbox/http2/websocket.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace headgate::test {
namespace {

constexpr double kBound = 1 << 20;
/// Each worker counts so many bytes before it tells the others.
constexpr double kStep = 256 * 1024;
/// What the connections that are open keep beside bodies.
constexpr double kConnections = 64 * 1024;

double http2_buffered(const Look& look) { return look.metrics().value("headgate_buffered_bytes").value_or(-1); }

class Http2Buffers : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    server = new FakeUpstream;
    const Json upstream = {
        {"servers", {server->url()}}, {"max_in_flight", 1}, {"queue", {{"length", 1000}, {"wait", "60s"}}}};
    const Json changes = {{"listen", {{"address", "127.0.0.1:0"}, {"http2", true}}},
                          {"admin", {{"listen", "127.0.0.1:0"}}},
                          {"workers", 1},
                          {"bounds", {{"buffered", "1MiB"}}},
                          {"upstreams", {{"app", upstream}}}};
    gateway = new Gateway(config_for(*server, changes));
    look = new Look(gateway->process());
  }
  static void TearDownTestSuite() {
    delete std::exchange(look, nullptr);
    delete std::exchange(gateway, nullptr);
    delete std::exchange(server, nullptr);
  }
  void SetUp() override {
    // It has the only place at the server: all others wait with their bodies.
    first = std::make_unique<RawClient>(gateway->client());
    const auto before = server->request_count();
    first->send(request("GET", "/", "X-Test-Never: 1\r\n"));
    ASSERT_TRUE(server->wait_for_requests(before + 1));
  }
  void let_go() { first.reset(); }
  static std::unique_ptr<H2Client> connect(const std::string& settings = {}) {
    return std::make_unique<H2Client>(gateway->port(), settings);
  }
  /// Four streams with 64 KB of a body each, or of what a WebSocket is to carry.
  static std::unique_ptr<H2Client> uploads(const H2Fields& fields = h2_get("/", {}, "POST")) {
    auto out = connect();
    std::string all;
    for (std::uint32_t id = 1; id < 9; id += 2) {
      all += h2_request(id, fields, false);
      for (int i = 0; i < 4; ++i) all += h2_frame(h2_data, 0, id, std::string(16'000, 'x'));
    }
    out->send(all);
    return out;
  }
  static void expect_full() {
    EXPECT_TRUE(look->comes_to([](const MetricsText& now) { return now.value("headgate_buffered_bytes") >= kBound; }))
        << http2_buffered(*look);
    EXPECT_EQ(gateway->client().get().status(), 503);
    auto client = connect();
    const auto answer = client->ask(1, h2_get());
    EXPECT_EQ(answer.status, 503);
    EXPECT_EQ(answer.fields.at("retry-after"), "1");
  }
  static void expect_free() {
    EXPECT_TRUE(look->comes_to([](const MetricsText& now) {
      return now.value("headgate_buffered_bytes") <= kStep + kConnections;
    })) << http2_buffered(*look);
    EXPECT_EQ(connect()->ask(1, h2_get()).status, 200);
  }
  static inline FakeUpstream* server = nullptr;
  static inline Gateway* gateway = nullptr;
  static inline Look* look = nullptr;
  std::unique_ptr<RawClient> first;
};

TEST_F(Http2Buffers, OfBodiesThatWaitAreCountedUntilTheirStreamsAreReset) {
  std::vector<std::unique_ptr<H2Client>> clients;
  for (int i = 0; i < 6; ++i) clients.push_back(uploads());
  expect_full();
  for (auto& client : clients)
    for (std::uint32_t id = 1; id < 9; id += 2) client->send(h2_frame(h2_rst_stream, 0, id, h2_number(8)));
  let_go();
  expect_free();
}

TEST_F(Http2Buffers, OfBodiesThatWaitAreCountedUntilTheirConnectionsAreClosed) {
  std::vector<std::unique_ptr<H2Client>> clients;
  for (int i = 0; i < 6; ++i) clients.push_back(uploads());
  expect_full();
  clients.clear();
  let_go();
  expect_free();
}

TEST_F(Http2Buffers, OfBodiesThatWaitAreCountedUntilTheyHaveGoneOn) {
  std::vector<std::unique_ptr<H2Client>> clients;
  for (int i = 0; i < 6; ++i) clients.push_back(uploads());
  expect_full();
  let_go();
  for (auto& client : clients)
    for (std::uint32_t id = 1; id < 9; id += 2) client->send(h2_frame(h2_data, kEndStream, id));
  unsigned served = 0;
  for (auto& client : clients)
    for (std::uint32_t id = 1; id < 9; id += 2) {
      const auto status = client->answer(id).status;
      if (status == 200) ++served;
      EXPECT_TRUE(status == 200 || status == 503) << status;
    }
  EXPECT_GE(served, 10U) << "those that were under way when the buffers were full";
  expect_free();
}

TEST_F(Http2Buffers, OfWebSocketsThatAreNotOpenYetAreCounted) {
  std::vector<std::unique_ptr<H2Client>> clients;
  for (int i = 0; i < 6; ++i) clients.push_back(uploads(websocket()));
  expect_full();
  clients.clear();
  let_go();
  expect_free();
}

TEST_F(Http2Buffers, OfHeadsAreCountedAndBounded) {
  std::vector<std::unique_ptr<H2Client>> clients;
  for (int i = 0; i < 8; ++i) {
    clients.push_back(connect(std::string("\0\4\0\0\0\0", 6)));  // no window: the 503 waits too
    std::string all;
    for (std::uint32_t id = 1; id < 61; id += 2) all += h2_request(id, h2_get("/", {{"x-a", std::string(9'000, 'a')}}));
    clients.back()->send(all);
    ASSERT_TRUE(clients.back()->send(h2_frame(h2_ping, 0, 0, "12345678")));
    ASSERT_TRUE(clients.back()->next(h2_ping)) << "all of it was read";
  }
  expect_full();
  EXPECT_LT(http2_buffered(*look), 2 * kBound)
      << "2 MB of heads were sent, and more of a connection that has some is refused";
  EXPECT_EQ(*clients.back()->answer(59).reset, 7U) << "REFUSED_STREAM: the client may send it again";
  clients.clear();
  let_go();
  expect_free();
}

TEST_F(Http2Buffers, OfAnswersThatNobodyReadsAreCountedAndGivenBack) {
  let_go();
  std::vector<std::unique_ptr<H2Client>> clients;
  for (int i = 0; i < 40; ++i) {
    clients.push_back(connect(std::string("\0\4\x7f\xff\xff\xff", 6)));
    clients.back()->send(h2_frame(h2_window_update, 0, 0, h2_number(0x7fff0000)) +
                         h2_request(1, h2_get("/", {{"x-test-bytes", "20000000"}})));
  }
  clients.clear();
  expect_free();
}

}  // namespace
}  // namespace headgate::test
