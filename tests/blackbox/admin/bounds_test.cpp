// What one caller can make the gateway hold is bounded, and each bound has its own answer.

#include "blackbox/harness/gateway.hpp"

#include <gtest/gtest.h>

namespace headgate::test {
namespace {

/// `sent` is answered with this problem and a close, and the server sees nothing.
void expect_refused(const Proxy& proxy, const std::string& sent, int status) {
  SCOPED_TRACE(visible(sent));
  RawClient client = proxy.client();
  client.send(sent);
  expect_problem(client.read(), status);
  EXPECT_TRUE(client.closes());
  EXPECT_EQ(proxy.upstream.request_count(), 0U);
}

TEST(Bounds, AHeadTooLargeIs431) {
  Proxy proxy(R"({"bounds": {"head_size": "1KiB", "target_size": "512B"}})"_json);
  expect_refused(proxy, request("GET", "/", "A: " + std::string(1000, 'a') + "\r\n"), 431);
  expect_refused(proxy, request("GET", "/", "A: " + std::string(500000, 'a') + "\r\n"), 431);
  expect_refused(proxy, "GET / HTTP/1.1\r\nHost: x\r\nA: " + std::string(2000, 'a'), 431);  // does not wait for an end
  std::string names;
  for (int i = 0; i < 90; ++i) names += std::string(30, 'a') + ":\r\n";
  expect_refused(proxy, request("GET", "/", names), 431);
  EXPECT_EQ(proxy.client().get("/", "A: " + std::string(900, 'a') + "\r\n").status(), 200);
}

TEST(Bounds, ATargetTooLongIs414) {
  Proxy proxy(R"({"bounds": {"target_size": "100B"}})"_json);
  expect_refused(proxy, request("GET", "/" + std::string(100, 'a')), 414);
  expect_refused(proxy, request("GET", "/?" + std::string(20000, 'a')), 414);
  expect_refused(proxy, "GET /" + std::string(30000, 'a'), 414);
  EXPECT_EQ(proxy.client().get("/" + std::string(99, 'a')).status(), 200);
}

TEST(Bounds, TooManyFieldsAre431) {
  Proxy proxy(R"({"bounds": {"head_fields": 8}})"_json);
  std::string fields;
  for (int i = 0; i < 7; ++i) fields += "A: b\r\n";
  expect_refused(proxy, request("GET", "/", fields + "A: b\r\n"), 431);
  EXPECT_EQ(proxy.client().get("/", fields).status(), 200) << "Host and seven more are eight";
}

TEST(Bounds, ABodyThatSaysItIsTooLargeIs413AtOnce) {
  Proxy proxy(R"({"all_routes": {"max_body": "1kB"}})"_json);
  expect_refused(proxy, request("POST", "/", "Content-Length: 1001\r\n"), 413);
  expect_refused(proxy, request("POST", "/", "Content-Length: 1001\r\n", "the beginning"), 413);
  EXPECT_EQ(proxy.client().ask(request_with_body("POST", "/", pattern(1000))).status(), 200);
}

TEST(Bounds, AChunkedBodyIs413WhenItBecomesTooLarge) {
  Proxy proxy(R"({"all_routes": {"max_body": "1kB"}})"_json);
  const std::string chunk = "1f4\r\n" + pattern(500) + "\r\n";
  for (const std::string& more : {std::string("1\r\nx\r\n0\r\n\r\n"), std::string("fffff\r\nx"), chunk + chunk}) {
    RawClient client = proxy.client();
    client.send(request("POST", "/", "Transfer-Encoding: chunked\r\n", chunk + chunk + more));
    expect_problem(client.read(), 413);
    EXPECT_TRUE(client.closes());
  }
  for (const auto& seen : proxy.upstream.requests()) EXPECT_FALSE(seen.whole);
  const std::string just = request("POST", "/", "Transfer-Encoding: chunked\r\n", chunk + chunk + "0\r\n\r\n");
  EXPECT_EQ(proxy.client().ask(just).status(), 200);
}

TEST(Bounds, AChunkIs413WhenItsSizeSaysThatItIsTooLarge) {
  Proxy proxy(R"({"all_routes": {"max_body": "1kB"}})"_json);
  const std::string chunk = "1f4\r\n" + pattern(500) + "\r\n";
  for (const std::string& announced :
       {std::string("3e9\r\n"), std::string("fffffffffffffff\r\n"), chunk + "1f5\r\n", chunk + chunk + "1\r\n"}) {
    RawClient client = proxy.client();
    client.send(request("POST", "/", "Transfer-Encoding: chunked\r\n", announced));
    expect_problem(client.read(), 413);
    EXPECT_TRUE(client.closes());
  }
  for (const auto& seen : proxy.upstream.requests()) EXPECT_FALSE(seen.whole);
  const std::string just =
      request("POST", "/", "Transfer-Encoding: chunked\r\n", "3e8\r\n" + pattern(1000) + "\r\n0\r\n\r\n");
  EXPECT_EQ(proxy.client().ask(just).status(), 200);
}

TEST(Bounds, ARefusalIsReadableEvenWhereTheClientGoesOnSending) {
  Proxy proxy(R"({"all_routes": {"max_body": "1kB"}})"_json);
  for (int i = 0; i < 5; ++i) {
    RawClient client = proxy.client();
    client.send(request("POST", "/", "Content-Length: 3000000\r\n", std::string(300000, 'x')));
    expect_problem(client.read(), 413);  // a reset would have destroyed it
    EXPECT_TRUE(client.closes());
  }
}

TEST(Bounds, ARouteHasItsOwnLargestBody) {
  Proxy proxy(R"({"all_routes": {"max_body": "1kB"},
                  "routes": [{"path": "/up/*", "to": "app", "max_body": "2kB"}, {"path": "/*", "to": "app"}]})"_json);
  EXPECT_EQ(proxy.client().ask(request_with_body("POST", "/up/x", pattern(2000))).status(), 200);
  EXPECT_EQ(proxy.client().ask(request_with_body("POST", "/up/x", pattern(2001))).status(), 413);
  EXPECT_EQ(proxy.client().ask(request_with_body("POST", "/x", pattern(1001))).status(), 413);
}

TEST(Bounds, EndlessChunkExtensionsAndTrailersAreRefused) {
  Proxy proxy;
  for (const std::string& endless :
       {"1;" + std::string(200000, 'a') + "\r\n", "0\r\nA: " + std::string(200000, 'a') + "\r\n",
        std::string("0\r\n") + std::string(100, 'a') + [] {
          std::string many;
          for (int i = 0; i < 20000; ++i) many += "A: b\r\n";
          return ": b\r\n" + many;
        }()}) {
    RawClient client = proxy.client();
    client.send(request("POST", "/", "Transfer-Encoding: chunked\r\n", endless));
    const Message answer = client.read();
    EXPECT_TRUE(answer.status() == 400 || answer.status() == 413 || answer.status() == 431) << visible(answer.head);
    EXPECT_TRUE(client.closes());
  }
  for (const auto& seen : proxy.upstream.requests()) EXPECT_FALSE(seen.whole);
}

TEST(Bounds, TinyChunksWithLongExtensionsArriveOrAreRefused) {
  Proxy proxy;
  RawClient client = proxy.client();
  std::string chunks;  // 200 bytes of overhead for each byte of body: 4 MB to deliver 20 kB
  for (int i = 0; i < 20000; ++i) chunks += "1;" + std::string(200, 'a') + "\r\nx\r\n";
  client.send(request("POST", "/", "Transfer-Encoding: chunked\r\n", chunks + "0\r\n\r\n"));
  const Message answer = client.read();
  EXPECT_TRUE(answer.status() == 200 || answer.status() == 400) << answer.error << visible(answer.head);
  EXPECT_TRUE(answer.status() == 400 || proxy.forwarded().body == std::string(20000, 'x'));
}

TEST(Bounds, OneConnectionTooManyIs503) {
  Proxy proxy(R"({"bounds": {"connections": 2}})"_json);
  RawClient first = proxy.client();
  RawClient second = proxy.client();
  ASSERT_TRUE(first.send(request("GET", "/", "X-Test-Hold: 1\r\n")));
  ASSERT_TRUE(second.send(request("GET", "/", "X-Test-Hold: 1\r\n")));
  ASSERT_TRUE(proxy.upstream.wait_for_requests(2));
  RawClient third = proxy.client();
  third.send(request("GET", "/"));
  const Message answer = third.read();
  expect_problem(answer, 503);
  EXPECT_TRUE(third.closes());
  second.socket().close();
  third.socket().close();
  const auto until = std::chrono::steady_clock::now() + kPatience;
  Message later;
  while (later.status() != 200 && std::chrono::steady_clock::now() < until) later = proxy.client().get();
  EXPECT_EQ(later.status(), 200) << "a place that became free is given away";
  proxy.upstream.release();
  EXPECT_EQ(first.read().status(), 200) << "who is served stays";
  EXPECT_EQ(proxy.upstream.complaints(), "");
}

TEST(Refusals, NoRouteIs404AndTheConnectionGoesOn) {
  Proxy proxy(R"({"routes": [{"path": "/api/*", "to": "app"}]})"_json);
  RawClient client = proxy.client();
  expect_problem(client.get("/other"), 404);
  EXPECT_EQ(client.get("/api/x").status(), 200);
  expect_problem(client.ask(request_with_body("POST", "/other", "ignored")), 404);
  EXPECT_EQ(proxy.upstream.request_count(), 1U);
}

TEST(Refusals, AMethodOfNoRouteIs405AndSaysWhichThereAre) {
  Proxy proxy(R"({"routes": [{"path": "/x", "to": "app", "methods": ["GET", "PUT"]},
                             {"path": "/x", "to": "app", "methods": ["PATCH"]}]})"_json);
  RawClient client = proxy.client();
  const Message answer = client.ask(request("DELETE", "/x"));
  expect_problem(answer, 405);
  for (const char* method : {"GET", "PUT", "PATCH"}) {
    EXPECT_NE(answer.all("Allow").find(method), std::string::npos) << visible(answer.head);
  }
  EXPECT_EQ(answer.all("Allow").find("DELETE"), std::string::npos);
  EXPECT_EQ(client.ask(request("PATCH", "/x")).status(), 200);
}

TEST(Refusals, ToHeadHaveNoBody) {
  Proxy proxy(R"({"routes": [{"path": "/api/*", "to": "app"}]})"_json);
  RawClient client = proxy.client();
  const Message answer = client.ask(request("HEAD", "/other"), Kind::answer_to_head);
  EXPECT_EQ(answer.status(), 404);
  EXPECT_EQ(client.get("/api/x").status(), 200) << "out of step";
}

TEST(Refusals, EchoNothingUnescaped) {
  Proxy proxy(R"({"routes": [{"path": "/api/*", "to": "app"}]})"_json);
  const Message answer = proxy.client().get("/<script>\"%22\\");
  EXPECT_EQ(answer.body.find("<script>"), std::string::npos) << answer.body;
  EXPECT_TRUE(Json::parse(answer.body, nullptr, false).is_object()) << answer.body;
}

}  // namespace
}  // namespace headgate::test
