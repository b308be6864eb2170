// Limits that count the messages of calls.

#include "blackbox/grpc/calling.hpp"
#include "blackbox/harness/look.hpp"
#include "support/redis_cli.hpp"
#include "support/redis_server.hpp"

#include "headgate/core/base64.hpp"

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

/// The call never fits: its library repeats nothing, and its program is told no time.
void expect_never(const H2Answer& answer, const std::string& why) {
  EXPECT_EQ(grpc_status_of(answer), "8");
  EXPECT_EQ(answer.fields.at("grpc-message"), why);
  EXPECT_EQ(answer.fields.at("grpc-retry-pushback-ms"), "-1");
  EXPECT_FALSE(answer.fields.contains("grpc-status-details-bin"));
  EXPECT_FALSE(answer.fields.contains("retry-after"));
}

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
  expect_never(answer, "This call has sent 6 messages, and at most 5 are ever allowed at once here; 0 are left.");
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

TEST(GrpcMessages, ThatComeAtOnceAndNeverFitAreToldThatNoWaitHelpsAndWhatIsLeft) {
  H2Server server(when_ended());
  Proxy proxy(counting(server.url(), {{"rate", "10/hour"}}));
  H2Client client(proxy.gateway.port());
  client.send(h2_request(1, call("Talk"), false) + messages(1, 12, true));
  const auto answer = client.answer(1);
  expect_never(answer, "This call has sent 12 messages, and at most 10 are ever allowed at once here; 9 are left.");
  EXPECT_EQ(answer.fields.at("x-ratelimit-remaining"), "9");
  EXPECT_EQ(answer.fields.at("ratelimit").find("\"talk\";r=9;"), 0U) << answer.fields.at("ratelimit");
  EXPECT_TRUE(server.asked().empty());
  std::string body;
  for (int i = 0; i < 12; ++i) body += grpc_message("m");
  const auto plain = proxy.client().ask(request_with_body("POST", "/test.Echo/Talk", body));
  EXPECT_EQ(plain.status(), 429);
  EXPECT_FALSE(plain.has("Retry-After"));
  EXPECT_EQ(plain.value("X-Should-Retry"), "false");
  EXPECT_EQ(plain.value("X-RateLimit-Remaining"), "8");
  EXPECT_NE(plain.body.find("at most 10 are ever allowed at once here; 8 are left."), std::string::npos) << plain.body;
}

TEST(GrpcMessages, ThatFitLaterAreToldTheWaitForTheWholeCall) {
  H2Server server(when_ended());
  Proxy proxy(counting(server.url(), {{"rate", "10/hour"}}));
  H2Client client(proxy.gateway.port());
  client.send(h2_request(1, call("Talk"), false) + messages(1, 9, true));
  EXPECT_EQ(grpc_status_of(client.answer(1)), "0");
  client.send(h2_request(3, call("Talk"), false) + messages(3, 8, true));
  const auto answer = client.answer(3);
  EXPECT_EQ(grpc_status_of(answer), "8");
  EXPECT_GT(std::stoul(answer.fields.at("grpc-retry-pushback-ms")), 2'600'000U)
      << "eight messages and not the seven behind the first";
}

TEST(GrpcMessages, CountInBodiesOfEveryType) {
  for (const std::string type : {"application/grpcx", "application/json", "application/grpc-web+proto",
                                 "application/connect+proto", "text/plain", ""}) {
    H2Server server(when_ended());
    Proxy proxy(counting(server.url()));
    auto fields = h2_get("/test.Echo/Talk", {}, "POST");
    if (!type.empty()) fields.emplace_back("content-type", type);
    H2Client client(proxy.gateway.port());
    client.send(h2_request(1, fields, false) + messages(1, 6, true));
    EXPECT_EQ(client.answer(1).status, 429) << type;
    std::string body;
    for (int i = 0; i < 6; ++i) body += grpc_message("m");
    const auto field = type.empty() ? "" : "Content-Type: " + type + "\r\n";
    EXPECT_EQ(proxy.client().ask(request_with_body("POST", "/test.Echo/Talk", body, field)).status(), 429) << type;
    EXPECT_TRUE(server.asked().empty()) << type;
  }
}

TEST(GrpcMessages, CountInTheTextFormOfGrpcWeb) {
  H2Server server(when_ended());
  Proxy proxy(counting(server.url()));
  std::string body;
  for (int i = 0; i < 6; ++i) body += grpc_message("m");
  const std::string type = "Content-Type: application/grpc-web-text\r\n";
  EXPECT_EQ(proxy.client().ask(request_with_body("POST", "/test.Echo/Talk", base64(body), type)).status(), 429);
  EXPECT_EQ(proxy.client().ask(request_with_body("POST", "/test.Echo/Talk", body, type)).status(), 429)
      << "what is no base64 is counted as it is";
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
  EXPECT_EQ(answer.fields.at("grpc-retry-pushback-ms"), "-1") << "the call never fits";
  const auto next = client.ask(3, call("Talk"));
  EXPECT_EQ(grpc_status_of(next), "8");
  EXPECT_GT(std::stoul(next.fields.at("grpc-retry-pushback-ms")), 50'000U) << "as long as the suspension";
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
  c.send(messages(1, 4));  // a third of the limit is 6, as three gateways share it
  EXPECT_EQ(c.answer(1, Milliseconds(300)).status, 0);
  for (int i = 0; i < 20; ++i) c.send(messages(1, 1));
  EXPECT_EQ(grpc_status_of(c.answer(1)), "8");
}

TEST(GrpcMessages, OfAPlainRequestAreOne) {
  H2Server server(once_ended([](const H2Asked& asked) { return h2_answer(asked.stream, {{":status", "200"}}); }));
  Proxy proxy(counting(server.url()));
  const std::string protobuf("\x08\0\x10\0\x18\0\x20\0\x28\0\x30\0\x38\0", 14);
  for (const std::string& body : {std::string("{\"a\": [0, 1]}"), protobuf, std::string("a=1&b=2&c=3"),
                                  std::string("\x1f\x8b\0\0\0\0\0\0\0\0", 10), std::string()})
    EXPECT_EQ(proxy.client().ask(request_with_body("POST", "/", body)).status(), 200) << visible(body);
  EXPECT_EQ(proxy.client().get("/").status(), 429);
}

}  // namespace
}  // namespace headgate::test
