// Tunnels: after 101 only plain bytes are relayed.

#include "blackbox/harness/gateway.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace headgate::test {
namespace {

const std::string kUpgrade =
    "Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    "Sec-WebSocket-Version: 13\r\n";

Message open_tunnel(RawClient& client, const std::string& early = "") {
  client.send(request("GET", "/ws", kUpgrade) + early);
  return client.read_head();
}

TEST(Tunnel, CarriesBytesInBothDirections) {
  Proxy proxy;
  RawClient client = proxy.client();
  const Message answer = open_tunnel(client);
  ASSERT_EQ(answer.status(), 101) << visible(answer.head);
  EXPECT_EQ(answer.value("Upgrade"), "websocket");
  EXPECT_TRUE(same_name(answer.all("Connection"), "upgrade")) << visible(answer.head);
  EXPECT_TRUE(same_name(proxy.forwarded().all("Connection"), "upgrade")) << visible(proxy.forwarded().head);
  EXPECT_EQ(proxy.forwarded().value("Upgrade"), "websocket");
  EXPECT_EQ(proxy.forwarded().value("Sec-WebSocket-Version"), "13");
  const std::string odd("\x81\x05hello\0\r\n\r\nGET / HTTP/1.1\r\n\r\n", 30);
  for (int i = 0; i < 5; ++i) {
    client.send(odd);
    EXPECT_EQ(client.read_bytes(odd.size()), odd);
  }
}

TEST(Tunnel, CarriesWhatWasSentBeforeTheAnswer) {
  Proxy proxy;
  RawClient client = proxy.client();
  ASSERT_EQ(open_tunnel(client, "early bird").status(), 101);
  EXPECT_EQ(client.read_bytes(10), "early bird");
}

TEST(Tunnel, EndsOneDirectionAtATime) {
  Proxy proxy;
  RawClient client = proxy.client();
  ASSERT_EQ(open_tunnel(client).status(), 101);
  client.send("last words");
  client.socket().finish_sending();
  EXPECT_EQ(client.read_to_end(), "last wordsbye 10") << "what the server says after the client ended is not lost";
}

TEST(Tunnel, EndsWithItsServer) {
  Proxy proxy;
  RawClient client = proxy.client();
  ASSERT_EQ(open_tunnel(client).status(), 101);
  proxy.upstream.drop_connections();
  client.socket().finish_sending();
  client.read_to_end();
  EXPECT_TRUE(client.closes());
}

TEST(Tunnel, EndsWithItsClient) {
  Proxy proxy;
  RawClient client = proxy.client();
  ASSERT_EQ(open_tunnel(client).status(), 101);
  client.socket().reset();
  EXPECT_TRUE(proxy.upstream.wait_for_closed(1));
}

TEST(Tunnel, CarriesMegabytes) {
  Proxy proxy;
  RawClient client = proxy.client();
  ASSERT_EQ(open_tunnel(client).status(), 101);
  const std::string bytes = pattern(8U << 20);
  std::thread sender([&] { client.send(bytes); });
  EXPECT_TRUE(client.read_bytes(bytes.size()) == bytes);
  sender.join();
}

TEST(Tunnel, ThatNobodyUsesIsClosed) {
  Proxy proxy(R"({"timeouts": {"tunnel": "1500ms"}})"_json);
  RawClient client = proxy.client();
  ASSERT_EQ(open_tunnel(client).status(), 101);
  for (int i = 0; i < 4; ++i) {  // longer than the timeout altogether, never without a byte for that long
    std::this_thread::sleep_for(Milliseconds(500));
    client.send("x");
    ASSERT_EQ(client.read_bytes(1), "x") << i;
  }
  EXPECT_TRUE(client.closes());
  EXPECT_TRUE(proxy.upstream.wait_for_closed(1));
}

TEST(Tunnel, RefusedByTheServerIsAnAnswerLikeAnother) {
  Proxy proxy;
  RawClient client = proxy.client();
  client.send(request("GET", "/ws", kUpgrade + "X-Test-Status: 426\r\n"));
  EXPECT_EQ(client.read().status(), 426);
  EXPECT_EQ(client.get().status(), 200);
  EXPECT_EQ(proxy.upstream.requests().back().message.target(), "/");
}

TEST(Tunnel, ThatNobodyRequestedIsNotOpened) {
  Proxy proxy;
  RawClient client = proxy.client();
  const std::string raw = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
  expect_problem(client.get("/", "X-Test-Raw: " + to_hex(raw) + "\r\n"), 502);
  EXPECT_TRUE(proxy.upstream.wait_for_closed(1)) << "that connection speaks something else now";
}

TEST(Tunnel, DoesNotCarryHttp2ClearText) {
  Proxy proxy;
  RawClient client = proxy.client();
  const Message answer = client.get("/",
                                    "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
                                    "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\nX-Test-Status: 200\r\n");
  EXPECT_EQ(answer.status(), 200) << visible(answer.head);
  EXPECT_FALSE(proxy.forwarded().has("Upgrade")) << "requests inside would be seen by no limit";
  EXPECT_FALSE(proxy.forwarded().has("HTTP2-Settings"));
}

TEST(Tunnel, IsNotOpenedByHttp10) {
  Proxy proxy;
  RawClient client = proxy.client();
  client.send("GET / HTTP/1.0\r\nHost: a\r\n" + kUpgrade + "\r\n");
  const Message answer = client.read_head();
  EXPECT_TRUE(answer.status() == 200 || answer.status() == 400) << "RFC 9110 7.8: ignored" << visible(answer.head);
}

TEST(Tunnel, DelaysNobodyElse) {
  Proxy proxy;
  RawClient tunnel = proxy.client();
  ASSERT_EQ(open_tunnel(tunnel).status(), 101);
  EXPECT_EQ(proxy.client().get().status(), 200);
  tunnel.send("still here");
  EXPECT_EQ(tunnel.read_bytes(10), "still here");
}

}  // namespace
}  // namespace headgate::test
