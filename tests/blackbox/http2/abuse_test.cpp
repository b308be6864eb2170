// What one client of HTTP/2 may do: each kind of abuse ends its connection, is counted, and nobody else notices.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/h2_client.hpp"
#include "blackbox/harness/look.hpp"
#include "blackbox/http2/asking.hpp"

#include <gtest/gtest.h>

namespace headgate::test {
namespace {

constexpr std::uint32_t kCalm = 11;  // ENHANCE_YOUR_CALM

class Http2Abuse : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    proxy = new Proxy(Json{{"listen", {{"address", "127.0.0.1:0"}, {"http2", true}}},
                           {"admin", {{"listen", "127.0.0.1:0"}}},
                           {"timeouts", {{"write", "500ms"}, {"head", "500ms"}}}});
  }
  static void TearDownTestSuite() { delete std::exchange(proxy, nullptr); }
  static std::uint16_t port() { return proxy->gateway.port(); }
  static double ended(const std::string& reason) {
    const Look look(proxy->gateway.process());
    const auto text = look.text();
    const auto name = "reason=\"" + reason + "\"} ";
    const auto at = text.find(name, text.find("headgate_http2_connections_ended_total{"));
    return at == std::string::npos ? 0 : std::stod(text.substr(at + name.size()));  // the worker may just begin
  }
  /// The client sends `bytes` until the gateway has enough.
  static void expect_calm(const std::string& reason, const std::string& bytes, unsigned times) {
    const auto before = ended(reason);
    H2Client client(port());
    for (unsigned i = 0; i < times && client.send(bytes); ++i) {
    }
    EXPECT_TRUE(client.closes()) << reason;
    EXPECT_TRUE(client.goaway && *client.goaway == kCalm) << reason << ": " << client.goaway.value_or(999);
    EXPECT_EQ(ended(reason), before + 1) << reason;
    H2Client bystander(port());
    EXPECT_EQ(bystander.ask(1, h2_get()).status, 200);
  }
  static inline Proxy* proxy = nullptr;
};

TEST_F(Http2Abuse, RapidResetsEndTheConnection) {  // CVE-2023-44487
  std::string all;
  for (std::uint32_t id = 1; id < 800; id += 2)
    all += h2_request(id, h2_get("/", {{"x-test-never", "1"}})) + h2_frame(h2_rst_stream, 0, id, h2_number(8));
  expect_calm("resets", all, 1);
}

TEST_F(Http2Abuse, ResetsThatAClientMakesUsSendCountAsItsOwn) {  // CVE-2025-8671
  std::string all;
  for (std::uint32_t id = 1; id < 800; id += 2)
    all += h2_request(id, h2_get("/", {{"x-test-never", "1"}}), false) +
           h2_frame(h2_window_update, 0, id, h2_number(0x7fffffff));
  expect_calm("resets", all, 1);
}

TEST_F(Http2Abuse, WhatIsResetInTheReadThatBeganItReachesNoServer) {
  H2Client client(port());
  ASSERT_EQ(client.ask(1, h2_get()).status, 200);
  const auto requests = proxy->upstream.request_count();
  const auto connections = proxy->upstream.connections();
  std::string all;
  for (std::uint32_t id = 3; id < 103; id += 2)
    all += h2_request(id, h2_get("/", {}, "POST"), false) + h2_frame(h2_window_update, 0, id, h2_number(0x7fffffff));
  client.send(all);
  EXPECT_EQ(client.answer(101).reset.value_or(0), 3U) << "FLOW_CONTROL_ERROR";
  EXPECT_EQ(client.ask(103, h2_get()).status, 200);
  EXPECT_EQ(proxy->upstream.request_count(), requests + 1);
  EXPECT_EQ(proxy->upstream.connections(), connections) << "the kept one is enough";
}

TEST_F(Http2Abuse, FloodsOfEmptyFramesEndTheConnection) {
  std::string empty_data;
  std::string priorities;
  std::string updates;
  std::string unknown;
  for (int i = 0; i < 2'000; ++i) {
    empty_data += h2_frame(h2_data, 0, 1);
    priorities += h2_frame(h2_priority, 0, 3, std::string(4, '\0') + "\x0a");
    updates += h2_frame(h2_window_update, 0, 0, h2_number(1));
    unknown += h2_frame(0x77, 0, 0);
  }
  expect_calm("glitches", h2_request(1, h2_get("/", {}, "POST"), false) + empty_data, 1);
  expect_calm("glitches", priorities, 1);
  expect_calm("glitches", updates, 1);
  expect_calm("glitches", unknown, 1);
}

TEST_F(Http2Abuse, FloodsThatWantAnswersEndTheConnection) {
  std::string pings;
  for (int i = 0; i < 2'000; ++i) pings += h2_frame(h2_ping, 0, 0, "12345678");
  std::string settings;
  for (int i = 0; i < 2'000; ++i) settings += h2_frame(h2_settings, 0, 0);
  for (const auto& bytes : {pings, settings}) {
    H2Client client(port());
    client.send(bytes);
    EXPECT_TRUE(client.closes());
  }
  H2Client bystander(port());
  EXPECT_EQ(bystander.ask(1, h2_get()).status, 200);
}

TEST_F(Http2Abuse, AHeadWithoutEndEndsTheConnection) {  // CVE-2024-27316 and its like
  std::string head = h2_frame(h2_headers, kEndStream, 1, h2_block(h2_get()));
  for (int i = 0; i < 100; ++i) head += h2_frame(h2_continuation, 0, 1, h2_block({{"x-a", "b"}}));
  expect_calm("head", head, 1);
  H2Client slow(port());
  slow.send(h2_frame(h2_headers, kEndStream, 1, h2_block(h2_get())));
  EXPECT_TRUE(slow.closes()) << "one that stops in the middle";
}

TEST_F(Http2Abuse, AHeadThatGrowsWhenItIsReadEndsTheConnection) {  // HPACK bomb
  // One field of 4,000 bytes in the table, and then one byte for each time that it comes.
  std::string block = h2_block(h2_get());
  std::string value(3'900, 'a');
  block += std::string("\x40\x03x-a") + "\x7f" + std::string("\xbd\x1d") + value;
  block += std::string(5'000, '\xbe');
  const auto before = ended("head");
  H2Client client(port());
  client.send(h2_frame(h2_headers, kEndStream | kEndHeaders, 1, block));
  EXPECT_TRUE(client.closes());
  EXPECT_EQ(ended("head"), before + 1);
}

TEST_F(Http2Abuse, AStreamCountsUntilItsExchangeHasEnded) {
  H2Client client(port());
  std::string all;
  for (std::uint32_t id = 1; id < 202; id += 2) all += h2_request(id, h2_get("/", {{"x-test-hold", "1"}}));
  client.send(all);
  while (!client.answers[201].reset && !client.goaway) ASSERT_TRUE(client.read());
  if (!client.goaway) {
    EXPECT_EQ(*client.answers[201].reset, 7U) << "REFUSED_STREAM";
  }
  proxy->upstream.release();
}

TEST_F(Http2Abuse, AClientWithoutWindowGivesItsServerBack) {
  H2Client client(port(), std::string("\0\4\0\0\0\0", 6));  // SETTINGS_INITIAL_WINDOW_SIZE 0
  const auto before = proxy->upstream.closed();
  client.send(h2_request(1, h2_get("/", {{"x-test-bytes", "200000"}})));
  const auto answer = client.answer(1);
  EXPECT_EQ(answer.status, 200);
  ASSERT_TRUE(answer.reset);
  EXPECT_EQ(*answer.reset, 8U) << "CANCEL";
  EXPECT_TRUE(proxy->upstream.wait_for_closed(before + 1));
  client.send(h2_frame(h2_settings, 0, 0, std::string("\0\4\0\0\xff\xff", 6)));
  EXPECT_EQ(client.ask(3, h2_get()).status, 200) << "the connection lives on";
}

TEST_F(Http2Abuse, IsNothingThatServersDo) {
  H2Server server([](const H2Asked& asked) {
    if (asked.fields.at(":path") == "/whole") return h2_answer(asked.stream, {{":status", "200"}});
    return h2_request(asked.stream, {{":status", "200"}}, false) + h2_frame(h2_data, 0, asked.stream, "half") +
           h2_frame(h2_rst_stream, 0, asked.stream, h2_number(2));
  });
  Proxy other(asking(server.url()));
  H2Client client(other.gateway.port());
  std::uint32_t stream = 1;
  for (; stream < 2 * 300; stream += 2) ASSERT_TRUE(client.ask(stream, h2_get()).reset) << stream;
  EXPECT_EQ(client.ask(stream, h2_get("/whole")).status, 200) << "its connection lives on";
}

TEST_F(Http2Abuse, OneDownloadDoesNotHoldUpAnother) {
  H2Client client(port(), std::string("\0\4\0\x7f\xff\xff", 6));
  client.send(h2_frame(h2_window_update, 0, 0, h2_number(100'000'000)));
  client.send(h2_request(1, h2_get("/", {{"x-test-bytes", "4000000"}})) +
              h2_request(3, h2_get("/", {{"x-test-bytes", "100000"}})));
  EXPECT_EQ(client.answer(3).body.size(), 100'000U);
  EXPECT_FALSE(client.answers[1].ended) << "the smaller one is ready long before";
  EXPECT_EQ(client.answer(1).body.size(), 4'000'000U);
}

}  // namespace
}  // namespace headgate::test
