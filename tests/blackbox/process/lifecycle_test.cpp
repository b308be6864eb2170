// Signals, clients that leave and servers that fail: no request under way is lost without need.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/look.hpp"
#include "blackbox/harness/operator.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <thread>

namespace headgate::test {
namespace {

using Clock = std::chrono::steady_clock;

/// Whether a new connection is refused or closed without an answer, within kPatience.
bool stops_accepting(const Gateway& gateway) {
  const auto until = Clock::now() + kPatience;
  while (Clock::now() < until) {
    RawClient client = gateway.client();
    if (!client.is_open() || (client.send(request("GET", "/probe")) && !client.read().ok())) return true;
    std::this_thread::sleep_for(Milliseconds(5));
  }
  return false;
}

/// Entries of a folder of the process: its open files, its threads.
std::size_t in_folder(pid_t pid, const std::string& name) {
  const std::filesystem::directory_iterator all("/proc/" + std::to_string(pid) + '/' + name);
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

TEST(Drain, WhatIsInFlightIsFinishedAndNothingNewIsTaken) {
  for (const int number : {SIGTERM, SIGINT}) {
    Proxy proxy(R"({"drain": "20s"})"_json);
    RawClient client = proxy.client();
    client.send(request("GET", "/slow", "X-Test-Hold: 1\r\nX-Test-Bytes: 100000\r\n"));
    ASSERT_TRUE(proxy.upstream.wait_for_requests(1));
    proxy.gateway.process().signal(number);
    EXPECT_TRUE(stops_accepting(proxy.gateway));
    EXPECT_TRUE(proxy.gateway.process().runs());
    proxy.upstream.release();
    const Message answer = client.read();
    EXPECT_TRUE(answer.ok()) << answer.error;
    EXPECT_EQ(answer.status(), 200);
    EXPECT_TRUE(answer.body == pattern(100000));
    EXPECT_EQ(answer.all("Connection"), "close") << visible(answer.head);
    EXPECT_TRUE(client.closes());
    EXPECT_EQ(proxy.gateway.process().wait(Milliseconds(5000)), 0) << proxy.gateway.process().err();
  }
}

TEST(Drain, OfAWorkerThatEndsBeforeAnotherKeepsNoOperatorWaiting) {
  Proxy proxy(R"({"drain": "60s", "workers": 2, "admin": {"listen": "127.0.0.1:0"},
                  "limits": {"x": {"rate": "9/day", "per": "client_ip"}}, "all_routes": {"limits": ["x"]}})"_json);
  const Operator operators(proxy.gateway.process());
  RawClient client = proxy.client();
  client.send(request("GET", "/slow", "X-Test-Hold: 1\r\n"));
  ASSERT_TRUE(proxy.upstream.wait_for_requests(1));
  const auto threads = in_folder(proxy.gateway.process().pid(), "task");
  proxy.gateway.process().signal(SIGTERM);
  EXPECT_TRUE(stops_accepting(proxy.gateway));
  const auto until = Clock::now() + kPatience;
  // A thread that bounds the end has come meanwhile.
  while (in_folder(proxy.gateway.process().pid(), "task") > threads)
    ASSERT_LT(Clock::now(), until) << "the worker without a request does not end";
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(operators.ask("GET", "/api/v1/top").status(), 200);
    const auto set = operators.ask("PUT", "/api/v1/limits/x/overrides/127.0.0.9", R"({"rate": "9/hour", "for": "1h"})");
    EXPECT_EQ(set.status() / 100, 2) << set.head << set.body;
  }
  proxy.upstream.release();
  EXPECT_EQ(client.read().status(), 200);
  EXPECT_EQ(proxy.gateway.process().wait(Milliseconds(5000)), 0) << proxy.gateway.process().err();
}

TEST(Drain, ABodyOnItsWayUpArrives) {
  Proxy proxy(R"({"drain": "20s"})"_json);
  RawClient client = proxy.client();
  client.send(request("POST", "/", "Content-Length: 10\r\n", "01234"));
  ASSERT_TRUE(proxy.upstream.wait_for_body_bytes(5));
  proxy.gateway.process().signal(SIGTERM);
  EXPECT_TRUE(stops_accepting(proxy.gateway));
  client.send("56789");
  EXPECT_EQ(client.read().status(), 200);
  EXPECT_EQ(proxy.upstream.requests().front().message.body, "0123456789");
  EXPECT_EQ(proxy.gateway.process().wait(Milliseconds(5000)), 0);
}

TEST(Drain, IdleConnectionsDoNotHoldItUp) {
  Proxy proxy(R"({"drain": "20s"})"_json);
  RawClient fresh = proxy.client();
  RawClient kept = proxy.client();
  ASSERT_EQ(kept.get().status(), 200);
  const auto start = Clock::now();
  EXPECT_EQ(proxy.gateway.terminate(), 0);
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(4));
  EXPECT_TRUE(fresh.closes());
  EXPECT_TRUE(kept.closes());
}

TEST(Drain, HasAnEnd) {
  Proxy proxy(R"({"drain": "300ms", "log": {"format": "json", "access": "stderr"}})"_json);
  RawClient client = proxy.client();
  client.send(request("GET", "/", "X-Test-Never: 1\r\n"));
  ASSERT_TRUE(proxy.upstream.wait_for_requests(1));
  const auto start = Clock::now();
  EXPECT_EQ(proxy.gateway.terminate(), 0) << proxy.gateway.process().err();
  EXPECT_GE(Clock::now() - start, Milliseconds(290));
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(4));
  EXPECT_FALSE(client.read().ok());
  EXPECT_TRUE(proxy.gateway.process().says(R"("ended_by":"drain")")) << proxy.gateway.process().err();
}

TEST(Drain, EndsTunnels) {
  Proxy proxy(R"({"drain": "300ms"})"_json);
  RawClient client = proxy.client();
  client.send(request("GET", "/", "Connection: upgrade\r\nUpgrade: x\r\n"));
  ASSERT_EQ(client.read_head().status(), 101);
  EXPECT_EQ(proxy.gateway.terminate(Milliseconds(5000)), 0) << proxy.gateway.process().err();
}

TEST(Drain, ASecondSignalEndsItAtOnce) {
  Proxy proxy(R"({"drain": "60s"})"_json);
  proxy.gateway.expect_any_end();
  RawClient client = proxy.client();
  client.send(request("GET", "/", "X-Test-Never: 1\r\n"));
  ASSERT_TRUE(proxy.upstream.wait_for_requests(1));
  proxy.gateway.process().signal(SIGTERM);
  ASSERT_TRUE(stops_accepting(proxy.gateway));
  EXPECT_NE(proxy.gateway.terminate(Milliseconds(3000)), -1) << "still there after the second signal";
}

TEST(Drain, WaitsForThoseWhoSendRequestsToNotice) {
  Proxy proxy(R"({"drain": "20s", "drain_delay": "4s", "admin": {"listen": "127.0.0.1:0"}})"_json);
  const Look look(proxy.gateway.process());
  RawClient kept = proxy.client();
  const Message before = kept.get();
  EXPECT_EQ(before.status(), 200);
  EXPECT_FALSE(before.has("Connection")) << visible(before.head);
  RawClient resting = proxy.client();
  ASSERT_EQ(resting.get().status(), 200);
  const auto start = Clock::now();
  proxy.gateway.process().signal(SIGTERM);
  ASSERT_TRUE(look.status_comes_to("/readyz", 503));
  for (RawClient client = proxy.client(); auto* one : {&kept, &client}) {
    Message answer = one->get();
    // The worker hears of the drain a moment after /readyz does.
    while (answer.status() == 200 && !answer.has("Connection") && Clock::now() - start < std::chrono::seconds(4))
      answer = one->get();
    EXPECT_EQ(answer.status(), 200) << "requests are answered for a while";
    EXPECT_EQ(answer.all("Connection"), "close") << visible(answer.head);
    EXPECT_TRUE(one->closes());
  }
  ASSERT_LT(Clock::now() - start, std::chrono::seconds(4)) << "this machine is too slow for this test";
  EXPECT_TRUE(resting.stays_silent(Milliseconds(50))) << "it may still ask";
  EXPECT_TRUE(stops_accepting(proxy.gateway));
  EXPECT_GE(Clock::now() - start, std::chrono::seconds(4));
  EXPECT_TRUE(resting.closes());
  EXPECT_EQ(proxy.gateway.process().wait(), 0) << proxy.gateway.process().err();
}

TEST(Drain, ThatWaitsIsEndedAtOnceByASecondSignal) {
  Proxy proxy(R"({"drain_delay": "1m"})"_json);
  proxy.gateway.expect_any_end();
  proxy.gateway.process().signal(SIGTERM);
  ASSERT_TRUE(proxy.gateway.process().wait_for_err(
      [](const std::string& text) { return text.find("the gateway listens for another 1m") != std::string::npos; }));
  EXPECT_NE(proxy.gateway.terminate(Milliseconds(3000)), -1) << "still there after the second signal";
}

TEST(Clients, ThatLeaveInAnyPhaseAreCleanedUp) {
  // A close looks like a half close until something is written. So a client that leaves silently lasts as long as the
  // phase it left in.
  Proxy proxy(R"({"all_routes": {"max_body": "64MiB", "timeout": "1s"},
                  "timeouts": {"head": "1s", "body": "1s", "write": "1s"}})"_json);
  RawClient healthy = proxy.client();
  ASSERT_EQ(healthy.get().status(), 200);
  const pid_t pid = proxy.gateway.process().pid();
  const std::size_t before = in_folder(pid, "fd");
  const std::vector<std::string> phases = {"",
                                           "GET / HT",
                                           "GET / HTTP/1.1\r\nHost: x\r\nA: ",
                                           request("POST", "/", "Content-Length: 1000000\r\n", "hello"),
                                           request("POST", "/", "Transfer-Encoding: chunked\r\n", "5\r\nhel"),
                                           request("GET", "/", "X-Test-Never: 1\r\n"),
                                           request("GET", "/", "X-Test-Bytes: 20000000\r\n"),
                                           request("GET", "/", "X-Test-Bytes: 20000000\r\nX-Test-Chunked: 10000\r\n")};
  for (int i = 0; i < 40; ++i) {
    RawClient client = proxy.client();
    client.send(phases[static_cast<std::size_t>(i) % phases.size()]);
    if (i % 3 == 0) std::this_thread::sleep_for(Milliseconds(5));
    if (i % 2 == 0) client.socket().reset();
  }
  EXPECT_EQ(healthy.get().status(), 200);
  const auto until = Clock::now() + kPatience;
  while (in_folder(pid, "fd") > before + 1 && Clock::now() < until) {
    std::this_thread::sleep_for(Milliseconds(20));
  }
  EXPECT_LE(in_folder(pid, "fd"), before + 1) << "sockets are left behind";
  EXPECT_EQ(healthy.get().status(), 200);
}

TEST(Clients, ThatResetWhileTheyWaitCancelTheRequestToTheServer) {
  Proxy proxy;
  RawClient client = proxy.client();
  client.send(request("GET", "/", "X-Test-Never: 1\r\n"));
  ASSERT_TRUE(proxy.upstream.wait_for_requests(1));
  client.socket().reset();
  EXPECT_TRUE(proxy.upstream.wait_for_closed(1));
}

TEST(Clients, ThatBreakOffABodyDoNotCompleteIt) {
  Proxy proxy;
  for (const char* body : {"Content-Length: 10\r\n\r\n01234", "Transfer-Encoding: chunked\r\n\r\n5\r\n01234\r\n"}) {
    RawClient client = proxy.client();
    client.send("POST / HTTP/1.1\r\nHost: x\r\n" + std::string(body));
    client.socket().finish_sending();
    const Message answer = client.read();
    EXPECT_TRUE(!answer.ok() || answer.status() == 400) << visible(answer.head);
  }
  EXPECT_EQ(proxy.client().get().status(), 200);
  for (const auto& seen : proxy.upstream.requests()) {
    EXPECT_FALSE(seen.message.method() == "POST" && seen.whole);
  }
}

TEST(Servers, ThatClosedAnIdleConnectionAreAskedAgainOnANewOne) {
  Proxy proxy;
  RawClient client = proxy.client();
  for (const char* method : {"GET", "HEAD", "OPTIONS", "PUT", "DELETE"}) {
    ASSERT_EQ(client.get().status(), 200);
    const std::size_t before = proxy.upstream.request_count();
    const Kind kind = std::string(method) == "HEAD" ? Kind::answer_to_head : Kind::answer;
    const Message answer = client.ask(request(method, "/again", "X-Test-Reset-If-Reused: 1\r\n"), kind);
    EXPECT_EQ(answer.status(), 200) << method << visible(answer.head + answer.body);
    EXPECT_EQ(proxy.upstream.request_count(), before + 2) << method;
  }
}

TEST(Servers, AreNotAskedAgainForWhatMayHaveHappened) {
  Proxy proxy;
  RawClient client = proxy.client();
  for (const std::string& sent :
       {request("POST", "/", "X-Test-Reset-If-Reused: 1\r\n"), request("PATCH", "/", "X-Test-Reset-If-Reused: 1\r\n"),
        request_with_body("POST", "/", "hello", "X-Test-Reset-If-Reused: 1\r\n")}) {
    client = proxy.client();
    ASSERT_EQ(client.get().status(), 200);
    const std::size_t before = proxy.upstream.request_count();
    expect_problem(client.ask(sent), 502);
    EXPECT_EQ(proxy.upstream.request_count(), before + 1) << visible(sent);
  }
}

TEST(Servers, ThatResetAFreshConnectionAre502) {
  Proxy proxy;
  RawClient client = proxy.client();
  expect_problem(client.get("/", "X-Test-Reset: 1\r\n"), 502);
  expect_problem(proxy.client().get("/", "X-Test-Raw: \r\nX-Test-Close: 1\r\n"), 502);  // a close without a byte
  EXPECT_EQ(proxy.client().get().status(), 200);
}

TEST(Servers, ThatRestartAreFoundAgain) {
  Proxy proxy;
  RawClient client = proxy.client();
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(client.get().status(), 200);
    proxy.upstream.drop_connections();
    EXPECT_TRUE(proxy.upstream.wait_for_closed(proxy.upstream.connections()));
  }
}

TEST(Workers, AllAnswerOnAllListeners) {
  Proxy proxy(R"({"workers": 2, "listen": ["127.0.0.1:0", "127.0.0.1:0"]})"_json);
  ASSERT_NE(proxy.gateway.port(0), proxy.gateway.port(1));
  for (int i = 0; i < 20; ++i) {
    RawClient client(proxy.gateway.port(static_cast<std::size_t>(i % 2)));
    EXPECT_EQ(client.get().status(), 200);
  }
}

}  // namespace
}  // namespace headgate::test
