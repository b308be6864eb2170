// Servers that are asked over HTTP/2: what they get frame by frame, and what becomes of what they answer.

#include "asking.hpp"
#include "blackbox/harness/h2_client.hpp"
#include "blackbox/harness/real_server.hpp"
#include "blackbox/tls/tls_gateway.hpp"
#include "support/folder.hpp"
#include "support/redis_cli.hpp"

#include <gtest/gtest.h>

#include <mutex>
#include <set>
#include <vector>

namespace headgate::test {
namespace {

TEST(Http2Servers, GetRequestsAsHttp2WritesThem) {
  H2Server server(once_ended([](const H2Asked& asked) {
    return h2_answer(asked.stream, {{":status", "200"}, {"x-a", "b"}, {"content-length", "2"}}, "ok");
  }));
  Proxy proxy(asking(server.url()));
  auto client = proxy.client();
  const auto answer = client.get("/a?b=c", "X-Upper: V\r\nConnection: X-Hop\r\nX-Hop: 1\r\nTE: trailers\r\n");
  EXPECT_EQ(answer.status(), 200);
  EXPECT_EQ(answer.body, "ok");
  EXPECT_EQ(answer.value("X-A"), "b");
  EXPECT_EQ(answer.value("Content-Length"), "2");
  EXPECT_EQ(client.ask(request_with_body("POST", "/p", "hello")).status(), 200) << "on the same connections";
  const auto asked = server.asked();
  const auto& get = asked.at(0);
  EXPECT_TRUE(get.ended) << "with its head";
  EXPECT_EQ(get.fields.at(":method"), "GET");
  EXPECT_EQ(get.fields.at(":scheme"), "http");
  EXPECT_EQ(get.fields.at(":path"), "/a?b=c");
  EXPECT_TRUE(get.fields.contains(":authority"));
  EXPECT_EQ(get.fields.at("x-upper"), "V");
  EXPECT_EQ(get.fields.at("te"), "trailers");
  for (const char* const name : {"host", "connection", "x-hop", "transfer-encoding", "content-length"})
    EXPECT_FALSE(get.fields.contains(name)) << name;
  EXPECT_EQ(asked.back().fields.at("content-length"), "5");
  EXPECT_EQ(asked.back().body, "hello");
  EXPECT_EQ(server.connections(), 1U);
}

TEST(Http2Servers, AreAskedManyAtOnceOverOneConnection) {
  std::mutex mutex;
  std::vector<std::uint32_t> waiting;
  H2Server server(once_ended([&](const H2Asked& asked) {
    const std::lock_guard lock(mutex);
    waiting.push_back(asked.stream);
    if (waiting.size() < 50) return std::string();
    std::string all;
    for (const auto stream : waiting) all += h2_answer(stream, {{":status", "200"}}, std::to_string(stream));
    return all;
  }));
  Proxy proxy(asking(server.url()));
  H2Client client(proxy.gateway.port());
  for (std::uint32_t i = 0; i < 50; ++i) client.send(h2_request(2 * i + 1, h2_get("/" + std::to_string(i))));
  std::set<std::string> bodies;
  for (std::uint32_t i = 0; i < 50; ++i) {
    const auto answer = client.answer(2 * i + 1);
    EXPECT_EQ(answer.status, 200);
    bodies.insert(answer.body);
  }
  EXPECT_EQ(bodies.size(), 50U);
  EXPECT_EQ(server.connections(), 1U);
}

TEST(Http2Servers, SendTrailersAlsoWithoutABody) {
  H2Server server(once_ended([](const H2Asked& asked) {
    const H2Fields head{{":status", "200"}, {"content-type", "application/grpc"}};
    const H2Fields trailers{{"grpc-status", "0"}};
    if (asked.fields.at(":path") == "/only") return h2_answer(asked.stream, {{":status", "200"}, {"grpc-status", "5"}});
    return h2_answer(asked.stream, head, asked.fields.at(":path") == "/empty" ? "" : "body", trailers);
  }));
  Proxy proxy(asking(server.url()));
  H2Client client(proxy.gateway.port());
  auto answer = client.ask(1, h2_get("/body"));
  EXPECT_EQ(answer.body, "body");
  EXPECT_EQ(answer.trailers.at("grpc-status"), "0");
  answer = client.ask(3, h2_get("/empty"));
  EXPECT_EQ(answer.body, "");
  EXPECT_EQ(answer.trailers.at("grpc-status"), "0");
  answer = client.ask(5, h2_get("/only"));
  EXPECT_EQ(answer.fields.at("grpc-status"), "5");
  EXPECT_TRUE(answer.ended);
  answer = client.ask(7, h2_get("/empty", {}, "HEAD"));
  EXPECT_EQ(answer.status, 200);
  EXPECT_TRUE(answer.ended) << "behind a head alone no trailers go";
  EXPECT_TRUE(answer.trailers.empty());
  // And those of the request.
  client.send(h2_request(9, h2_get("/body", {}, "POST"), false));
  client.send(h2_frame(h2_data, 0, 9, "ping"));
  client.send(h2_request(9, {{"x-sum", "9"}}, true));
  EXPECT_EQ(client.answer(9).status, 200);
  EXPECT_EQ(server.asked().back().trailers.at("x-sum"), "9");
}

TEST(Http2Servers, StreamBothWaysAtOnce) {
  H2Server server([](const H2Asked& asked) {
    if (asked.reset) return std::string();
    if (!asked.ended)
      return h2_request(asked.stream, {{":status", "200"}}, false) + h2_frame(h2_data, 0, asked.stream, "first");
    return h2_frame(h2_data, kEndStream, asked.stream, "last:" + asked.body);
  });
  Proxy proxy(asking(server.url()));
  H2Client client(proxy.gateway.port());
  client.send(h2_request(1, h2_get("/", {}, "POST"), false));
  while (client.answers[1].body != "first") ASSERT_TRUE(client.read());
  client.send(h2_frame(h2_data, kEndStream, 1, "more"));
  EXPECT_EQ(client.answer(1).body, "firstlast:more") << "the answer began before the request had ended";
}

TEST(Http2Servers, AreNotMisledByARequestThatBreaksOff) {
  H2Server server([](const H2Asked&) { return std::string(); });
  Proxy proxy(asking(server.url()));
  H2Client client(proxy.gateway.port());
  client.send(h2_request(1, h2_get("/", {}, "POST"), false) + h2_frame(h2_data, 0, 1, "half"));
  ASSERT_TRUE(wait_until([&] { return !server.asked().empty(); }));
  client.send(h2_frame(h2_rst_stream, 0, 1, h2_number(kCancel)));
  ASSERT_TRUE(wait_until([&] { return server.asked().back().reset; }));
  EXPECT_FALSE(server.asked().back().ended);
}

TEST(Http2Servers, AreNotAskedToUpgrade) {
  H2Server server(once_ended([](const H2Asked& asked) { return h2_answer(asked.stream, {{":status", "200"}}); }));
  Proxy proxy(asking(server.url()));
  const auto answer = proxy.client().get("/", "Connection: Upgrade\r\nUpgrade: websocket\r\n");
  EXPECT_EQ(answer.status(), 200);
  EXPECT_FALSE(server.asked().at(0).fields.contains("upgrade"));
}

TEST(Http2Servers, WhoseAnswersAreMalformedAreNotBelieved) {
  H2Server server(once_ended([](const H2Asked& asked) -> std::string {
    const auto& path = asked.fields.at(":path");
    const auto id = asked.stream;
    if (path == "/upper") return h2_answer(id, {{":status", "200"}, {"X-Upper", "1"}}, "x");
    if (path == "/hop") return h2_answer(id, {{":status", "200"}, {"connection", "close"}}, "x");
    if (path == "/none") return h2_answer(id, {{"x-a", "1"}}, "x");
    if (path == "/101") return h2_answer(id, {{":status", "101"}}, "x");
    if (path == "/early") return h2_frame(h2_data, kEndStream, id, "x");
    if (path == "/large") return h2_answer(id, {{":status", "200"}, {"x-large", std::string(70'000, 'x')}}, "x");
    if (path == "/reset") return h2_frame(h2_rst_stream, 0, id, h2_number(2));
    if (path == "/many") {
      std::string heads;
      for (int i = 0; i < 40; ++i) heads += h2_request(id, {{":status", "103"}}, false);
      return heads + h2_answer(id, {{":status", "200"}}, "x");
    }
    return h2_answer(id, {{":status", "200"}, {"content-length", "9"}}, "short");
  }));
  Proxy proxy(asking(server.url()));
  for (const char* const path : {"/upper", "/hop", "/none", "/101", "/early", "/large", "/reset", "/many"}) {
    expect_problem(proxy.client().get(path), 502);
  }
  const auto cut = proxy.client().get("/length");
  EXPECT_FALSE(cut.ok()) << "its end must not look like one: " << cut.head << cut.body;
}

TEST(Http2Servers, AreToldWhenTheirCallerHasGone) {
  H2Server server([](const H2Asked&) { return std::string(); });
  Proxy proxy(asking(server.url()));
  H2Client client(proxy.gateway.port());
  client.send(h2_request(1, h2_get()));
  ASSERT_TRUE(wait_until([&] { return !server.asked().empty(); }));
  client.send(h2_frame(h2_rst_stream, 0, 1, h2_number(kCancel)));
  ASSERT_TRUE(wait_until([&] { return server.asked().back().reset; }));
  EXPECT_EQ(server.asked().back().code, kCancel);
}

TEST(Http2Servers, OfStalledCallersAnswerTheOthers) {
  const std::string large(2'000'000, 'x');
  H2Server server([&](const H2Asked& asked) {
    if (!asked.ended || asked.reset) return std::string();
    if (asked.fields.at(":path") == "/small") return h2_answer(asked.stream, {{":status", "200"}}, "small");
    // As much as the window of a stream lets it.
    return h2_request(asked.stream, {{":status", "200"}}, false) +
           h2_frame(h2_data, 0, asked.stream, large.substr(0, 16'384)) +
           h2_frame(h2_data, 0, asked.stream, large.substr(0, 16'384)) +
           h2_frame(h2_data, 0, asked.stream, large.substr(0, 16'384)) +
           h2_frame(h2_data, 0, asked.stream, large.substr(0, 16'383));
  });
  Proxy proxy(asking(server.url()));
  H2Client client(proxy.gateway.port(), std::string("\0\4", 2) + h2_number(0));  // it gives no window
  for (std::uint32_t i = 0; i < 20; ++i) client.send(h2_request(2 * i + 1, h2_get("/large")));
  ASSERT_TRUE(wait_until([&] { return server.asked().size() >= 20; }));
  EXPECT_EQ(proxy.client().get("/small").body, "small") << "more than a connection's usual window is held";
  EXPECT_EQ(server.connections(), 1U);
}

TEST(Http2Servers, TellInterimHeadsAndAnswerHead) {
  H2Server server(once_ended([](const H2Asked& asked) {
    if (asked.fields.at(":method") == "HEAD")
      return h2_answer(asked.stream, {{":status", "200"}, {"content-length", "123"}});
    return h2_request(asked.stream, {{":status", "103"}, {"link", "</a>"}}, false) +
           h2_answer(asked.stream, {{":status", "204"}});
  }));
  Proxy proxy(asking(server.url()));
  H2Client client(proxy.gateway.port());
  const auto answer = client.ask(1, h2_get());
  EXPECT_EQ(answer.interim, std::vector<int>{103});
  EXPECT_EQ(answer.status, 204);
  const auto head = client.ask(3, h2_get("/", {}, "HEAD"));
  EXPECT_EQ(head.fields.at("content-length"), "123");
  EXPECT_TRUE(head.ended);
}

class Http2ServersTls : public WithCertificates {};

TEST_F(Http2ServersTls, AreThoseThatAgreeOnIt) {
  const Json tls = {{"certificate", files->path("server.crt")}, {"key", files->path("server.key")}};
  const Proxy two(Json{{"listen", {{"address", "127.0.0.1:0"}, {"tls", tls}}}});
  const Proxy one(Json{{"listen", {{"address", "127.0.0.1:0"}, {"tls", tls}, {"http2", false}}}});
  const Json http2 = {{"upstreams", {{"app", {{"protocol", "http2"}}}}}};
  Gateway before_two(in_front_of(two.gateway.port(), trusting(), http2));
  EXPECT_EQ(RawClient(before_two.port()).get("/a").status(), 200);
  EXPECT_TRUE(two.forwarded().all("Via").find("2.0 headgate") != std::string::npos) << two.forwarded().head;
  // One that agrees on nothing, and one that refuses.
  RealServer silent(kOpenssl, [&](std::uint16_t port) {
    return Words{"s_server",
                 "-quiet",
                 "-www",
                 "-cert",
                 files->path("server.crt"),
                 "-key",
                 files->path("server.key"),
                 "-accept",
                 "127.0.0.1:" + std::to_string(port)};
  });
  ASSERT_TRUE(silent.listens()) << silent.said();
  for (const auto port : {silent.port(), one.gateway.port()}) {
    Gateway before(in_front_of(port, trusting(), http2));
    expect_problem(RawClient(before.port()).get("/a"), 502);
    const std::string event = port == silent.port() ? "upstream_not_http2" : "upstream_tls_failed";
    EXPECT_TRUE(before.process().wait_for_err([&](const std::string& log) {
      return log.find(event) != std::string::npos;
    })) << event;
  }
}

class Nghttpd : public Folder {};

TEST_F(Nghttpd, GetsAndGivesLargeBodies) {
  const std::string program = "/usr/sbin/nghttpd";
  if (!installed(program)) GTEST_SKIP() << "no nghttpd on this machine";
  const std::string large(3'000'000, 'y');
  write("large", large);
  RealServer server(program, [&](std::uint16_t port) {
    return Words{"--no-tls", "--address=127.0.0.1", "-d", folder_.string(), std::to_string(port)};
  });
  ASSERT_TRUE(server.listens()) << server.said();
  Proxy proxy(asking(server.url("http"), {{"routes", {{{"path", "/*"}, {"to", "app"}, {"max_body", "10MiB"}}}}}));
  EXPECT_TRUE(proxy.client().get("/large").body == large);
  EXPECT_EQ(proxy.client().ask(request_with_body("PUT", "/large", large)).status(), 200);
  EXPECT_EQ(proxy.client().get("/none").status(), 404);
}

}  // namespace
}  // namespace headgate::test
