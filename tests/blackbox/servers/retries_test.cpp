// Retries, held bodies and mirrors with real servers: they refuse, close in the middle of an answer, answer 503 once,
// or are slow.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/look.hpp"
#include "blackbox/harness/reloaded.hpp"
#include "support/redis_cli.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace headgate::test {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A gateway before two servers, `one` and `two`, with these retries.
struct Pair {
  explicit Pair(const Json& retry, const Json& route = Json::object())
      : gateway(config_for(one, changes(retry, route))) {}

  Json changes(const Json& retry, const Json& route) const {
    Json all = {{"path", "/*"}, {"to", "app"}};
    all.merge_patch(route);
    return {
        {"upstreams",
         {{"app", {{"servers", {one.url(), two.url()}}, {"retry", retry}}}, {"shadow", {{"servers", {shadow.url()}}}}}},
        {"routes", Json::array({all})},
        {"admin", {{"listen", "127.0.0.1:0"}}}};
  }
  std::size_t requests() const { return one.request_count() + two.request_count(); }
  std::string metrics() { return Look(gateway.process()).get("/metrics").body; }

  FakeUpstream one;
  FakeUpstream two;
  FakeUpstream shadow;
  Gateway gateway;
};

/// How many requests with this body came.
std::size_t bodies_of(const FakeUpstream& server, const std::string& body) {
  std::size_t count = 0;
  for (const auto& seen : server.requests()) count += seen.whole && seen.message.body == body ? 1 : 0;
  return count;
}

TEST(Retries, HideAServerThatAnswers503Once) {
  Pair pair(Json::object());
  pair.one.answer_next(1, {{"X-Test-Status", "503"}});
  pair.two.answer_next(1, {{"X-Test-Status", "503"}});
  EXPECT_EQ(pair.gateway.client().get().status(), 503) << "both said so";
  EXPECT_EQ(pair.one.request_count(), 1U);
  EXPECT_EQ(pair.two.request_count(), 1U);
  for (auto* const server : {&pair.one, &pair.two}) {
    server->answer_next(1, {{"X-Test-Status", "503"}});
    for (int i = 0; i < 2; ++i) EXPECT_EQ(pair.gateway.client().get().status(), 200);
  }
  EXPECT_THAT(pair.metrics(), HasSubstr(R"(headgate_upstream_retries_total{upstream="app",reason="status"} 3)"));
}

TEST(Retries, HideAServerThatResetsItsConnections) {
  Pair pair(Json::object());
  pair.one.answer_next(2, {{"X-Test-Reset", "1"}});
  for (int i = 0; i < 4; ++i) EXPECT_EQ(pair.gateway.client().get().status(), 200);
  EXPECT_EQ(pair.requests(), 6U);
  pair.one.answer_next(9, {{"X-Test-Reset", "1"}});
  pair.two.answer_next(9, {{"X-Test-Reset", "1"}});
  EXPECT_EQ(pair.gateway.client().get().status(), 502) << "there are no more attempts";
}

TEST(Retries, NeverSendAPostAgain) {
  Pair pair(Json::object({{"attempts", 5}}), {{"buffer_request", "64KiB"}});
  for (const auto* fields : {"X-Test-Status: 503\r\n", "X-Test-Reset: 1\r\n"})
    EXPECT_GE(pair.gateway.client().ask(request_with_body("POST", "/", "once", fields)).status(), 502);
  EXPECT_EQ(pair.requests(), 2U);
}

TEST(Retries, SendAHeldBodyAgainByteForByte) {
  Pair pair(Json::object(), {{"buffer_request", "1MiB"}, {"max_body", "2MiB"}});
  const std::string body = std::string(300'000, 'a') + std::string("\0\r\n\r\n", 5);
  EXPECT_EQ(pair.gateway.client().ask(request_with_body("PUT", "/", body, "X-Test-Status: 503\r\n")).status(), 503);
  EXPECT_EQ(bodies_of(pair.one, body), 1U);
  EXPECT_EQ(bodies_of(pair.two, body), 1U);
}

TEST(Retries, SendAChunkedBodyAgainWithItsTrailers) {
  Pair pair(Json::object(), {{"buffer_request", "64KiB"}});
  const std::string chunks = "4\r\nabcd\r\n2\r\nef\r\n0\r\nX-Checksum: 7\r\n\r\n";
  const auto fields = "Transfer-Encoding: chunked\r\nX-Test-Status: 503\r\n";
  EXPECT_EQ(pair.gateway.client().ask(request("PUT", "/", fields, chunks)).status(), 503);
  for (auto* const server : {&pair.one, &pair.two}) {
    ASSERT_EQ(server->request_count(), 1U);
    EXPECT_EQ(server->last().message.body, "abcdef");
    EXPECT_EQ(server->last().message.trailer("X-Checksum"), "7");
  }
}

TEST(Retries, DoNotHideAnAnswerThatBrokeOffInTheMiddle) {
  Pair pair(Json::object({{"attempts", 3}}));
  const Message answer = pair.gateway.client().get("/", "X-Test-Cut: 1\r\nX-Test-Bytes: 1000\r\n");
  EXPECT_EQ(answer.status(), 200);
  EXPECT_LT(answer.body.size(), 1000U);
  EXPECT_EQ(pair.requests(), 1U);
}

TEST(Retries, GoToAnotherServerIfOneIsTooSlow) {
  Pair pair(Json::object({{"on", Json::array({"timeout"})}, {"timeout_each", "200ms"}}));
  pair.one.answer_next(1, {{"X-Test-Never", "1"}});
  pair.two.answer_next(1, {{"X-Test-Delay-Ms", "300"}});
  EXPECT_EQ(pair.gateway.client().get().status(), 200) << "the last attempt has all the time of the route";
}

TEST(Retries, ConnectAgainToAServerThatComesBack) {
  const auto port = Socket::listen().local_port();
  FakeUpstream unused;
  Gateway gateway(config_for(unused, {{"upstreams",
                                       {{"app",
                                         {{"servers", {"http://127.0.0.1:" + std::to_string(port)}},
                                          {"retry", {{"attempts", 10}, {"on", Json::array({"connect_error"})}}}}}}}}));
  RawClient client = gateway.client();
  client.send(request_with_body("POST", "/", "once"));
  std::this_thread::sleep_for(Milliseconds(20));
  FakeUpstream late(port);
  EXPECT_EQ(client.read().status(), 200);
  EXPECT_EQ(late.last().message.body, "once");
}

TEST(Retries, AreToldInTheLog) {
  Pair pair(Json::object());
  pair.gateway.client().get("/", "X-Test-Status: 502\r\n");
  EXPECT_TRUE(wait_until([&] { return pair.gateway.process().out().find("retried=502") != std::string::npos; }));
}

// While every server fails, they get a fifth more requests than the gateway, and the floor.
TEST(Retries, AddAtMostTheirBudgetInAStorm) {
  Pair pair(Json::object({{"attempts", 4}}));
  constexpr int kClients = 8;
  constexpr int kEach = 100;
  std::vector<std::thread> clients;
  for (int i = 0; i < kClients; ++i) {
    clients.emplace_back([&] {
      RawClient client = pair.gateway.client();
      for (int k = 0; k < kEach; ++k) EXPECT_EQ(client.get("/", "X-Test-Status: 503\r\n").status(), 503);
    });
  }
  for (auto& client : clients) client.join();
  constexpr std::size_t kFirst = kClients * kEach;
  EXPECT_LE(pair.requests(), kFirst + kFirst / 5 + 100);
  EXPECT_GT(pair.requests(), kFirst + 100) << "the floor and something of the share are used";
  EXPECT_THAT(pair.metrics(), Not(HasSubstr(R"(headgate_retry_budget_exhausted_total{upstream="app"} 0)")));
}

TEST(Retries, KeepTheirBudgetOverAReload) {
  const FakeUpstream own;
  Json failing = {{"upstreams", {{"app", {{"retry", {{"budget", "1%"}}}}}}}};
  failing["upstreams"]["app"]["servers"] = {own.url()};
  Reloaded gateway(failing);
  const auto fail = [&](int requests) {
    const auto before = own.request_count();
    std::vector<std::thread> clients;
    for (int i = 0; i < 10; ++i) {
      clients.emplace_back([&] {
        RawClient client = gateway.client();
        for (int k = 0; k < requests / 10; ++k) client.get("/", "X-Test-Status: 503\r\n");
      });
    }
    for (auto& client : clients) client.join();
    return own.request_count() - before;
  };
  EXPECT_GE(fail(110), 205U);
  auto other = failing;
  other["upstreams"]["app"]["retry"]["attempts"] = 3;
  ASSERT_TRUE(gateway.reload(other));
  EXPECT_LE(fail(20), 22U) << "nothing is granted anew";
}

TEST(RequestBuffering, HoldsNoServerDuringASlowUpload) {
  Pair pair(Json::object(), {{"buffer_request", "64KiB"}});
  RawClient client = pair.gateway.client();
  client.send(request("POST", "/", "Content-Length: 6\r\nX-Test-Echo: 1\r\n", "abc"));
  EXPECT_TRUE(client.stays_silent(Milliseconds(50)));
  EXPECT_EQ(pair.one.connections() + pair.two.connections(), 0U);
  client.send("def");
  EXPECT_EQ(client.read().body, "abcdef");
}

TEST(RequestBuffering, InvitesABodyThatIsExpected) {
  Pair pair(Json::object(), {{"buffer_request", "64KiB"}});
  RawClient client = pair.gateway.client();
  client.send(request("POST", "/", "Content-Length: 3\r\nExpect: 100-continue\r\nX-Test-Echo: 1\r\n"));
  EXPECT_EQ(client.read_head().status(), 100);
  EXPECT_EQ(pair.one.connections() + pair.two.connections(), 0U);
  client.send("abc");
  EXPECT_EQ(client.read().body, "abc");
}

TEST(RequestBuffering, PassesALargerBodyOnAsItComes) {
  Pair pair(Json::object(), {{"buffer_request", "1KiB"}});
  const std::string body(100'000, 'x');
  EXPECT_EQ(pair.gateway.client().ask(request_with_body("PUT", "/", body, "X-Test-Echo: 1\r\n")).body, body);
  RawClient client = pair.gateway.client();
  client.send(request("PUT", "/", "Transfer-Encoding: chunked\r\nX-Test-Echo: 1\r\n",
                      "800\r\n" + std::string(0x800, 'y') + "\r\n"));
  EXPECT_TRUE(wait_until([&] { return pair.requests() == 2; })) << "its begin is passed on before its end is here";
  client.send("3\r\nend\r\n0\r\n\r\n");
  EXPECT_EQ(client.read().body, std::string(0x800, 'y') + "end");
}

TEST(Mirroring, SendsACopyThatIsMarked) {
  Pair pair(Json::object(), {{"mirror", {{"to", "shadow"}}}, {"buffer_request", "64KiB"}});
  const auto sent = request_with_body("POST", "/things?a=b", "some text", "X-User: me\r\n");
  EXPECT_EQ(pair.gateway.client().ask(sent).status(), 200);
  ASSERT_TRUE(pair.shadow.wait_for_requests(1));
  const auto copy = pair.shadow.last().message;
  EXPECT_EQ(copy.start_line, "POST /things?a=b HTTP/1.1");
  EXPECT_EQ(copy.body, "some text");
  EXPECT_EQ(copy.value("X-User"), "me");
  EXPECT_EQ(copy.value("Headgate-Mirror"), "1");
  EXPECT_FALSE(pair.one.last().message.has("Headgate-Mirror"));
  const Look look(pair.gateway.process());
  EXPECT_TRUE(wait_until([&] {
    return look.text().find(R"(headgate_mirrored_requests_total{upstream="shadow",result="answered"} 1)") !=
           std::string::npos;
  }));
}

TEST(Mirroring, NeitherSlowsNorFailsARequest) {
  Pair pair(Json::object(), {{"mirror", {{"to", "shadow"}, {"timeout", "10s"}, {"in_flight", 2}}}});
  pair.shadow.answer_next(1000, {{"X-Test-Never", "1"}});
  RawClient client = pair.gateway.client();
  const auto begun = std::chrono::steady_clock::now();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(client.get().status(), 200);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(9));
  EXPECT_LE(pair.shadow.request_count(), 2U);
  EXPECT_THAT(pair.metrics(), HasSubstr(R"(headgate_mirrored_requests_total{upstream="shadow",result="dropped"} 18)"));
  EXPECT_TRUE(pair.gateway.process().says("copies of requests do not reach the upstream"));
  EXPECT_EQ(count_of(pair.gateway.process().err(), "copies of requests do not reach the upstream"), 1U)
      << "once, not for each";
  // A drain does not wait for copies.
  EXPECT_EQ(pair.gateway.terminate(Milliseconds(5000)), 0);
}

}  // namespace
}  // namespace headgate::test
