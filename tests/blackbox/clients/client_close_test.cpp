// Clients that close their connection before they have an answer: what they held is free at once.

#include "blackbox/harness/gateway.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace headgate::test {
namespace {

using Clock = std::chrono::steady_clock;

Json with(Json config, const Json& changes = Json::object()) {
  config.merge_patch(changes);
  return config;
}

Json logged(const Json& changes = Json::object()) {
  return with({{"log", {{"format", "json"}, {"access", "stderr"}}}}, changes);
}

/// At most `most` requests of an address at the same time.
Json at_most(unsigned most) {
  return logged({{"limits", {{"flights", {{"in_flight", most}, {"per", "client_ip"}}}}},
                 {"all_routes", {{"limits", {"flights"}}}}});
}

bool logs(Proxy& proxy, const std::string& words) {
  return proxy.gateway.process().wait_for_err(
      [&](const std::string& log) { return log.find(words) != std::string::npos; });
}

/// A request that its server never answers.
RawClient unanswered(Proxy& proxy, const std::string& fields = "X-Test-Never: 1\r\n") {
  const auto before = proxy.upstream.request_count();
  RawClient client = proxy.client();
  client.send(request("GET", "/", fields));
  EXPECT_TRUE(proxy.upstream.wait_for_requests(before + 1));
  return client;
}

/// Asks again until the answer has this status.
bool comes_to(const Proxy& proxy, int status) {
  const auto until = Clock::now() + kPatience;
  while (Clock::now() < until)
    if (proxy.client().get().status() == status) return true;
  return false;
}

TEST(ClientClose, FreesThePermitAndTheServersConnection) {
  Proxy proxy(at_most(2));
  {
    std::vector<RawClient> impatient;
    impatient.push_back(unanswered(proxy));
    impatient.push_back(unanswered(proxy));
    EXPECT_EQ(proxy.client().get().status(), 429);
  }
  EXPECT_TRUE(comes_to(proxy, 200));
  EXPECT_TRUE(proxy.upstream.wait_for_closed(2));
  EXPECT_TRUE(logs(proxy, R"("status":499,"ended_by":"client_closed")")) << proxy.gateway.process().err();
}

TEST(ClientClose, OfTheSendingSideIsOneToo) {
  Proxy proxy(at_most(1));
  RawClient client = unanswered(proxy);
  client.socket().finish_sending();
  EXPECT_TRUE(client.closes());
  EXPECT_TRUE(comes_to(proxy, 200));
}

TEST(ClientClose, ChangesNothingWhereTheRouteIgnoresIt) {
  Proxy proxy(
      with(at_most(1), {{"routes", Json::array({{{"path", "/*"}, {"to", "app"}, {"client_close", "ignore"}}})}}));
  RawClient half = unanswered(proxy, "X-Test-Hold: 1\r\n");
  half.socket().finish_sending();
  EXPECT_TRUE(half.stays_silent(Milliseconds(200)));
  EXPECT_EQ(proxy.client().get().status(), 429) << "its permit is in use";
  proxy.upstream.release();
  EXPECT_EQ(half.read().status(), 200);
  EXPECT_TRUE(comes_to(proxy, 200));
}

TEST(ClientClose, ThatIsIgnoredStillEndsWithAReset) {
  Proxy proxy(with(at_most(1), {{"all_routes", {{"client_close", "ignore"}}}}));
  {
    RawClient half = unanswered(proxy);
    half.socket().finish_sending();
    EXPECT_TRUE(half.stays_silent(Milliseconds(100)));
    half.socket().reset();
  }
  EXPECT_TRUE(comes_to(proxy, 200));
}

TEST(ClientClose, IsNotWhatANextRequestIs) {
  Proxy proxy;
  RawClient client = unanswered(proxy, "X-Test-Hold: 1\r\n");
  client.send(request("GET", "/next"));
  EXPECT_TRUE(client.stays_silent(Milliseconds(200)));
  proxy.upstream.release();
  EXPECT_EQ(client.read().status(), 200);
  EXPECT_EQ(client.read().status(), 200);
  EXPECT_EQ(proxy.forwarded().start_line, "GET /next HTTP/1.1");
}

TEST(ClientClose, IsSeenBehindANextRequest) {
  Proxy proxy(at_most(1));
  RawClient client = unanswered(proxy);
  client.send(request("GET", "/next"));
  EXPECT_TRUE(client.stays_silent(Milliseconds(100)));
  client.socket().finish_sending();
  EXPECT_TRUE(proxy.upstream.wait_for_closed(1));
  EXPECT_TRUE(comes_to(proxy, 200));
}

TEST(ClientClose, IsSeenIfItCameWithTheLastBytesOfABody) {
  for (const bool at_once : {true, false}) {
    Proxy proxy(at_most(1));
    RawClient client = proxy.client();
    client.send(request("POST", "/", "Content-Length: 10\r\nX-Test-Never: 1\r\n", at_once ? "0123456789" : "01234"));
    if (!at_once) {
      ASSERT_TRUE(proxy.upstream.wait_for_body_bytes(5));
      client.send("56789");
    }
    client.socket().finish_sending();
    EXPECT_TRUE(client.closes());
    EXPECT_TRUE(comes_to(proxy, 200));
  }
}

TEST(ClientClose, EndsAStreamingAnswer) {
  Proxy proxy(at_most(1));
  {
    RawClient client = proxy.client();
    client.send(request("GET", "/", "X-Test-Stall: 1\r\nX-Test-Bytes: 1000\r\nX-Test-Chunked: 100\r\n"));
    EXPECT_EQ(client.read_head().status(), 200);
  }
  EXPECT_TRUE(comes_to(proxy, 200));
  EXPECT_TRUE(logs(proxy, R"("status":200,"ended_by":"client_closed")")) << "that is what was sent";
}

TEST(ClientClose, OfOldClientsIsOneToo) {
  Proxy proxy(at_most(1));
  RawClient client = proxy.client();
  client.send("GET / HTTP/1.0\r\nHost: a\r\nX-Test-Never: 1\r\n\r\n");
  ASSERT_TRUE(proxy.upstream.wait_for_requests(1));
  client.socket().finish_sending();
  EXPECT_TRUE(comes_to(proxy, 200));
}

TEST(ClientClose, IsCharged) {
  Proxy proxy(logged(
      {{"limits", {{"few", {{"rate", "2/hour"}, {"per", "client_ip"}}}}}, {"all_routes", {{"limits", {"few"}}}}}));
  for (int i = 0; i < 2; ++i) unanswered(proxy);
  EXPECT_TRUE(proxy.upstream.wait_for_closed(2));
  EXPECT_EQ(proxy.client().get().status(), 429);
}

TEST(ClientClose, LeavesATunnelOpen) {
  Proxy proxy;
  RawClient client = proxy.client();
  client.send(request("GET", "/", "Connection: Upgrade\r\nUpgrade: x\r\n"));
  EXPECT_EQ(client.read_head().status(), 101);
  client.send(std::string(200'000, 'w'));
  client.socket().finish_sending();
  const auto all = client.read_to_end();
  EXPECT_EQ(all.size(), 200'000 + std::string("bye 200000").size()) << "each direction ends by itself";
}

TEST(ClientClose, IsSeenOverTls) {
  const Json pair = {{"certificate", tls_file("good.pem")}, {"key", tls_file("good.key")}};
  Proxy proxy(with(at_most(1), {{"listen", {{"address", "127.0.0.1:0"}, {"tls", pair}}}}));
  RawClient client = unanswered(proxy);
  client.socket().tls()->send_end();  // the connection itself stays open
  EXPECT_TRUE(proxy.upstream.wait_for_closed(1)) << "close_notify is a close";
  EXPECT_TRUE(comes_to(proxy, 200));
  { RawClient other = unanswered(proxy); }
  EXPECT_TRUE(comes_to(proxy, 200)) << "and so is a close without it";
}

}  // namespace
}  // namespace headgate::test
