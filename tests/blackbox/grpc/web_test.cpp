// gRPC-Web: what pages in browsers speak, translated.

#include "blackbox/grpc/calling.hpp"
#include "blackbox/harness/look.hpp"
#include "support/redis_cli.hpp"

#include "headgate/core/base64.hpp"

#include <gtest/gtest.h>

#include <string>

namespace headgate::test {
namespace {

Json web(const std::string& url, const Json& route = Json::object(), const Json& more = Json::object()) {
  Json one = {{"path", "/*"}, {"to", "app"}, {"grpc_web", true}};
  one.merge_patch(route);
  auto changes = asking(url, {{"routes", {one}}, {"log", {{"format", "json"}}}});
  changes.merge_patch(more);
  return changes;
}

std::string posted_call(const std::string& type, const std::string& body, const std::string& more = "") {
  return "POST /test.Echo/Any HTTP/1.1\r\nHost: a\r\nContent-Type: " + type + "\r\nX-Grpc-Web: 1\r\n" + more +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::string trailers(const std::string& lines) {
  return '\x80' + h2_number(static_cast<std::uint32_t>(lines.size())) + lines;
}

H2Server::Answer echoing() {
  return once_ended([](const H2Asked& asked) {
    return h2_answer(asked.stream, {{":status", "200"}, {"content-type", "application/grpc+proto"}, {"x-meta", "1"}},
                     asked.body + asked.body, {{"grpc-status", "0"}, {"grpc-message", "fine"}, {"x-end", "z"}});
  });
}

TEST(GrpcWeb, BecomesACallOfGrpcOverAnyVersionOfHttp) {
  H2Server server(echoing());
  Proxy proxy(web(server.url()));
  const auto message = grpc_message("hello");
  const auto expected = message + message + trailers("grpc-status: 0\r\ngrpc-message: fine\r\nx-end: z\r\n");
  const auto answer = proxy.client().ask(posted_call("application/grpc-web+proto", message));
  EXPECT_EQ(answer.status(), 200);
  EXPECT_EQ(answer.value("Content-Type"), "application/grpc-web+proto");
  EXPECT_EQ(answer.value("x-meta"), "1");
  EXPECT_EQ(answer.body, expected);
  H2Client client(proxy.gateway.port());
  client.send(h2_request(1, h2_get("/test.Echo/Any", {{"content-type", "application/grpc-web"}}, "POST"), false) +
              h2_frame(h2_data, kEndStream, 1, message));
  const auto second = client.answer(1);
  EXPECT_EQ(second.body, expected);
  EXPECT_TRUE(second.trailers.empty());
  for (const auto& asked : server.asked()) {
    if (!asked.ended) continue;
    EXPECT_EQ(asked.fields.at("content-type").find("application/grpc-web"), std::string::npos);
    EXPECT_EQ(asked.fields.at("te"), "trailers");
    EXPECT_FALSE(asked.fields.contains("x-grpc-web"));
    EXPECT_EQ(asked.body, message);
  }
}

TEST(GrpcWeb, HasATextFormInBase64WhosePiecesMayEachBePadded) {
  H2Server server(echoing());
  Proxy proxy(web(server.url()));
  const auto message = grpc_message("hello");
  const auto in_pieces = base64(message.substr(0, 4)) + base64(message.substr(4));
  const auto answer = proxy.client().ask(posted_call("application/grpc-web-text", in_pieces));
  EXPECT_EQ(answer.status(), 200);
  EXPECT_EQ(answer.value("Content-Type"), "application/grpc-web-text+proto");
  EXPECT_EQ(answer.body,
            base64(message + message) + base64(trailers("grpc-status: 0\r\ngrpc-message: fine\r\nx-end: z\r\n")));
  EXPECT_EQ(server.asked().back().body, message);
}

TEST(GrpcWeb, IsToldOfARefusalInTheBodyWhichAPageOfAnyOriginMayRead) {
  H2Server server(echoing());
  Proxy proxy(
      web(server.url(), {{"limits", {"once"}}}, {{"limits", {{"once", {{"rate", "1/hour"}, {"per", "client_ip"}}}}}}));
  const auto ask = [&](const std::string& type) { return proxy.client().ask(posted_call(type, grpc_message("a"))); };
  EXPECT_EQ(ask("application/grpc-web").status(), 200);
  const auto answer = ask("application/grpc-web");
  EXPECT_EQ(answer.status(), 200);
  EXPECT_EQ(answer.value("Content-Type"), "application/grpc-web");
  EXPECT_FALSE(answer.has("grpc-status"));
  EXPECT_EQ(answer.body.front(), '\x80');
  EXPECT_NE(answer.body.find("grpc-status: 8\r\ngrpc-message: The limit of 1/hour is used up."), std::string::npos);
  EXPECT_NE(answer.body.find("grpc-retry-pushback-ms: "), std::string::npos);
  EXPECT_FALSE(answer.value("Retry-After").empty());
  EXPECT_EQ(ask("application/grpc-web-text")
                .body.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="),
            std::string::npos);
  proxy.gateway.terminate();
  EXPECT_NE(proxy.gateway.process().out().find(R"("status":429,"grpc_status":"RESOURCE_EXHAUSTED")"),
            std::string::npos);
}

TEST(GrpcWeb, HasTheStatusOfAServersFailureInTheBodyToo) {
  H2Server server(once_ended([](const H2Asked& asked) {
    return grpc_failure(asked.stream, "5", {{"grpc-message", "none"}, {"x-other", "stays"}});
  }));
  Proxy proxy(web(server.url()));
  const auto answer = proxy.client().ask(posted_call("application/grpc-web", grpc_message("a")));
  EXPECT_EQ(answer.body, trailers("grpc-status: 5\r\ngrpc-message: none\r\n"));
  EXPECT_EQ(answer.value("x-other"), "stays");
  EXPECT_FALSE(answer.has("grpc-status"));
}

TEST(GrpcWeb, ThatIsNoBase64IsRefusedAndNoServerGetsTheRestOfIt) {
  H2Server server(echoing());
  Proxy proxy(web(server.url()));
  for (const std::string wrong : {"AAAA!", "AAA", "=AAA", "AA=A", "A A="}) {
    const auto answer = proxy.client().ask(posted_call("application/grpc-web-text", wrong));
    EXPECT_EQ(answer.status(), 200) << wrong;
    const auto group = answer.body.substr(0, 8);
    EXPECT_EQ(group, base64(std::string("\x80\0\0\0", 4) + answer.body.substr(0, 0)).substr(0, 4) + group.substr(4));
  }
  for (const auto& asked : server.asked()) EXPECT_FALSE(asked.ended) << asked.body;
  EXPECT_EQ(proxy.client().ask(posted_call("application/grpc-web", grpc_message("a"))).status(), 200);
}

TEST(GrpcWeb, HasOneTypeForItsServerWhateverItsCallerSends) {
  H2Server server(echoing());
  Proxy proxy(web(server.url()));
  for (const std::string more : {"Content-Type: x\r\n", "Content-Type: application/grpc-web-text\r\n"})
    EXPECT_EQ(proxy.client().ask(posted_call("application/grpc-web", grpc_message("a"), more)).status(), 200);
  EXPECT_EQ(proxy.client().ask(posted_call("x", "", "Content-Type: application/grpc-web\r\n")).status(), 200);
  std::size_t translated = 0;
  for (const auto& asked : server.asked()) translated += asked.fields.at("content-type") == "application/grpc" ? 1 : 0;
  EXPECT_GE(translated, 2U);
}

TEST(GrpcWeb, HasADeadlineAndAnUpperBoundOfItsBody) {
  H2Server server([](const H2Asked&) { return std::string(); });
  Proxy proxy(web(server.url(), {{"max_body", "1KiB"}}));
  const auto late =
      proxy.client().ask(posted_call("application/grpc-web", grpc_message("a"), "Grpc-Timeout: 100m\r\n"));
  EXPECT_NE(late.body.find("grpc-status: 4\r\n"), std::string::npos);
  const auto large = proxy.client().ask(posted_call("application/grpc-web-text", base64(std::string(1100, 'x'))));
  EXPECT_EQ(large.body.substr(0, 4), base64(std::string("\x80\0\0", 3)));
  EXPECT_TRUE(wait_until([&] { return server.asked().size() == 3; }))
      << "of the call that came too late: its head, its end, and that it was given up";
  EXPECT_TRUE(server.asked().back().reset);
}

TEST(GrpcWeb, IsLeftAloneOnOtherRoutes) {
  H2Server server(once_ended([](const H2Asked& asked) {
    return h2_answer(asked.stream, {{":status", "200"}, {"content-type", asked.fields.at("content-type")}});
  }));
  Proxy proxy(web(server.url(), {{"grpc_web", false}}));
  EXPECT_EQ(proxy.client().ask(posted_call("application/grpc-web", "")).value("Content-Type"), "application/grpc-web");
  EXPECT_EQ(server.asked().back().fields.at("x-grpc-web"), "1");
}

}  // namespace
}  // namespace headgate::test
