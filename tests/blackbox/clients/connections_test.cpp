// Connections: kept, reused, pipelined, closed when they should be.

#include "blackbox/harness/gateway.hpp"

#include <gtest/gtest.h>

namespace headgate::test {
namespace {

TEST(KeepAlive, OneClientConnectionCarriesManyRequestsOverOneServerConnection) {
  Proxy proxy;
  RawClient client = proxy.client();
  for (int i = 0; i < 50; ++i) ASSERT_EQ(client.get("/" + std::to_string(i)).status(), 200);
  EXPECT_EQ(proxy.upstream.request_count(), 50U);
  EXPECT_EQ(proxy.upstream.connections(), 1U);
}

TEST(KeepAlive, ServerConnectionsOutliveTheirClients) {
  Proxy proxy;
  for (int i = 0; i < 10; ++i) {
    RawClient client = proxy.client();
    const Message answer = client.get("/", i % 2 == 0 ? "Connection: close\r\n" : "");
    ASSERT_EQ(answer.status(), 200);
    if (i % 2 == 0) {
      EXPECT_EQ(answer.all("Connection"), "close");
      EXPECT_TRUE(client.closes());
    }
  }
  EXPECT_EQ(proxy.upstream.connections(), 1U);
}

TEST(KeepAlive, AServersConnectionCloseIsNotTheClients) {
  Proxy proxy;
  RawClient client = proxy.client();
  for (int i = 0; i < 3; ++i) {
    const Message answer = client.get("/", "X-Test-Connection: close\r\nX-Test-Close: 1\r\n");
    ASSERT_EQ(answer.status(), 200);
    EXPECT_EQ(answer.all("Connection").find("close"), std::string::npos);
  }
  EXPECT_EQ(proxy.upstream.connections(), 3U);
}

TEST(KeepAlive, AServerThatSaysCloseIsNotAskedAgainOnThatConnection) {
  Proxy proxy;
  RawClient client = proxy.client();
  ASSERT_EQ(client.get("/", "X-Test-Connection: close\r\n").status(), 200);  // says so and stays open
  ASSERT_EQ(client.get().status(), 200);
  EXPECT_EQ(proxy.upstream.requests().back().connection, 2U);
}

TEST(KeepAlive, SimultaneousRequestsHaveConnectionsOfTheirOwn) {
  Proxy proxy;
  std::vector<RawClient> clients;
  for (int i = 0; i < 8; ++i) {
    clients.push_back(proxy.client());
    clients.back().send(request("GET", "/" + std::to_string(i), "X-Test-Hold: 1\r\n"));
  }
  ASSERT_TRUE(proxy.upstream.wait_for_requests(8));
  EXPECT_EQ(proxy.upstream.connections(), 8U);
  proxy.upstream.release();
  for (auto& client : clients) EXPECT_EQ(client.read().status(), 200);
  for (auto& client : clients) EXPECT_EQ(client.get().status(), 200);
  EXPECT_EQ(proxy.upstream.connections(), 8U);
}

TEST(Pipelining, AnswersComeInTheOrderOfTheRequests) {
  Proxy proxy;
  RawClient client = proxy.client();
  std::string sent;
  for (int i = 0; i < 20; ++i) {
    const std::string wait = i % 5 == 0 ? "X-Test-Delay-Ms: 20\r\n" : "";
    sent += i % 3 == 0 ? request_with_body("POST", "/", "body " + std::to_string(i), "X-Test-Echo: 1\r\n" + wait)
                       : request("GET", "/", "X-Test-Bytes: " + std::to_string(i) + "\r\n" + wait);
  }
  client.send(sent);
  for (int i = 0; i < 20; ++i) {
    const Message answer = client.read();
    ASSERT_TRUE(answer.ok()) << i << answer.error;
    EXPECT_EQ(answer.body, i % 3 == 0 ? "body " + std::to_string(i) : pattern(static_cast<std::size_t>(i)));
  }
  EXPECT_TRUE(client.stays_silent(Milliseconds(50)));
}

TEST(Pipelining, WorksByteByByte) {
  Proxy proxy;
  RawClient client = proxy.client();
  const std::string sent =
      request_with_body("POST", "/1", "abc", "X-Test-Echo: 1\r\n") + request("GET", "/2") +
      request("POST", "/3", "Transfer-Encoding: chunked\r\nX-Test-Echo: 1\r\n", "3\r\nxyz\r\n0\r\n\r\n");
  client.send_slowly(sent, 1, Milliseconds(0));
  EXPECT_EQ(client.read().body, "abc");
  EXPECT_EQ(client.read().body, pattern(3));
  EXPECT_EQ(client.read().body, "xyz");
}

TEST(Pipelining, StopsAtConnectionClose) {
  Proxy proxy;
  RawClient client = proxy.client();
  client.send(request("GET", "/1", "Connection: close\r\n") + request("GET", "/2"));
  EXPECT_EQ(client.read().status(), 200);
  EXPECT_TRUE(client.closes());
  EXPECT_EQ(proxy.upstream.request_count(), 1U);
}

TEST(Pipelining, AHalfClosedClientStillGetsItsAnswersWhereItMayBeOne) {
  Proxy proxy(R"({"all_routes": {"client_close": "ignore"}})"_json);
  RawClient client = proxy.client();
  client.send(request("GET", "/1", "X-Test-Delay-Ms: 50\r\n") + request("GET", "/2"));
  client.socket().finish_sending();
  EXPECT_EQ(client.read().status(), 200);
  EXPECT_EQ(client.read().status(), 200);
  EXPECT_TRUE(client.closes());
}

TEST(Pipelining, EmptyLinesBeforeARequestAreForgiven) {
  Proxy proxy;
  RawClient client = proxy.client();
  const Message answer = client.ask("\r\n" + request("GET", "/"));  // RFC 9112 2.2: at least one should be ignored
  EXPECT_EQ(answer.status(), 200) << visible(answer.head + answer.body);
  EXPECT_EQ(proxy.forwarded().start_line, "GET / HTTP/1.1");
}

TEST(Http10, ClientsAreAnsweredAndClosed) {
  Proxy proxy;
  RawClient client = proxy.client();
  const Message answer = client.ask("GET /old HTTP/1.0\r\nHost: a\r\n\r\n");
  EXPECT_EQ(answer.status(), 200) << visible(answer.head);
  EXPECT_EQ(answer.body, pattern(3));
  EXPECT_TRUE(client.closes());
  EXPECT_EQ(proxy.forwarded().start_line, "GET /old HTTP/1.1") << "we speak for ourselves (RFC 9110 2.5)";
}

TEST(Http10, ClientsThatAskForItAreKept) {
  Proxy proxy;
  RawClient client = proxy.client();
  const std::string sent = "GET /old HTTP/1.0\r\nHost: a\r\nConnection: Keep-Alive\r\n\r\n";
  const Message answer = client.ask(sent);
  EXPECT_EQ(answer.body, pattern(3));
  EXPECT_TRUE(same_name(answer.all("Connection"), "keep-alive")) << visible(answer.head);
  EXPECT_EQ(client.ask(sent).status(), 200);
}

TEST(Http10, ClientsNeverSeeChunks) {
  Proxy proxy;
  RawClient client = proxy.client();
  const Message answer = client.ask(
      "GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\nX-Test-Chunked: 10\r\nX-Test-Bytes: 100\r\n\r\n");
  EXPECT_TRUE(answer.ok()) << answer.error;
  EXPECT_FALSE(answer.has("Transfer-Encoding")) << visible(answer.head);
  EXPECT_EQ(answer.body, pattern(100));
  EXPECT_TRUE(client.closes());
}

TEST(Http10, ClientsNeverSeeInterimAnswers) {
  Proxy proxy;
  RawClient client = proxy.client();
  client.send("GET / HTTP/1.0\r\nHost: a\r\nX-Test-Interim: 103\r\n\r\n");
  EXPECT_EQ(client.read_head().status(), 200);
}

TEST(Http10, ServersAreNotKeptUnlessTheySaySo) {
  Proxy proxy;
  RawClient client = proxy.client();
  const std::string raw = to_hex("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok");
  EXPECT_EQ(client.get("/", "X-Test-Raw: " + raw + "\r\n").body, "ok");
  EXPECT_EQ(client.get().status(), 200);
  EXPECT_EQ(proxy.upstream.requests().back().connection, 2U);
}

TEST(Expect, ABodyIsInvitedAndThenSent) {
  Proxy proxy;
  RawClient client = proxy.client();
  for (const char* fields : {"", "X-Test-No-Continue: 1\r\n"}) {
    client.send(request("POST", "/", "Expect: 100-continue\r\nContent-Length: 5\r\n" + std::string(fields)));
    EXPECT_EQ(client.read_head().start_line.substr(0, 12), "HTTP/1.1 100");
    client.send("hello");
    EXPECT_EQ(client.read_head().status(), 200) << "one 100 is enough";
    EXPECT_EQ(client.read_bytes(3), pattern(3));
    EXPECT_EQ(proxy.forwarded().body, "hello");
  }
  EXPECT_EQ(client.get().status(), 200);
}

TEST(Expect, AChunkedBodyIsInvitedToo) {
  Proxy proxy;
  RawClient client = proxy.client();
  client.send(request("POST", "/", "Expect: 100-Continue\r\nTransfer-Encoding: chunked\r\n"));
  EXPECT_EQ(client.read_head().status(), 100);
  client.send("5\r\nhello\r\n0\r\n\r\n");
  EXPECT_EQ(client.read().status(), 200);
  EXPECT_EQ(proxy.forwarded().body, "hello");
}

TEST(Expect, ABodySentUnaskedIsFineToo) {
  Proxy proxy;
  RawClient client = proxy.client();
  EXPECT_EQ(client.ask(request_with_body("POST", "/", "hello", "Expect: 100-continue\r\n")).status(), 200);
  EXPECT_EQ(proxy.forwarded().body, "hello");
  EXPECT_EQ(client.get().status(), 200);
}

TEST(Expect, ABodyTooLargeIsRefusedBeforeItIsSent) {
  Proxy proxy(R"({"all_routes": {"max_body": "1kB"}})"_json);
  RawClient client = proxy.client();
  client.send(request("POST", "/", "Expect: 100-continue\r\nContent-Length: 1001\r\n"));
  const Message head = client.read_head();
  EXPECT_EQ(head.status(), 413) << visible(head.head);
  EXPECT_EQ(proxy.upstream.request_count(), 0U);
}

TEST(Expect, AChunkTooLargeIsRefusedBeforeItIsSent) {
  Proxy proxy(R"({"all_routes": {"max_body": "1kB"}})"_json);
  RawClient client = proxy.client();
  client.send(request("POST", "/", "Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n"));
  EXPECT_EQ(client.read_head().status(), 100);
  client.send("3e9\r\n");
  expect_problem(client.read(), 413);
  EXPECT_TRUE(client.closes());
}

TEST(Expect, AServersRefusalPassesBeforeTheBodyIsSent) {
  Proxy proxy;
  RawClient client = proxy.client();
  client.send(request("POST", "/",
                      "Expect: 100-continue\r\nContent-Length: 5\r\nX-Test-Early: 1\r\n"
                      "X-Test-Status: 401\r\n"));
  const Message answer = client.read();
  EXPECT_EQ(answer.status(), 401) << visible(answer.head);
  // The client may or may not send the body now, so only a close is safe.
  EXPECT_TRUE(client.closes());
}

TEST(Expect, AnAnswerBeforeTheBodysEndEndsTheConnectionSafely) {
  Proxy proxy(R"({"all_routes": {"max_body": "64MiB"}})"_json);
  RawClient client = proxy.client();
  client.send(request("POST", "/", "Content-Length: 2000000\r\nX-Test-Early: 1\r\nX-Test-Status: 403\r\n"));
  client.send(std::string(100000, 'x'));
  const Message answer = client.read();
  EXPECT_EQ(answer.status(), 403) << answer.error;
  client.send(std::string(100000, 'x') + request("GET", "/smuggled"));
  EXPECT_TRUE(client.closes());
  for (const auto& seen : proxy.upstream.requests()) EXPECT_NE(seen.message.target(), "/smuggled");
}

}  // namespace
}  // namespace headgate::test
