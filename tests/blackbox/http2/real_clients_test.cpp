// Callers of HTTP/2 as others have made them, on listeners with TLS and without: Node, h2 of Python, h2load, a browser.

#include "blackbox/harness/look.hpp"
#include "blackbox/tls/tls_gateway.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>

namespace headgate::test {
namespace {

const std::string kParts = HEADGATE_SOURCE_DIR "/tests/blackbox/http2/parts/";

class RealClients : public WithCertificates {
 protected:
  void SetUp() override {
    WithCertificates::SetUp();
    if (IsSkipped()) return;
    const Json tls = {{"certificate", files->path("server.crt")}, {"key", files->path("server.key")}};
    proxy.emplace(
        Json{{"listen", {{{"address", "127.0.0.1:0"}, {"http2", true}}, {{"address", "127.0.0.1:0"}, {"tls", tls}}}},
             {"admin", {{"listen", "127.0.0.1:0"}}},
             {"all_routes", {{"max_body", "10MiB"}}},
             {"log", {{"format", "json"}}}});
  }
  std::string port(std::size_t listener) const { return std::to_string(proxy->gateway.port(listener)); }
  /// What it has written.
  static std::string ran(const std::string& program, const Words& words) {
    Process process(words, {"HOME=/tmp"}, program);
    EXPECT_EQ(process.wait(std::chrono::seconds(60)), 0) << process.err();
    return process.out();
  }
  /// All their requests were over HTTP/2, and none of them is left.
  void expect_http2_and_nothing_left() {
    EXPECT_TRUE(Look(proxy->gateway.process()).comes_to([](const MetricsText& metrics) {
      return metrics.sum("headgate_requests_in_flight") == 0 && metrics.sum("headgate_upstream_in_flight") == 0;
    }));
    proxy->gateway.terminate();
    const auto log = proxy->gateway.process().out();
    EXPECT_TRUE(has(log, R"("proto":"HTTP/2.0")")) << log.substr(0, 1000);
    EXPECT_FALSE(has(log, R"("proto":"HTTP/1.1")")) << log.substr(0, 1000);
  }

  std::optional<Proxy> proxy;
};

TEST_F(RealClients, NodeIsServed) {
  if (!installed(kNode)) GTEST_SKIP() << "no node on this machine";
  const std::string said =
      "80 at once: true\n"
      "echo: 200 700000\n"
      "expectation: 100 200 3\n"
      "after a cancelled one: 200\n"
      "closed\n";
  EXPECT_EQ(ran(kNode, {kParts + "client.js", "http://127.0.0.1:" + port(0)}), said);
  EXPECT_EQ(ran(kNode, {kParts + "client.js", "https://localhost:" + port(1), files->path("ca.crt")}), said);
  expect_http2_and_nothing_left();
}

TEST_F(RealClients, H2OfPythonIsServed) {
  Process has_it({"-c", "import h2"}, {}, kPython);
  if (!installed(kPython) || has_it.wait() != 0) GTEST_SKIP() << "no h2 on this machine";
  const std::string said =
      "80 at once: True\n"
      "echo: ([200], 700000, None)\n"
      "expectation: ([100, 200], 3, None)\n"
      "after a cancelled one: ([200], 3, None)\n";
  EXPECT_EQ(ran(kPython, {kParts + "client.py", port(0)}), said);
  EXPECT_EQ(ran(kPython, {kParts + "client.py", port(1), files->path("ca.crt")}), said);
  expect_http2_and_nothing_left();
}

TEST_F(RealClients, H2loadGetsItsAnswersOverTls) {
  const std::string h2load = "/usr/bin/h2load";
  if (!installed(h2load)) GTEST_SKIP() << "no h2load on this machine";
  const auto said = ran(h2load, {"-n", "1000", "-c", "4", "-m", "20", "https://localhost:" + port(1) + "/a"});
  EXPECT_TRUE(has(said, "1000 succeeded, 0 failed, 0 errored, 0 timeout")) << said;
  EXPECT_TRUE(has(said, "Application protocol: h2")) << said;
  expect_http2_and_nothing_left();
}

TEST_F(RealClients, NghttpAndCurlAreServedBothWays) {
  const std::string nghttp = "/usr/bin/nghttp", curl = "/usr/bin/curl";
  if (!installed(nghttp) || !installed(curl)) GTEST_SKIP() << "no nghttp or no curl on this machine";
  const auto plain = "http://127.0.0.1:" + port(0) + "/a", secure = "https://localhost:" + port(1) + "/a";
  for (const auto& url : {plain, secure}) {
    const auto said = ran(nghttp, {"-nv", "-d", files->path("server.crt"), url});
    EXPECT_TRUE(has(said, ":status: 200")) << said;
    EXPECT_EQ(
        ran(curl, {"-s", "--http2-prior-knowledge", "--cacert", files->path("ca.crt"), "--data-binary",
                   "@" + files->path("server.crt"), "-w", "%{http_version} %{http_code}", "-o", "/dev/null", url}),
        "2 200")
        << url;
  }
  expect_http2_and_nothing_left();
}

class Browser : public RealClients {};

/// The page and all that it asks for come through the gateway, whose server is a real one.
TEST_F(Browser, FetchesUploadsStreamsAndGivesUp) {
  if (headless_chromium().empty() || !installed(kNode))
    GTEST_SKIP() << "no Chromium or no node here; ./dev test brings it";
  RealServer server(kNode, [](std::uint16_t port) { return Words{kParts + "site.js", std::to_string(port)}; });
  ASSERT_TRUE(server.listens()) << server.said();
  const Json tls = {{"certificate", files->path("server.crt")}, {"key", files->path("server.key")}};
  proxy.emplace(Json{{"listen", {{"address", "127.0.0.1:0"}, {"tls", tls}}},
                     {"admin", {{"listen", "127.0.0.1:0"}}},
                     {"upstreams", {{"app", {{"servers", {server.url("http")}}}}}},
                     {"all_routes", {{"max_body", "10MiB"}}},
                     {"log", {{"format", "json"}}}});
  ran(headless_chromium(),
      {"--headless", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--ignore-certificate-errors",
       "--dump-dom", "--timeout=40000", "https://localhost:" + port(0) + "/"});
  for (const auto* const line : {"protocol: h2\n", "40 at once: true\n", "upload: 200 300000\n", "stream: 0 1 2 3 4\n",
                                 "events: one two three\n", "given up: AbortError\n", "after it: 200\n", "\nend\n"})
    EXPECT_TRUE(has(server.said(), line)) << line << server.said();
  EXPECT_TRUE(has(server.said(), "its caller has gone")) << server.said();
  expect_http2_and_nothing_left();
}

}  // namespace
}  // namespace headgate::test
