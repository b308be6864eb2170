// Every phase has its own timeout; none ends a peer that is slow but steady.

#include "blackbox/harness/gateway.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace headgate::test {
namespace {

using Clock = std::chrono::steady_clock;

/// Everything below ends after 300 ms plus a coarse tick; this is the most a loaded machine may add.
constexpr Milliseconds kAtMost{3000};
constexpr Milliseconds kAtLeast{290};

class Stopwatch {
 public:
  Milliseconds passed() const { return std::chrono::duration_cast<Milliseconds>(Clock::now() - start_); }
  void expect_about_300() const {
    EXPECT_GE(passed(), kAtLeast);
    EXPECT_LE(passed(), kAtMost);
  }

 private:
  Clock::time_point start_ = Clock::now();
};

TEST(Timeouts, AnIdleConnectionIsClosedWithoutAWord) {
  Proxy proxy(R"({"timeouts": {"idle": "300ms"}})"_json);
  Stopwatch watch;
  RawClient fresh = proxy.client();
  EXPECT_TRUE(fresh.closes());
  watch.expect_about_300();
  RawClient kept = proxy.client();
  Stopwatch again;
  EXPECT_EQ(kept.get().status(), 200);
  EXPECT_TRUE(kept.closes());
  again.expect_about_300();
}

TEST(Timeouts, AHeadThatTricklesIs408) {
  Proxy proxy(R"({"timeouts": {"head": "300ms"}})"_json);
  for (const bool first : {true, false}) {
    RawClient client = proxy.client();
    if (!first) {
      ASSERT_EQ(client.get().status(), 200);
    }
    Stopwatch watch;
    client.send("GET / HTTP/1.1\r\nHost: x\r\nA: ");
    for (int i = 0; i < 5; ++i) {
      std::this_thread::sleep_for(Milliseconds(50));
      client.send("a");
    }
    expect_problem(client.read(), 408);
    watch.expect_about_300();
    EXPECT_TRUE(client.closes());
  }
  EXPECT_EQ(proxy.client().get().status(), 200);
}

TEST(Timeouts, ABodyThatStopsIs408) {
  Proxy proxy(R"({"timeouts": {"body": "300ms"}})"_json);
  for (const char* sent : {"Content-Length: 10\r\n\r\n01234", "Transfer-Encoding: chunked\r\n\r\n5\r\n012"}) {
    RawClient client = proxy.client();
    client.send("POST / HTTP/1.1\r\nHost: x\r\n" + std::string(sent));
    Stopwatch watch;
    expect_problem(client.read(), 408);
    watch.expect_about_300();
    EXPECT_TRUE(client.closes());
  }
  for (const auto& seen : proxy.upstream.requests()) EXPECT_FALSE(seen.whole);
  EXPECT_TRUE(proxy.upstream.wait_for_closed(2)) << "half a request is not kept for the next one";
}

/// Sends a byte every few milliseconds until something comes back or `most` were sent. Returns how many were.
std::size_t trickle(Socket& socket, char byte, std::size_t most) {
  std::string back;
  for (std::size_t sent = 0; sent < most; ++sent) {
    if (socket.receive(back, Milliseconds(5), 1) != Got::timeout) return sent;
    if (!socket.send({&byte, 1})) return sent;
  }
  return most;
}

TEST(Timeouts, AHeadThatNeverStopsIsOverInTimeToo) {
  Proxy proxy(R"({"timeouts": {"head": "300ms"}})"_json);
  RawClient client = proxy.client();
  Stopwatch watch;
  client.send("GET / HTTP/1.1\r\nHost: x\r\nA: ");
  EXPECT_LT(trickle(client.socket(), 'a', 1600), 1600U) << "each byte has bought more time";
  watch.expect_about_300();
}

TEST(Timeouts, AProxyHeaderThatNeverStopsIsOverInTimeToo) {
  Proxy proxy(R"({"timeouts": {"head": "300ms"}, "listen": {"address": "127.0.0.1:0", "proxy_protocol": true},
                  "identity": {"trusted_proxies": ["127.0.0.1/32"]}})"_json);
  RawClient client = proxy.client();
  // Version 2, with 512 bytes to come.
  client.send(std::string("\r\n\r\n\0\r\nQUIT\n\x21\x11\x02\x00", 16));
  EXPECT_LT(trickle(client.socket(), 'a', 500), 500U);
}

TEST(Timeouts, AnAnswersHeadThatNeverStopsIs504) {
  Socket listening = Socket::listen();
  Proxy proxy(Json{{"upstreams", {{"app", "http://127.0.0.1:" + std::to_string(listening.local_port())}}},
                   {"all_routes", {{"timeout", "300ms"}}}});
  RawClient client = proxy.client();
  client.send(request("GET", "/"));
  Socket server = listening.accept();
  std::string ignored;
  ASSERT_EQ(server.receive(ignored), Got::bytes);
  server.send("HTTP/1.1 200 OK\r\nA: ");
  EXPECT_LT(trickle(server, 'a', 1600), 1600U);
  expect_problem(client.read(), 504);
}

TEST(Timeouts, ABodyThatTricklesIsPatientlyPassedIfItMay) {
  Proxy proxy(R"({"timeouts": {"body": "1500ms"}, "all_routes": {"min_rate": "0"}})"_json);
  RawClient client = proxy.client();
  client.send(request("POST", "/", "Content-Length: 8\r\n"));
  client.send_slowly("01234567", 1, Milliseconds(300));
  EXPECT_EQ(client.read().status(), 200);
  EXPECT_EQ(proxy.forwarded().body, "01234567");
}

TEST(Timeouts, AServerThatIsNotThereIs502) {
  Socket taken = Socket::listen();
  const std::string url = "http://127.0.0.1:" + std::to_string(taken.local_port());
  taken.close();
  Proxy proxy(Json{{"upstreams", {{"app", url}}}});
  RawClient client = proxy.client();
  expect_problem(client.get(), 502);
  expect_problem(client.ask(request_with_body("POST", "/", "hello")), 502);
}

TEST(Timeouts, AServerThatDoesNotAcceptIs503Or504) {
  Socket full = Socket::listen(0);
  std::vector<Socket> waiting;  // fills the accept queue, so that the kernel ignores the next one
  for (int i = 0; i < 3; ++i) {
    waiting.push_back(Socket::connect(full.local_port(), "127.0.0.1", "", Milliseconds(50)));
  }
  Proxy proxy(Json{
      {"upstreams",
       {{"app",
         {{"servers", {"http://127.0.0.1:" + std::to_string(full.local_port())}}, {"connect_timeout", "300ms"}}}}}});
  RawClient client = proxy.client();
  Stopwatch watch;
  const Message answer = client.get();
  watch.expect_about_300();
  EXPECT_TRUE(answer.status() == 503 || answer.status() == 504) << visible(answer.head);
  expect_problem(answer, answer.status());
}

TEST(Timeouts, AServerWithoutAnAddressIs502Or503) {
  Proxy proxy(R"({"upstreams": {"app": {"servers": ["http://no-such-host.invalid"], "connect_timeout": "1s"}}})"_json);
  RawClient client = proxy.client();
  const Message answer = client.get();
  EXPECT_TRUE(answer.status() >= 502 && answer.status() <= 504) << visible(answer.head);
  expect_problem(answer, answer.status());
}

TEST(Timeouts, AServerThatDoesNotAnswerIs504) {
  Proxy proxy(R"({"all_routes": {"timeout": "300ms"}})"_json);
  RawClient client = proxy.client();
  for (const std::string& sent :
       {request("GET", "/", "X-Test-Never: 1\r\n"), request_with_body("POST", "/", "hello", "X-Test-Never: 1\r\n")}) {
    client = proxy.client();
    client.send(sent);
    Stopwatch watch;
    expect_problem(client.read(), 504);
    watch.expect_about_300();
  }
  EXPECT_TRUE(proxy.upstream.wait_for_closed(2)) << "a late answer must not be the next one's";
  EXPECT_EQ(proxy.upstream.request_count(), 2U) << "a server that may be working on it is not asked twice";
  EXPECT_EQ(proxy.client().get().status(), 200);
}

TEST(Timeouts, ARouteHasItsOwn) {
  Proxy proxy(R"({"all_routes": {"timeout": "300ms"},
                  "routes": [{"path": "/slow", "to": "app", "timeout": "5s"}, {"path": "/*", "to": "app"}]})"_json);
  EXPECT_EQ(proxy.client().get("/slow", "X-Test-Delay-Ms: 600\r\n").status(), 200);
  EXPECT_EQ(proxy.client().get("/quick", "X-Test-Delay-Ms: 600\r\n").status(), 504);
}

TEST(Timeouts, InterimAnswersAreNotTheAnswer) {
  Proxy proxy(R"({"all_routes": {"timeout": "300ms"}})"_json);
  const std::string hint = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";
  RawClient client = proxy.client();
  client.send(request("GET", "/", "X-Test-Raw: " + to_hex(hint) + "\r\n"));
  expect_problem(client.read(), 504);
}

TEST(Timeouts, AnAnswerThatStopsIsVisiblyBroken) {
  Proxy proxy(R"({"all_routes": {"between_bytes": "300ms"}})"_json);
  for (const char* fields : {"", "X-Test-Chunked: 10\r\n", "X-Test-No-Length: 1\r\n"}) {
    RawClient client = proxy.client();
    Stopwatch watch;
    const Message answer = client.get("/", "X-Test-Stall: 1\r\nX-Test-Bytes: 1000\r\n" + std::string(fields));
    watch.expect_about_300();
    EXPECT_FALSE(answer.ok()) << fields << " half an answer looks whole";
    EXPECT_TRUE(client.closes());
  }
  EXPECT_EQ(proxy.client().get().status(), 200);
}

TEST(Timeouts, AnAnswerMayPauseForAsLongAsItsRouteSays) {
  Proxy proxy(R"({"timeouts": {"idle": "300ms", "head": "300ms", "body": "300ms", "write": "300ms", "tunnel": "300ms"},
                  "all_routes": {"between_bytes": "300ms", "timeout": "300ms"},
                  "routes": [{"path": "/events", "to": "app", "between_bytes": "20s"},
                             {"path": "/*", "to": "app"}]})"_json);
  RawClient patient = proxy.client();
  patient.send(request("GET", "/events", "X-Test-Stall: 1\r\nX-Test-Bytes: 1000\r\nX-Test-Chunked: 100\r\n"));
  Message answer = patient.read_head();
  EXPECT_EQ(answer.status(), 200);
  RawClient other = proxy.client();
  EXPECT_FALSE(other.get("/", "X-Test-Stall: 1\r\nX-Test-Bytes: 1000\r\n").ok()) << "not on that connection either";
  EXPECT_TRUE(patient.socket().is_open());
  std::this_thread::sleep_for(Milliseconds(700));  // twice as long as any other timeout
  proxy.upstream.release();
  patient.read_body(answer);
  EXPECT_TRUE(answer.ok()) << answer.error;
  EXPECT_EQ(answer.body, pattern(1000));
}

TEST(Timeouts, AKeptServerConnectionHasThePatienceOfTheRouteItServes) {
  Proxy proxy(R"({"all_routes": {"between_bytes": "300ms"},
                  "routes": [{"path": "/events", "to": "app", "between_bytes": "20s"},
                             {"path": "/*", "to": "app"}]})"_json);
  RawClient client = proxy.client();
  ASSERT_EQ(client.get("/events").status(), 200);
  Stopwatch watch;
  EXPECT_FALSE(client.get("/", "X-Test-Stall: 1\r\nX-Test-Bytes: 1000\r\n").ok());
  watch.expect_about_300();
  EXPECT_EQ(proxy.upstream.connections(), 1U);
}

TEST(Timeouts, ASlowAnswerIsPatientlyPassed) {
  Proxy proxy(R"({"timeouts": {"body": "1s", "idle": "1s", "write": "1s"},
                  "all_routes": {"timeout": "1s", "between_bytes": "1s"}})"_json);
  const Message answer = proxy.client().get("/", "X-Test-Piece-Delay-Ms: 250\r\nX-Test-Bytes: 100\r\n");
  EXPECT_TRUE(answer.ok()) << answer.error;
  EXPECT_EQ(answer.body, pattern(100));
}

TEST(Timeouts, AClientThatDoesNotReadIsLetGoAndHoldsUpNobody) {
  Proxy proxy(R"({"timeouts": {"write": "300ms"}})"_json);
  RawClient lazy = proxy.client();
  lazy.socket().shrink_receive_buffer();
  lazy.send(request("GET", "/", "X-Test-Bytes: 50000000\r\n"));
  ASSERT_TRUE(proxy.upstream.wait_for_requests(1));
  RawClient other = proxy.client();
  Stopwatch watch;
  while (proxy.upstream.closed() < 1 && watch.passed() < kPatience) {
    Stopwatch one;
    ASSERT_EQ(other.get().status(), 200);
    EXPECT_LT(one.passed(), Milliseconds(1000));
  }
  EXPECT_EQ(proxy.upstream.closed(), 1U) << "the server still sends to a client that is gone";
  EXPECT_LT(lazy.read_to_end().size(), 50000000U);
}

TEST(Timeouts, AServerThatDoesNotReadIsGivenUp) {
  // A server that reads nothing for a while may still answer (often with 413), until the timeout of the route.
  Proxy proxy(
      R"({"timeouts": {"write": "300ms", "body": "1s"}, "all_routes": {"max_body": "64MiB", "timeout": "1s"}})"_json);
  RawClient client = proxy.client();
  client.send(request("PUT", "/", "X-Test-Wait-Body: 1\r\nContent-Length: 50000000\r\n"));
  ASSERT_TRUE(proxy.upstream.wait_for_heads(1));
  const std::string block(1 << 20, 'x');
  for (int i = 0; i < 48 && client.socket().send(block, Milliseconds(100)); ++i) continue;
  const Message answer = client.read();
  EXPECT_TRUE(answer.status() == 502 || answer.status() == 504) << answer.error << visible(answer.head);
  EXPECT_EQ(proxy.client().get().status(), 200);
}

TEST(Timeouts, APooledConnectionNobodyUsesIsClosed) {
  FakeUpstream upstream;
  Gateway gateway(
      config_for(upstream, Json{{"upstreams", {{"app", {{"servers", {upstream.url()}}, {"idle_timeout", "300ms"}}}}}}));
  Stopwatch watch;  // before, as it may come to run late
  EXPECT_EQ(gateway.client().get().status(), 200);
  EXPECT_TRUE(upstream.wait_for_closed(1));
  watch.expect_about_300();
  EXPECT_EQ(gateway.client().get().status(), 200);
}

}  // namespace
}  // namespace headgate::test
