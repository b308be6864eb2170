// How WebSockets over HTTP/2 end, and what they hold meanwhile.

#include "blackbox/harness/fake_answer.hpp"
#include "blackbox/harness/operator.hpp"
#include "blackbox/harness/upgraded.hpp"
#include "blackbox/http2/websocket.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>

namespace headgate::test {
namespace {

struct Open {
  explicit Open(const Json& changes = Json::object(), const H2Fields& more = {})
      : proxy(over_http2(changes)), client(proxy.gateway.port()) {
    EXPECT_EQ(open_websocket(client, 1, websocket("/ws", more)).status, 200);
  }
  Proxy proxy;
  H2Client client;
};

TEST(Http2WebSocketEnd, OfOneDirectionAtATime) {
  Open open;
  say(open.client, 1, "last words", true);
  const auto answer = open.client.answer(1);
  EXPECT_EQ(answer.body, "last wordsbye 10") << "what the server says after the client ended is not lost";
  EXPECT_TRUE(answer.ended);
  EXPECT_FALSE(answer.reset);
  EXPECT_TRUE(open.proxy.upstream.wait_for_closed(1));
}

TEST(Http2WebSocketEnd, MayComeWithTheRequest) {
  Proxy proxy(over_http2());
  H2Client client(proxy.gateway.port());
  const auto answer = client.ask(1, websocket());
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "bye 0");
  EXPECT_TRUE(answer.ended);
}

TEST(Http2WebSocketEnd, ByItsServer) {
  Open open;
  open.proxy.upstream.drop_connections();
  EXPECT_TRUE(open.client.answer(1).ended);
  say(open.client, 1, "", true);
  EXPECT_TRUE(open.proxy.upstream.wait_for_closed(1));
  EXPECT_EQ(open.client.ask(3, h2_get()).status, 200);
}

TEST(Http2WebSocketEnd, OfTheServerLosesNothingThatItsClientStillSays) {
  Socket listener = Socket::listen(8);
  const auto url = "http://127.0.0.1:" + std::to_string(listener.local_port());
  Proxy proxy(over_http2({{"upstreams", {{"app", {{"servers", {url}}}}}}}));
  H2Client client(proxy.gateway.port());
  client.send(h2_request(1, websocket(), false));
  Socket server(::accept4(listener.fd(), nullptr, nullptr, SOCK_CLOEXEC));
  MessageReader reader(server);
  ASSERT_TRUE(server.send(switching_head(reader.read_head())));
  server.finish_sending();
  ASSERT_TRUE(client.answer(1).ended);
  say(client, 1, "last words", true);
  std::string heard;
  while (server.receive(heard) == Got::bytes) continue;
  EXPECT_EQ(heard, "last words") << "though the stream is closed now";
}

TEST(Http2WebSocketEnd, ByAServerThatResets) {
  Open open(Json::object(), {{"x-test-reset", "1"}});
  say(open.client, 1, "x");
  EXPECT_EQ(open.client.answer(1).reset, kCancelled) << "RFC 8441 section 5";
  EXPECT_EQ(open.client.ask(3, h2_get()).status, 200);
}

TEST(Http2WebSocketEnd, ByItsClient) {
  Open open;
  ASSERT_EQ(open_websocket(open.client, 3).status, 200);
  open.client.send(h2_frame(h2_rst_stream, 0, 1, h2_number(kCancelled)));
  EXPECT_TRUE(open.proxy.upstream.wait_for_closed(1));
  say(open.client, 3, "still here");
  EXPECT_TRUE(hears(open.client, 3, "still here"));
}

TEST(Http2WebSocketEnd, ByAClientWhoseServerHasEnded) {
  Proxy proxy(over_http2({{"admin", {{"listen", "127.0.0.1:0"}}}}));
  const Operator operators(proxy.gateway.process());
  H2Client client(proxy.gateway.port());
  ASSERT_EQ(open_websocket(client, 1).status, 200);
  proxy.upstream.drop_connections();
  ASSERT_TRUE(client.answer(1).ended);
  ASSERT_EQ(operators.get("/api/v1/requests")["requests"].size(), 1U) << "its client may still speak";
  client.send(h2_frame(h2_rst_stream, 0, 1, h2_number(kCancelled)));
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (!operators.get("/api/v1/requests")["requests"].empty() && std::chrono::steady_clock::now() < until) continue;
  EXPECT_TRUE(operators.get("/api/v1/requests")["requests"].empty()) << "nothing waits for what cannot come";
}

TEST(Http2WebSocketEnd, WithTheConnectionOfItsClient) {
  Proxy proxy(over_http2());
  {
    H2Client client(proxy.gateway.port());
    ASSERT_EQ(open_websocket(client, 1).status, 200);
    ASSERT_EQ(open_websocket(client, 3).status, 200);
  }
  EXPECT_TRUE(proxy.upstream.wait_for_closed(2));
}

TEST(Http2WebSocketEnd, OfOneThatNobodyUses) {
  Open open(R"({"timeouts": {"tunnel": "1500ms"}})"_json);
  for (int i = 0; i < 4; ++i) {  // longer than the timeout altogether, never without a byte for that long
    std::this_thread::sleep_for(Milliseconds(500));
    open.client.answers[1].body.clear();
    say(open.client, 1, "x");
    ASSERT_TRUE(hears(open.client, 1, "x")) << i;
  }
  EXPECT_EQ(open.client.answer(1).reset, kCancelled);
  EXPECT_TRUE(open.proxy.upstream.wait_for_closed(1));
  EXPECT_EQ(open.client.ask(3, h2_get()).status, 200);
}

TEST(Http2WebSocketEnd, OfOneWhoseClientReadsNothing) {
  Proxy proxy(over_http2({{"timeouts", {{"write", "300ms"}}}}));
  H2Client client(proxy.gateway.port(), std::string("\0\4\0\0\0\5", 6));
  ASSERT_EQ(open_websocket(client, 1).status, 200);
  say(client, 1, "1234567890");
  EXPECT_EQ(client.answer(1).reset, kCancelled);
  EXPECT_EQ(client.answers[1].body, "12345") << "its window";
  EXPECT_TRUE(proxy.upstream.wait_for_closed(1)) << "the server is free again";
}

TEST(Http2WebSocketEnd, ByAFrameThatATunnelHasNot) {
  Open open;
  open.client.send(h2_frame(h2_headers, kEndStream | kEndHeaders, 1, h2_block({{"x-check", "9"}})));
  EXPECT_EQ(open.client.answer(1).reset, kProtocolError) << "RFC 9113 section 8.5";
  EXPECT_TRUE(open.proxy.upstream.wait_for_closed(1));
  EXPECT_EQ(open.client.ask(3, h2_get()).status, 200);
}

TEST(Http2WebSocketEnd, ByAnOperator) {
  Open open(Json{{"admin", {{"listen", "127.0.0.1:0"}}}});
  const Operator operators(open.proxy.gateway.process());
  const auto row = operators.get("/api/v1/requests")["requests"].at(0);
  EXPECT_EQ(row["state"], "tunnel") << row;
  EXPECT_EQ(row["protocol"], "HTTP/2.0");
  EXPECT_EQ(operators.ask("DELETE", "/api/v1/requests/" + row["id"].get<std::string>()).status(), 200);
  EXPECT_EQ(open.client.answer(1).reset, kCancelled);
  EXPECT_TRUE(open.proxy.upstream.wait_for_closed(1));
}

TEST(Http2WebSocketEnd, WithTheDrainAndNotBefore) {
  Open open(Json{{"drain", "3s"}});
  open.proxy.gateway.process().signal(SIGTERM);
  ASSERT_TRUE(open.client.next(h2_goaway)) << "first a notice";
  ASSERT_TRUE(open.client.next(h2_goaway)) << "then the last stream";
  EXPECT_EQ(open.client.last_ids.back(), 1U);
  say(open.client, 1, "still here");
  EXPECT_TRUE(hears(open.client, 1, "still here"));
  EXPECT_EQ(open.proxy.gateway.process().wait(), 0);
  EXPECT_FALSE(open.client.answer(1).ended) << "it was broken off";
  EXPECT_TRUE(open.client.closes());
}

TEST(Http2WebSocketEnd, BeforeTheDrainIsOverLetsTheProcessEnd) {
  Open open(Json{{"drain", "60s"}});
  open.proxy.gateway.process().signal(SIGTERM);
  ASSERT_TRUE(open.client.next(h2_goaway));
  say(open.client, 1, "", true);
  EXPECT_TRUE(open.client.answer(1).ended);
  EXPECT_EQ(open.proxy.gateway.process().wait(), 0);
}

TEST(Http2WebSocketEnd, AtAnUpgradeIsLeftToTheOldProcess) {
  Upgraded upgraded(over_http2({{"drain", "20s"}}));
  H2Client client(upgraded.gateway.gateway().port());
  ASSERT_EQ(open_websocket(client, 1).status, 200);
  ASSERT_TRUE(upgraded.upgrade());
  ASSERT_TRUE(client.next(h2_goaway));
  ASSERT_TRUE(client.next(h2_goaway));
  say(client, 1, "still here");
  EXPECT_TRUE(hears(client, 1, "still here"));
  say(client, 1, "", true);
  EXPECT_TRUE(client.answer(1).ended);
  EXPECT_TRUE(client.closes()) << "it was its last stream";
}

TEST(Http2WebSocketWindow, IsGivenBackAsTheBytesGoOn) {
  Open open;
  constexpr std::size_t kWindow = 65'535;
  constexpr std::size_t kAllBytes = 2'000'000;
  const auto bytes = pattern(kAllBytes);
  auto& client = open.client;
  client.send(h2_frame(h2_window_update, 0, 0, h2_number(kAllBytes)) +
              h2_frame(h2_window_update, 0, 1, h2_number(kAllBytes)));
  std::size_t sent = 0;
  std::size_t stream_window = kWindow;
  std::size_t window = kWindow;
  std::size_t seen = 0;
  while (sent < kAllBytes || client.answers[1].body.size() < kAllBytes) {
    const auto size = std::min({kAllBytes - sent, std::size_t{16'384}, stream_window, window});
    if (size > 0) {
      say(client, 1, std::string_view(bytes).substr(sent, size));
      sent += size;
      stream_window -= size;
      window -= size;
    } else {
      ASSERT_TRUE(client.read()) << sent;
    }
    for (; seen < client.frames.size(); ++seen)
      if (const auto& frame = client.frames[seen]; frame.type == h2_window_update)
        (frame.stream == 1 ? stream_window : window) += frame.number();
    ASSERT_LE(stream_window, kWindow) << "no more than that may be on its way";
  }
  EXPECT_TRUE(client.answers[1].body == bytes);
  say(client, 1, "", true);
  EXPECT_TRUE(client.answer(1).ended);
}

}  // namespace
}  // namespace headgate::test
