// How WebSockets over HTTP/2 begin: who is told of them, what the server is asked, and which answers open one.

#include "blackbox/harness/reloaded.hpp"
#include "blackbox/http2/websocket.hpp"

#include <gtest/gtest.h>

namespace headgate::test {
namespace {

class Http2WebSocket : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const Json routes = Json::array({{{"path", "/*"}, {"to", "app"}},
                                     {{"path", "/limited"}, {"to", "app"}, {"limits", {"one"}}},
                                     {{"path", "/chosen"}, {"to", "app"}, {"headers", {{"Upgrade", "websocket"}}}},
                                     {{"path", "/post"}, {"to", "app"}, {"methods", {"POST"}}},
                                     {{"path", "/fixed"}, {"respond", {{"status", 200}}}},
                                     {{"path", "/closed"}, {"respond", {{"status", 403}}}},
                                     {{"path", "/h2"}, {"to", "modern"}}});
    const Json modern = {{"servers", {"http://127.0.0.1:9"}}, {"protocol", "http2"}};
    proxy = new Proxy(over_http2({{"limits", {{"one", {{"rate", "1/day"}, {"per", "client_ip"}}}}},
                                  {"upstreams", {{"modern", modern}}},
                                  {"log", {{"format", "json"}, {"access", "stderr"}}},
                                  {"routes", routes}}));
  }
  static void TearDownTestSuite() { delete std::exchange(proxy, nullptr); }
  static std::uint16_t port() { return proxy->gateway.port(); }
  /// Whether a line of the log comes that has both.
  static bool log_has(const std::string& path, const std::string& words) {
    return proxy->gateway.process().wait_for_err([&](const std::string& log) {
      for (auto at = log.find(path); at != std::string::npos; at = log.find(path, at + 1)) {
        const auto begin = log.rfind('\n', at) + 1;
        if (has(log.substr(begin, log.find('\n', at) - begin), words)) return true;
      }
      return false;
    });
  }
  static inline Proxy* proxy = nullptr;
};

TEST_F(Http2WebSocket, CarriesBytesInBothDirections) {
  H2Client client(port());
  EXPECT_EQ(advertised(client), 1U);
  const std::string old_key = "dGhlIHNhbXBsZSBub25jZQ==";
  const auto answer =
      open_websocket(client, 1,
                     websocket("/ws?a=b", {{"sec-websocket-protocol", "chat"},
                                           {"sec-websocket-extensions", "permessage-deflate"},
                                           {"sec-websocket-key", old_key},
                                           {"origin", "https://a.example"},
                                           {"x-test-field", "Sec-WebSocket-Protocol: chat"},
                                           {"x-test-field", "Sec-WebSocket-Extensions: permessage-deflate"}}));
  EXPECT_EQ(answer.status, 200);
  EXPECT_FALSE(answer.ended);
  EXPECT_EQ(answer.fields.at("sec-websocket-protocol"), "chat");
  EXPECT_EQ(answer.fields.at("sec-websocket-extensions"), "permessage-deflate");
  for (const char* name : {"sec-websocket-accept", "upgrade", "connection", "content-length", "transfer-encoding"})
    EXPECT_FALSE(answer.fields.contains(name)) << name;
  const auto sent = proxy->forwarded();
  EXPECT_TRUE(sent.head.starts_with("GET /ws?a=b HTTP/1.1\r\n")) << visible(sent.head);
  EXPECT_EQ(sent.all("Upgrade"), "websocket");
  EXPECT_EQ(sent.all("Connection"), "Upgrade");
  EXPECT_EQ(sent.all("Host"), "a.example");
  EXPECT_EQ(sent.all("Origin"), "https://a.example");
  EXPECT_EQ(sent.all("Sec-WebSocket-Version"), "13");
  EXPECT_EQ(sent.all("Sec-WebSocket-Protocol"), "chat");
  EXPECT_EQ(sent.all("Sec-WebSocket-Key").size(), 24U) << "one, of 16 octets: " << visible(sent.head);
  EXPECT_NE(sent.all("Sec-WebSocket-Key"), old_key);
  EXPECT_FALSE(sent.has("Content-Length"));
  EXPECT_FALSE(sent.has("Transfer-Encoding"));
  const std::string odd("\x81\x05hello\0\r\n\r\nGET / HTTP/1.1\r\n\r\n", 30);
  for (int i = 0; i < 5; ++i) {
    client.answers[1].body.clear();
    say(client, 1, odd);
    EXPECT_TRUE(hears(client, 1, odd)) << i;
  }
  EXPECT_EQ(client.ask(3, h2_get()).status, 200) << "beside it on the same connection";
}

TEST_F(Http2WebSocket, EachHasAKeyOfItsOwn) {
  H2Client client(port());
  ASSERT_EQ(open_websocket(client, 1).status, 200);
  const auto first = proxy->forwarded().value("Sec-WebSocket-Key");
  ASSERT_EQ(open_websocket(client, 3).status, 200);
  EXPECT_NE(proxy->forwarded().value("Sec-WebSocket-Key"), first);
}

TEST_F(Http2WebSocket, CarriesWhatWasSentBeforeTheAnswer) {
  H2Client client(port());
  client.send(h2_request(1, websocket(), false) + h2_frame(h2_data, 0, 1, "early bird"));
  EXPECT_TRUE(hears(client, 1, "early bird"));
  EXPECT_EQ(client.answers[1].status, 200);
}

TEST_F(Http2WebSocket, IsInTheLogAsOverHttp1) {
  H2Client client(port());
  ASSERT_EQ(open_websocket(client, 1, websocket("/logged")).status, 200);
  say(client, 1, "", true);
  EXPECT_TRUE(client.answer(1).ended);
  EXPECT_TRUE(log_has("/logged", "\"method\":\"GET\"")) << proxy->gateway.process().err();
  EXPECT_TRUE(log_has("/logged", "\"status\":101"));
  EXPECT_TRUE(log_has("/logged", "HTTP/2.0"));
  EXPECT_TRUE(log_has("/logged", "\"ended_by\":\"upstream\""));
}

TEST_F(Http2WebSocket, GoesTheSameWayAsOverHttp1) {
  H2Client client(port());
  EXPECT_EQ(open_websocket(client, 1, websocket("/limited")).status, 200);
  const auto over = open_websocket(client, 3, websocket("/limited"));
  EXPECT_EQ(over.status, 429);
  EXPECT_TRUE(over.fields.contains("retry-after"));
  EXPECT_EQ(open_websocket(client, 5, websocket("/chosen")).status, 200) << "by a condition on Upgrade";
  EXPECT_EQ(open_websocket(client, 7, websocket("/post")).status, 200) << "the route of all methods: it is a GET";
  EXPECT_EQ(open_websocket(client, 9, websocket("/closed")).status, 403);
  EXPECT_EQ(open_websocket(client, 11, websocket("/%zz")).status, 400);
}

TEST_F(Http2WebSocket, RefusedByTheServerIsAnAnswerLikeAnother) {
  H2Client client(port());
  std::uint32_t id = 1;
  for (const int status : {403, 426, 302, 503}) {
    client.send(h2_request(id, websocket("/ws", {{"x-test-status", std::to_string(status)}}), false));
    const auto answer = client.answer(id);
    EXPECT_EQ(answer.status, status);
    EXPECT_TRUE(answer.ended);
    EXPECT_FALSE(answer.fields.contains("upgrade"));
    id += 2;
  }
}

TEST_F(Http2WebSocket, IsNotOpenWhereTheServerHasNotSwitched) {
  H2Client client(port());
  std::uint32_t id = 1;
  for (const char* status : {"200", "204", "299"}) {
    EXPECT_EQ(open_websocket(client, id, websocket("/plain", {{"x-test-status", status}})).status, 502) << status;
    id += 2;
  }
  EXPECT_TRUE(log_has("/plain", "opens no WebSocket")) << proxy->gateway.process().err();
  EXPECT_EQ(open_websocket(client, id, websocket("/ws", {{"x-test-accept", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="}})).status,
            502)
      << "the answer to another key";
  const std::string other = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: chat\r\n\r\n";
  EXPECT_EQ(open_websocket(client, id + 2, websocket("/ws", {{"x-test-raw", to_hex(other)}})).status, 502);
  EXPECT_EQ(client.ask(id + 4, h2_get()).status, 200);
}

TEST_F(Http2WebSocket, IsRefusedWhereNoRouteCanOpenIt) {
  H2Client client(port());
  EXPECT_EQ(open_websocket(client, 1, websocket("/fixed")).status, 501) << "its 200 would look like an open one";
  EXPECT_EQ(open_websocket(client, 3, websocket("/h2")).status, 501) << "servers of HTTP/2 are not asked";
}

TEST_F(Http2WebSocket, NothingElseGoesThroughConnect) {
  H2Client client(port());
  EXPECT_EQ(open_websocket(client, 1, websocket("/ws", {}, "connect-udp")).status, 501);
  EXPECT_EQ(client.ask(3, {{":method", "CONNECT"}, {":authority", "a.example:443"}}).status, 501);
  EXPECT_EQ(open_websocket(client, 5, websocket("/ws", {{"content-length", "3"}})).status, 400);
  EXPECT_EQ(open_websocket(client, 7, websocket("/ws", {}, "WebSocket")).status, 200) << "case is ignored";
  client.send(h2_request(9, h2_get("/", {{":protocol", "websocket"}})));
  EXPECT_EQ(client.answer(9).reset, kProtocolError) << "only CONNECT has a protocol";
  EXPECT_EQ(client.ask(11, h2_get()).status, 200);
}

TEST(Http2WebSocketAdvertised, OnlyWhereARouteOpensOne) {
  const Json closed = over_http2({{"routes", Json::array({{{"path", "/*"}, {"to", "app"}, {"methods", {"POST"}}},
                                                          {{"path", "/a"}, {"respond", {{"status", 200}}}}})}});
  Reloaded gateway(closed);
  H2Client before(gateway.gateway().port());
  EXPECT_EQ(advertised(before), std::nullopt);
  before.send(h2_request(1, websocket(), false));
  EXPECT_EQ(before.answer(1).reset, kProtocolError) << "a field that nobody knows";
  ASSERT_TRUE(gateway.reload(over_http2()));
  H2Client between(gateway.gateway().port());
  EXPECT_EQ(advertised(between), 1U);
  EXPECT_EQ(open_websocket(between, 1).status, 200);
  before.send(h2_request(3, websocket(), false));
  EXPECT_EQ(before.answer(3).reset, kProtocolError) << "what its connection was told still holds";
  ASSERT_TRUE(gateway.reload(closed));
  H2Client after(gateway.gateway().port());
  EXPECT_EQ(advertised(after), std::nullopt);
  EXPECT_EQ(open_websocket(between, 3, websocket("/a")).status, 501) << "it may ask, and is refused";
  EXPECT_EQ(open_websocket(between, 5, websocket("/b")).status, 405) << "the route takes only POST";
  say(between, 1, "still here");
  EXPECT_TRUE(hears(between, 1, "still here"));
  for (const auto& frame : between.frames)
    EXPECT_FALSE(frame.type == h2_settings && has(frame.payload, std::string("\0\x8\0\0\0\0", 6)))
        << "never taken back";
}

TEST(Http2WebSocketAdvertised, NotForServersOfHttp2) {
  const Json modern = {{"servers", {"http://127.0.0.1:9"}}, {"protocol", "http2"}};
  Proxy proxy(over_http2({{"upstreams", {{"app", modern}}}}));
  H2Client client(proxy.gateway.port());
  EXPECT_EQ(advertised(client), std::nullopt);
}

}  // namespace
}  // namespace headgate::test
