// Limits that count the messages of calls.

#include "blackbox/grpc/calling.hpp"
#include "blackbox/harness/look.hpp"
#include "support/redis_cli.hpp"
#include "support/redis_server.hpp"

#include <gtest/gtest.h>

#include <string>

namespace headgate::test {
namespace {

Json counting(const std::string& url, const Json& limit = Json::object(), const Json& more = Json::object()) {
  Json rule = {{"count", "messages"}, {"rate", "5/hour"}, {"per", "client_ip"}};
  rule.merge_patch(limit);
  auto changes = asking(url, {{"limits", {{"talk", rule}}},
                              {"routes", {{{"path", "/*"}, {"to", "app"}, {"limits", {"talk"}}}}},
                              {"log", {{"format", "json"}}}});
  changes.merge_patch(more);
  return changes;
}

H2Server::Answer when_ended() {
  return once_ended([](const H2Asked& asked) { return grpc_answer(asked.stream, "0"); });
}

std::string messages(std::uint32_t stream, unsigned count, bool last = false) {
  std::string body;
  for (unsigned i = 0; i < count; ++i) body += grpc_message("m" + std::to_string(i));
  return h2_frame(h2_data, last ? kEndStream : 0, stream, body);
}

/// The bytes of messages that the server has got.
std::size_t arrived(const H2Server& server) {
  std::size_t most = 0;
  for (const auto& each : server.asked()) most = std::max(most, each.body.size());
  return most;
}

constexpr std::size_t kMessage = 7;  // bytes

TEST(GrpcMessages, TakeAPermitEachAndEndTheCallThatHasNoMore) {
  H2Server server(when_ended());
  Proxy proxy(counting(server.url()));
  H2Client client(proxy.gateway.port());
  client.send(h2_request(1, call("Talk"), false));
  for (int i = 0; i < 5; ++i) client.send(messages(1, 1));
  EXPECT_EQ(client.answer(1, Milliseconds(300)).status, 0) << "five are allowed, the first one with the call";
  client.send(messages(1, 1));
  const auto answer = client.answer(1);
  EXPECT_EQ(grpc_status_of(answer), "8");
  EXPECT_EQ(answer.fields.at("grpc-message").find("The limit of 5/hour is used up. Try again in "), 0U);
  EXPECT_GT(std::stoul(answer.fields.at("grpc-retry-pushback-ms")), 600'000U);
  EXPECT_EQ(grpc_status_of(client.ask(3, call("Talk"))), "8") << "and a call needs one for its first message";
  ASSERT_TRUE(wait_until([&] { return arrived(server) == 5 * kMessage; })) << arrived(server);
}

TEST(GrpcMessages, ThatComeWithTheHeadOfTheCallCountAsWell) {
  H2Server server(when_ended());
  Proxy proxy(counting(server.url()));
  H2Client client(proxy.gateway.port());
  client.send(h2_request(1, call("Talk"), false) + messages(1, 5, true));
  EXPECT_EQ(grpc_status_of(client.answer(1)), "0");
  client.send(h2_request(3, call("Talk"), false) + messages(3, 1, true));
  EXPECT_EQ(grpc_status_of(client.answer(3)), "8");
}

TEST(GrpcMessages, AreToldInTrailersThatTheirLimitIsUsedUpWhereTheAnswerHasBegun) {
  H2Server server([](const H2Asked& asked) {
    if (asked.reset || asked.ended) return std::string();
    return h2_request(asked.stream, {{":status", "200"}, {"content-type", "application/grpc"}}, false) +
           h2_frame(h2_data, 0, asked.stream, grpc_message("hello"));
  });
  Proxy proxy(counting(server.url()));
  H2Client client(proxy.gateway.port());
  client.send(h2_request(1, call("Talk"), false));
  ASSERT_TRUE(wait_until([&] { return client.answer(1, Milliseconds(50)).status == 200; }));
  for (int i = 0; i < 6; ++i) client.send(messages(1, 1));
  const auto answer = client.answer(1);
  ASSERT_TRUE(answer.trailers.contains("grpc-status"));
  EXPECT_EQ(answer.trailers.at("grpc-status"), "8");
  EXPECT_GT(std::stoul(answer.trailers.at("grpc-retry-pushback-ms")), 600'000U);
}

TEST(GrpcMessages, ThatComeAtOnceAreToldTheWaitForTheFirstOneThatIsTooMany) {
  H2Server server(when_ended());
  Proxy proxy(counting(server.url()));
  H2Client client(proxy.gateway.port());
  client.send(h2_request(1, call("Talk"), false) + messages(1, 9, true));
  const auto answer = client.answer(1);
  EXPECT_EQ(grpc_status_of(answer), "8");
  EXPECT_EQ(answer.fields.at("grpc-message").find("The limit of 5/hour is used up. Try again in "), 0U);
  EXPECT_GT(std::stoul(answer.fields.at("grpc-retry-pushback-ms")), 600'000U);
  EXPECT_TRUE(server.asked().empty());
}

TEST(GrpcMessages, CountInCallsThatHideWhatTheyAre) {
  H2Server server(when_ended());
  Proxy proxy(counting(server.url()));
  H2Client client(proxy.gateway.port());
  auto two = h2_get("/test.Echo/Talk", {{"content-type", "text/plain"}, {"content-type", "application/grpc"}}, "POST");
  client.send(h2_request(1, two, false) + messages(1, 6, true));
  EXPECT_EQ(grpc_status_of(client.answer(1)), "8");
  Proxy other(counting(server.url()));
  std::string body;
  for (int i = 0; i < 6; ++i) body += grpc_message("m");
  const auto answer = other.client().ask(
      "POST /test.Echo/Talk HTTP/1.1\r\nHost: a\r\nContent-Type: application/grpc\r\n"
      "Content-Length: " +
      std::to_string(body.size()) + "\r\n\r\n" + body);
  EXPECT_EQ(answer.status(), 429) << "a call over HTTP/1.1, which its server would take for one";
  EXPECT_TRUE(server.asked().empty());
}

TEST(GrpcMessages, AreOnlyCountedByALimitThatObserves) {
  H2Server server(when_ended());
  Proxy proxy(counting(server.url(), {{"mode", "observe"}}, {{"admin", {{"listen", "127.0.0.1:0"}}}}));
  {
    H2Client client(proxy.gateway.port());
    client.send(h2_request(1, call("Talk"), false));
    for (int i = 0; i < 8; ++i) client.send(messages(1, 1, i == 7));
    EXPECT_EQ(grpc_status_of(client.answer(1)), "0");
  }
  const Look look(proxy.gateway.process());
  const auto units = [&](const std::string& decision) {
    const auto metrics = look.text();
    const auto line = R"(headgate_limit_units_total{limit="talk",tier="",decision=")" + decision + "\"} ";
    const auto at = metrics.find(line);
    return at == std::string::npos ? 0 : std::stoi(metrics.substr(at + line.size()));
  };
  EXPECT_TRUE(wait_until([&] { return units("allowed") + units("observed") == 8; }))
      << units("allowed") << ' ' << units("observed");
  EXPECT_GE(units("observed"), 3);
  EXPECT_EQ(units("rejected"), 0);
}

TEST(GrpcMessages, SuspendWhoeverSendsTooMany) {
  H2Server server(when_ended());
  Proxy proxy(counting(server.url(), {{"rate", "5/second"}, {"ban", {{"after", 1}, {"within", "1m"}, {"for", "1m"}}}}));
  H2Client client(proxy.gateway.port());
  client.send(h2_request(1, call("Talk"), false));
  for (int i = 0; i < 8; ++i) client.send(messages(1, 1));
  const auto answer = client.answer(1);
  EXPECT_EQ(grpc_status_of(answer), "8");
  EXPECT_GT(std::stoul(answer.fields.at("grpc-retry-pushback-ms")), 50'000U) << "as long as the suspension";
  EXPECT_EQ(grpc_status_of(client.ask(3, call("Talk"))), "8");
}

TEST(GrpcMessages, CountOnAllGatewaysThatShareTheLimitAndHereWhileRedisIsDown) {
  if (!RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
  RedisServer redis;
  ASSERT_TRUE(redis.start()) << redis.error();
  H2Server server(when_ended());
  const auto changes =
      counting(server.url(), {{"rate", "20/hour"}},
               {{"redis", {{"url", "redis://127.0.0.1:" + std::to_string(redis.port())}, {"timeout", "2s"}}}});
  Proxy one(changes), two(changes);
  H2Client a(one.gateway.port()), b(two.gateway.port());
  a.send(h2_request(1, call("Talk"), false) + messages(1, 12, true));
  EXPECT_EQ(grpc_status_of(a.answer(1)), "0");
  b.send(h2_request(1, call("Talk"), false) + messages(1, 8, false));
  EXPECT_EQ(b.answer(1, Milliseconds(300)).status, 0);
  b.send(messages(1, 1));
  EXPECT_EQ(grpc_status_of(b.answer(1)), "8");
  // A call that began before Redis went goes on under this gateway's own share.
  Proxy three(counting(server.url(), {{"rate", "20/hour"}, {"per", "host"}},
                       {{"redis", {{"url", "redis://127.0.0.1:" + std::to_string(redis.port())}, {"timeout", "2s"}}}}));
  H2Client c(three.gateway.port());
  c.send(h2_request(1, call("Talk"), false) + messages(1, 1));
  EXPECT_EQ(c.answer(1, Milliseconds(300)).status, 0);
  redis.kill9();
  c.send(messages(1, 10));
  EXPECT_EQ(c.answer(1, Milliseconds(300)).status, 0);
  for (int i = 0; i < 20; ++i) c.send(messages(1, 1));
  EXPECT_EQ(grpc_status_of(c.answer(1)), "8");
}

TEST(GrpcMessages, OfAPlainRequestAreOne) {
  H2Server server(once_ended([](const H2Asked& asked) { return h2_answer(asked.stream, {{":status", "200"}}); }));
  Proxy proxy(counting(server.url()));
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(
        proxy.client().ask("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 30\r\n\r\n" + std::string(30, '\0')).status(),
        200);
  EXPECT_EQ(proxy.client().get("/").status(), 429);
}

}  // namespace
}  // namespace headgate::test
