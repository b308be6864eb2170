// Calls of gRPC by the library of Node, which has a client and a server of its own, on listeners with TLS and without.

#include "blackbox/harness/look.hpp"
#include "blackbox/http2/asking.hpp"
#include "blackbox/tls/tls_gateway.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

namespace headgate::test {
namespace {

const std::string kScripts = HEADGATE_SOURCE_DIR "/tests/blackbox/grpc/js/";
const std::string kModules = HEADGATE_SOURCE_DIR "/build/npm/node_modules";

class GrpcJs : public WithCertificates {
 protected:
  void SetUp() override {
    WithCertificates::SetUp();
    if (IsSkipped()) return;
    if (!installed(kNode) || !std::filesystem::exists(kModules + "/@grpc/grpc-js"))
      GTEST_SKIP() << "no @grpc/grpc-js on this machine; ./dev test fetches it where there is an npm registry";
    ::setenv("NODE_PATH", kModules.c_str(), 1);
    server.emplace(kNode, [](std::uint16_t port) { return Words{kScripts + "server.js", std::to_string(port)}; });
    ASSERT_TRUE(server->listens()) << server->said();
  }
  /// In front of the server: a listener without TLS, and one with.
  Json before(const Json& more = Json::object()) const {
    const Json tls = {{"certificate", files->path("server.crt")}, {"key", files->path("server.key")}};
    Json changes = asking(server->url("http"), {{"admin", {{"listen", "127.0.0.1:0"}}}});
    changes["listen"] = {{{"address", "127.0.0.1:0"}, {"http2", true}}, {{"address", "127.0.0.1:0"}, {"tls", tls}}};
    changes.merge_patch(more);
    return changes;
  }
  static std::string client(const Proxy& proxy, const std::string& what, std::size_t listener = 0) {
    Words words{kScripts + "client.js", std::to_string(proxy.gateway.port(listener)), what};
    if (listener == 1) words.push_back(files->path("ca.crt"));
    Process process(words, {}, kNode);
    EXPECT_EQ(process.wait(std::chrono::seconds(60)), 0);
    return process.out() + process.err();
  }

  std::optional<RealServer> server;
};

TEST_F(GrpcJs, GoesThroughInAllItsKindsWithTlsAndWithout) {
  const Proxy proxy(before({{"routes", {{{"path", "/*"}, {"to", "app"}, {"max_body", "10MiB"}}}}}));
  for (const std::size_t listener : {0U, 1U})
    EXPECT_EQ(client(proxy, "kinds", listener),
              "a:m [ 'after' ] [ <Buffer 00 ff> ]\n"
              "s0,s1,s2\n"
              "1,2,3\n"
              "OK 300001,300001,300001,300001,300001\n"
              "NOT_FOUND no such thing: ü 100%\n")
        << listener;
}

TEST_F(GrpcJs, TellsItsServerOfDeadlinesAndOfCallersThatLeave) {
  Proxy proxy(before({{"routes", {{{"path", "/*"}, {"to", "app"}, {"timeout", "20s"}}}}}));
  const auto said = client(proxy, "deadlines");
  double left = 0;
  char none[8] = {}, late[32] = {}, gone[32] = {};
  ASSERT_EQ(std::sscanf(said.c_str(), "%7s %lf %31s %31s", none, &left, late, gone), 4) << said;
  EXPECT_EQ(std::string(none), "none");
  EXPECT_GT(left, 19);
  EXPECT_LT(left, 20.3) << "no more than the route waits";
  EXPECT_EQ(std::string(late), "DEADLINE_EXCEEDED");
  EXPECT_EQ(std::string(gone), "CANCELLED");
  EXPECT_TRUE(Look(proxy.gateway.process()).comes_to([](const MetricsText& metrics) {
    return metrics.sum("headgate_upstream_in_flight") == 0;
  }));
  const auto two = "slow was cancelled\nslow was cancelled\n";
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (!has(server->said(), two) && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(Milliseconds(20));
  EXPECT_TRUE(has(server->said(), two)) << server->said();
}

TEST_F(GrpcJs, ComesBackWhenThePushbackSaysAndNoSooner) {
  Proxy proxy(before({{"limits", {{"once", {{"rate", "30/minute"}, {"burst", 1}, {"per", "client_ip"}}}}},
                      {"routes", {{{"path", "/*"}, {"to", "app"}, {"limits", {"once"}}}}}}));
  const Look look(proxy.gateway.process());
  EXPECT_EQ(client(proxy, "retried"), "a:\ns0,s1,s2\ntrue true\n");
  const auto metrics = look.metrics();
  const auto calls = [&](const std::string& status) {
    return metrics.value("headgate_grpc_requests_total{route=\"/*\",grpc_status=\"" + status + "\"}").value_or(0);
  };
  EXPECT_EQ(calls("OK"), 3);
  EXPECT_EQ(calls("RESOURCE_EXHAUSTED"), 2) << "none of them came before there was a permit";
}

TEST_F(GrpcJs, DoesNotComeBackIfNoWaitHelps) {
  Proxy proxy(
      before({{"limits", {{"few", {{"rate", "1/second"}, {"burst", 2}, {"per", "client_ip"}}}}},
              {"routes",
               {{{"path", "/*"},
                 {"to", "app"},
                 {"limits", {{{"use", "few"}, {"cost", {{"header", "X-Cost"}, {"otherwise", 1}, {"most", 5}}}}}}}}}}));
  const Look look(proxy.gateway.process());
  EXPECT_EQ(client(proxy, "hopeless"), "RESOURCE_EXHAUSTED [ '-1' ]\n");
  EXPECT_EQ(look.metrics().sum("headgate_grpc_requests_total"), 1);
}

}  // namespace
}  // namespace headgate::test
