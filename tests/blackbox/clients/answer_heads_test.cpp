// How large the head of an answer may be, and what the log says about a failed exchange.

#include "blackbox/harness/gateway.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace headgate::test {
namespace {

/// An answer whose head is exactly `bytes` long.
std::string with_head_of(std::size_t bytes) {
  const std::string begin = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Long: ", end = "\r\n\r\n";
  return begin + std::string(bytes - begin.size() - end.size(), 'a') + end + "ok";
}

Message answered(const Proxy& proxy, const std::string& answer) {
  return proxy.client().ask(request_with_body("POST", "/", answer, "X-Test-Raw-Body: 1\r\n"));
}

TEST(AnswerHeads, MayBeAsLargeAsTheBound) {
  Proxy proxy;
  for (const std::size_t bytes : {1000UL, 16384UL, 16385UL, 30000UL, 65535UL, 65536UL}) {
    const Message answer = answered(proxy, with_head_of(bytes));
    EXPECT_EQ(answer.status(), 200) << bytes << visible(answer.head);
    EXPECT_EQ(answer.body, "ok");
  }
  expect_problem(answered(proxy, with_head_of(65537)), 502);
  EXPECT_EQ(proxy.client().get().status(), 200);
}

/// With an access log as JSON that the test can read.
struct Told : Proxy {
  explicit Told(const Json& changes = Json::object()) : Proxy(with_log(changes)) {}

  static Json with_log(const Json& changes) {
    Json all = {{"log", {{"format", "json"}, {"access", "stderr"}}}};
    all.merge_patch(changes);
    return all;
  }
  /// The first line of a request that failed with this status.
  Json line(int status) {
    Json found;
    const auto holds = [&](const std::string& err) {
      std::istringstream lines(err);
      for (std::string one; std::getline(lines, one);) {
        Json json = Json::parse(one, nullptr, false);
        if (json.is_object() && json.value("event", "") == "request" && json.value("status", 0) == status)
          return found = std::move(json), true;
      }
      return false;
    };
    EXPECT_TRUE(gateway.process().wait_for_err(holds)) << gateway.process().err();
    return found.is_object() ? found : Json::object();
  }
};

TEST(AnswerHeads, LargerThanTheBoundAreSaidToBe) {
  Told proxy;
  Json upstream = {{"servers", {proxy.upstream.url()}}, {"head_size", "2KiB"}};
  Gateway gateway(config_for(proxy.upstream, {{"upstreams", {{"app", upstream}}}}));
  const auto ask = [&](std::size_t bytes) {
    return gateway.client().ask(request_with_body("POST", "/", with_head_of(bytes), "X-Test-Raw-Body: 1\r\n"));
  };
  EXPECT_EQ(ask(2048).status(), 200);
  const Message refused = ask(2049);
  expect_problem(refused, 502);
  EXPECT_NE(refused.body.find("head is too large"), std::string::npos) << refused.body;
  EXPECT_EQ(answered(proxy, with_head_of(70000)).status(), 502);
  EXPECT_NE(proxy.line(502).value("reason", "").find("head"), std::string::npos);
}

TEST(BadGateway, NamesTheServerAndTheReasonOnlyInTheLog) {
  Told proxy;
  const std::string server = proxy.upstream.url().substr(std::string("http://").size());
  const Message refused = proxy.client().get("/", "X-Test-Reset: 1\r\n");
  expect_problem(refused, 502);
  EXPECT_EQ(refused.body.find(server), std::string::npos) << refused.body;
  const Json line = proxy.line(502);
  EXPECT_EQ(line.value("server", ""), server);
  EXPECT_EQ(line.value("upstream", ""), "app");
  EXPECT_NE(line.value("reason", ""), "") << line;
}

TEST(BadGateway, NamesTheServerThatNobodyListensOn) {
  const auto port = std::to_string(Socket::listen().local_port());  // free again
  Told proxy(Json{{"upstreams", {{"app", "http://127.0.0.1:" + port}}}});
  const Message refused = proxy.client().get();
  expect_problem(refused, 502);
  EXPECT_EQ(refused.body.find(port), std::string::npos) << refused.body;
  const Json line = proxy.line(502);
  EXPECT_EQ(line.value("server", ""), "127.0.0.1:" + port);
  EXPECT_NE(line.value("reason", "").find("could not be connected to"), std::string::npos) << line;
}

TEST(BadGateway, SaysInTheLogWhatWasWrongWithAnAnswer) {
  Told proxy;
  EXPECT_EQ(answered(proxy, "HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\n\r\nx").status(), 502);
  EXPECT_NE(proxy.line(502).value("reason", "").find("Content-Length"), std::string::npos);
}

}  // namespace
}  // namespace headgate::test
