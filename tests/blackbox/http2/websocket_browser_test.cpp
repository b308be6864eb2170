// WebSockets of a real browser over HTTP/2, to a real server of WebSockets.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/real_server.hpp"
#include "blackbox/harness/tls_client.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <thread>
#include <vector>

namespace headgate::test {
namespace {

std::string file_of_tests(const std::string& name) {
  return std::string(HEADGATE_SOURCE_DIR) + "/tests/blackbox/http2/" + name;
}

/// The lines of the log with this path.
std::vector<Json> request_lines(const std::string& log, const std::string& path) {
  std::vector<Json> out;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    auto read = Json::parse(line, nullptr, false);
    if (read.is_object() && read.value("path", "") == path) out.push_back(std::move(read));
  }
  return out;
}

TEST(Http2WebSocketBrowser, OpensThemOnTheConnectionOfItsPage) {
  if (headless_chromium().empty()) GTEST_SKIP() << "no Chromium here; ./dev install all brings it";
  RealServer server(kPython, [](std::uint16_t port) {
    return Words{file_of_tests("websocket.py"), std::to_string(port)};
  });
  if (!server.listens()) GTEST_SKIP() << "no python3-websockets here; ./dev install all brings it";
  const auto told = [](const char* name, const char* value) { return Json{{"set", {{name, value}}}}; };
  const Json routes =
      Json::array({{{"path", "/page"}, {"respond", {{"status", 200}, {"body_file", file_of_tests("websocket.html")}}}},
                   {{"path", "/said"}, {"to", "app"}},
                   {{"path", "/end"}, {"to", "app"}, {"request_headers", told("X-Test-Hold", "1")}},
                   {{"path", "/plain"}, {"to", "app"}, {"request_headers", told("X-Test-Status", "200")}},
                   {{"path", "/ws/*"}, {"to", "sockets"}},
                   {{"path", "/limited"}, {"to", "sockets"}, {"limits", {"one"}}}});
  Proxy proxy(
      {{"listen",
        {{"address", "127.0.0.1:0"}, {"tls", {{"certificate", tls_file("good.pem")}, {"key", tls_file("good.key")}}}}},
       {"upstreams", {{"sockets", {{"servers", {server.url("http")}}}}}},
       {"limits", {{"one", {{"rate", "1/day"}, {"per", "client_ip"}}}}},
       {"log", {{"format", "json"}, {"access", "stderr"}}},
       {"routes", routes}});
  Process browser(
      {"--headless", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--ignore-certificate-errors",
       "--dump-dom", "--timeout=60000", "https://localhost:" + std::to_string(proxy.gateway.port()) + "/page"},
      {"HOME=/tmp"}, headless_chromium());
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(50);
  std::string said;
  while (said.empty() && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(Milliseconds(20));
    for (const auto& seen : proxy.upstream.requests())
      if (seen.whole && seen.message.target() == "/said") said = seen.message.body;
  }
  proxy.upstream.release();  // the page is loaded, and the browser ends
  EXPECT_EQ(browser.wait(std::chrono::seconds(20)), 0);
  ASSERT_NE(said, "") << browser.err() << proxy.gateway.process().err();
  const auto says = [&said](const std::string& line) { return has(said + "\n", line + "\n"); };
  EXPECT_TRUE(has(said, "protocol: echo; extensions: permessage-deflate")) << said;
  for (const char* line : {"message 0: true", "message 1: true", "message 2: true", "echo: open 4000 true",
                           "bye: open 4001 true", "refused: refused 1006 false", "limited: open 1005 true",
                           "over the limit: refused 1006 false", "plain: refused 1006 false", "fetched: 200"})
    EXPECT_TRUE(says(line)) << line << " is missing in:\n" << said;

  const auto log = [&] { return proxy.gateway.process().err(); };
  const auto expect_status = [&](const std::string& path, std::size_t at, int status) {
    ASSERT_TRUE(proxy.gateway.process().wait_for_err([&](const std::string& text) {
      return request_lines(text, path).size() > at;
    })) << path
        << '\n'
        << log();
    const auto lines = request_lines(log(), path);
    EXPECT_EQ(lines[at].value("status", 0), status) << lines[at];
    EXPECT_EQ(lines[at].value("proto", ""), "HTTP/2.0") << lines[at];
  };
  expect_status("/ws/echo", 0, 101);
  expect_status("/ws/bye", 0, 101);
  expect_status("/ws/refused", 0, 403);
  expect_status("/limited", 0, 101);
  expect_status("/limited", 1, 429);
  expect_status("/plain", 0, 502);
}

}  // namespace
}  // namespace headgate::test
