// Exchanges over HTTP/2 with prior knowledge, as a client sees them frame by frame.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/h2_client.hpp"

#include <gtest/gtest.h>

namespace headgate::test {
namespace {

Json with_http2(const Json& more = Json::object()) {
  Json changes = {{"listen", {{"address", "127.0.0.1:0"}, {"http2", true}}}};
  changes.merge_patch(more);
  return changes;
}

class Http2 : public testing::Test {
 protected:
  static void SetUpTestSuite() { proxy = new Proxy(with_http2()); }
  static void TearDownTestSuite() { delete std::exchange(proxy, nullptr); }
  static std::uint16_t port() { return proxy->gateway.port(); }
  static inline Proxy* proxy = nullptr;
};

TEST_F(Http2, AnswersAGet) {
  H2Client client(port());
  const auto answer = client.ask(1, h2_get("/a?b=c", {{"x-test-bytes", "5"}}));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body.size(), 5U);
  EXPECT_TRUE(answer.ended);
  EXPECT_EQ(answer.fields.at("content-length"), "5");
  EXPECT_FALSE(answer.fields.contains("connection"));
  const auto sent = proxy->forwarded();
  EXPECT_TRUE(sent.head.starts_with("GET /a?b=c HTTP/1.1\r\n")) << sent.head;
  EXPECT_EQ(sent.all("Host"), "a.example");
  EXPECT_FALSE(sent.has("Transfer-Encoding"));
  EXPECT_EQ(client.ask(3, h2_get("/again")).status, 200) << "on the same connection";
}

TEST_F(Http2, StandsBesideHttp1OnTheSameListener) {
  EXPECT_EQ(proxy->client().get("/").status(), 200);
  const auto upgrade = proxy->client().get(
      "/", "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n");
  EXPECT_EQ(upgrade.status(), 200) << "never by Upgrade";
  RawClient slow = proxy->client();
  slow.send_slowly("PRI_ / HTTP/1.1\r\nHost: a\r\n\r\n", 1, Milliseconds(1));
  EXPECT_EQ(slow.read().status(), 200) << "a method that begins as the preface does";
}

TEST_F(Http2, TakesAPrefaceInPieces) {
  Socket socket = Socket::connect(port());
  const std::string preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + h2_frame(h2_settings, 0, 0);
  for (const char c : preface) ASSERT_TRUE(socket.send({&c, 1}));
  ASSERT_TRUE(socket.send(h2_frame(h2_ping, 0, 0, "12345678")));
  std::string got;
  while (got.find("12345678") == std::string::npos) ASSERT_EQ(socket.receive(got), Got::bytes);
}

TEST_F(Http2, AnswersManyStreamsAtOnce) {
  H2Client client(port());
  std::string all;
  for (std::uint32_t id = 1; id < 101; id += 2)
    all += h2_request(id, h2_get("/" + std::to_string(id), {{"x-test-bytes", "1000"}}));
  client.send(all);
  for (std::uint32_t id = 1; id < 101; id += 2) {
    const auto answer = client.answer(id);
    EXPECT_EQ(answer.status, 200) << id;
    EXPECT_EQ(answer.body.size(), 1000U);
  }
}

TEST_F(Http2, CarriesBodiesBothWays) {
  H2Client client(port());
  const std::string body(200'000, 'x');
  client.send(h2_request(1, h2_get("/", {{"x-test-echo", "1"}}, "POST"), false));
  client.send(h2_frame(h2_window_update, 0, 0, h2_number(1'000'000)) +
              h2_frame(h2_window_update, 0, 1, h2_number(1'000'000)));
  std::size_t sent = 0;
  std::size_t stream_window = 65'535;
  std::size_t seen = 0;
  while (sent < body.size()) {
    const auto size = std::min({body.size() - sent, std::size_t{16'384}, stream_window});
    if (size > 0) {
      client.send(h2_frame(h2_data, sent + size == body.size() ? kEndStream : 0, 1, body.substr(sent, size)));
      sent += size;
      stream_window -= size;
    } else {
      ASSERT_TRUE(client.read()) << "the window is given back as the body goes on";
    }
    for (; seen < client.frames.size(); ++seen)
      if (client.frames[seen].type == h2_window_update && client.frames[seen].stream == 1)
        stream_window += client.frames[seen].number();
  }
  const auto answer = client.answer(1);
  EXPECT_EQ(answer.status, 200);
  EXPECT_TRUE(answer.body == body);
}

TEST_F(Http2, CarriesTrailersBothWays) {
  H2Client client(port());
  client.send(h2_request(
      1,
      h2_get("/", {{"x-test-echo", "1"}, {"x-test-chunked", "2"}, {"x-test-trailer", "X-Sum: 7"}, {"te", "trailers"}},
             "POST"),
      false));
  client.send(h2_frame(h2_data, 0, 1, "abc"));
  client.send(h2_frame(h2_headers, kEndStream | kEndHeaders, 1, h2_block({{"x-check", "9"}})));
  const auto answer = client.answer(1);
  EXPECT_EQ(answer.body, "abc");
  ASSERT_TRUE(answer.trailers.contains("x-sum"));
  EXPECT_EQ(answer.trailers.at("x-sum"), "7");
  EXPECT_TRUE(answer.ended);
}

TEST_F(Http2, PassesInterimAnswers) {
  H2Client client(port());
  const auto answer = client.ask(1, h2_get("/", {{"x-test-interim", "103"}}));
  EXPECT_EQ(answer.interim, std::vector<int>{103});
  EXPECT_EQ(answer.status, 200);
}

TEST_F(Http2, InvitesABodyThatWaits) {
  H2Client client(port());
  client.send(h2_request(
      1, h2_get("/", {{"expect", "100-continue"}, {"content-length", "3"}, {"x-test-echo", "1"}}, "POST"), false));
  while (client.answers[1].interim.empty()) ASSERT_TRUE(client.read());
  EXPECT_EQ(client.answers[1].interim, std::vector<int>{100});
  client.send(h2_frame(h2_data, kEndStream, 1, "abc"));
  EXPECT_EQ(client.answer(1).body, "abc");
}

TEST_F(Http2, SendsNoBodyToHead) {
  H2Client client(port());
  const auto answer = client.ask(1, h2_get("/", {{"x-test-bytes", "77"}}, "HEAD"));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.fields.at("content-length"), "77");
  EXPECT_EQ(answer.body, "");
  EXPECT_TRUE(answer.ended);
}

TEST_F(Http2, JoinsCookieCrumbs) {
  H2Client client(port());
  EXPECT_EQ(client.ask(1, h2_get("/", {{"cookie", "a=1"}, {"x-y", "z"}, {"cookie", "b=2"}, {"cookie", "c=3"}})).status,
            200);
  EXPECT_EQ(proxy->forwarded().all("Cookie"), "a=1; b=2; c=3");
}

TEST_F(Http2, TellsAnEarlyAnswerToStopTheUpload) {
  H2Client client(port());
  client.send(h2_request(1, h2_get("/", {{"x-test-early", "1"}, {"x-test-status", "403"}}, "POST"), false));
  client.send(h2_frame(h2_data, 0, 1, "abc"));
  const auto answer = client.answer(1);
  EXPECT_EQ(answer.status, 403);
  EXPECT_TRUE(answer.ended);
  while (!client.answers[1].reset) ASSERT_TRUE(client.read());
  EXPECT_EQ(*client.answers[1].reset, 0U) << "NO_ERROR (RFC 9113 section 8.1)";
  EXPECT_EQ(client.ask(3, h2_get()).status, 200);
}

TEST_F(Http2, LetsAClientThatHasItsAnswerEndItsUpload) {
  H2Client client(port());
  client.send(h2_request(1, h2_get("/", {{"x-test-early", "1"}, {"x-test-status", "403"}}, "POST"), false));
  EXPECT_EQ(client.answer(1).status, 403);
  client.send(h2_frame(h2_data, 0, 1, std::string(16'000, 'x')) + h2_frame(h2_data, kEndStream, 1, "end"));
  EXPECT_EQ(client.ask(3, h2_get()).status, 200);
  EXPECT_FALSE(client.answers[1].reset);
  EXPECT_FALSE(client.goaway);
}

TEST_F(Http2, OpensNoWindowForAnUploadThatIsAnswered) {
  H2Client client(port());
  client.send(h2_request(1, h2_get("/", {{"x-test-early", "1"}, {"x-test-status", "403"}}, "POST"), false));
  EXPECT_EQ(client.answer(1).status, 403);
  for (int i = 0; i < 4; ++i) client.send(h2_frame(h2_data, 0, 1, std::string(16'000, 'x')));
  client.send(h2_frame(h2_data, 0, 1, std::string(16'000, 'x')));
  EXPECT_EQ(client.ask(3, h2_get()).status, 200);
  ASSERT_TRUE(client.answers[1].reset);
  EXPECT_EQ(*client.answers[1].reset, 3U) << "FLOW_CONTROL_ERROR: it has sent more than its window";
}

TEST_F(Http2, ResetsAnAnswerThatTheServerCuts) {
  H2Client client(port());
  const auto answer = client.ask(1, h2_get("/", {{"x-test-bytes", "1000"}, {"x-test-cut", "1"}}));
  EXPECT_EQ(answer.status, 200);
  ASSERT_TRUE(answer.reset);
  EXPECT_EQ(*answer.reset, 2U) << "INTERNAL_ERROR: no clean end";
  EXPECT_EQ(client.ask(3, h2_get()).status, 200) << "the connection lives on";
}

TEST_F(Http2, GivesUpTheServerWhenItsClientResets) {
  H2Client client(port());
  const auto before = proxy->upstream.closed();
  client.send(h2_request(1, h2_get("/", {{"x-test-never", "1"}})));
  ASSERT_TRUE(
      proxy->upstream.wait_for_heads(proxy->upstream.request_count() > 0 ? proxy->upstream.request_count() : 1));
  while (proxy->forwarded().value("X-Test-Never").empty()) std::this_thread::yield();
  client.send(h2_frame(h2_rst_stream, 0, 1, h2_number(8)));
  EXPECT_TRUE(proxy->upstream.wait_for_closed(before + 1));
  EXPECT_EQ(client.ask(3, h2_get()).status, 200);
}

}  // namespace
}  // namespace headgate::test
