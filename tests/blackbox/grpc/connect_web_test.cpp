// gRPC-Web as Connect's library speaks it in pages, in front of a real server of gRPC.

#include "blackbox/harness/look.hpp"
#include "blackbox/harness/real_server.hpp"
#include "blackbox/http2/asking.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

namespace headgate::test {
namespace {

const std::string kWebScripts = HEADGATE_SOURCE_DIR "/tests/blackbox/grpc/js/";
const std::string kWebModules = HEADGATE_SOURCE_DIR "/build/npm/node_modules";

class ConnectWeb : public testing::Test {
 protected:
  void SetUp() override {
    if (!installed(kNode) || !std::filesystem::exists(kWebModules + "/@connectrpc/connect-web"))
      GTEST_SKIP()
          << "no @connectrpc/connect-web on this machine; ./dev test fetches it where there is an npm registry";
    ::setenv("NODE_PATH", kWebModules.c_str(), 1);
    server.emplace(kNode, [](std::uint16_t port) {
      return Words{kWebScripts + "web_server.js", std::to_string(port)};
    });
    ASSERT_TRUE(server->listens()) << server->said();
  }
  Json before(Json route = Json::object(), const Json& more = Json::object()) const {
    Json one = {{"path", "/*"}, {"to", "app"}, {"grpc_web", true}};
    one.merge_patch(route);
    auto changes = asking(server->url("http"), {{"admin", {{"listen", "127.0.0.1:0"}}}, {"routes", {one}}});
    changes.merge_patch(more);
    return changes;
  }
  static std::string client(const Proxy& proxy, const std::string& what) {
    Process process({kWebScripts + "web_client.js", std::to_string(proxy.gateway.port()), what}, {}, kNode);
    EXPECT_EQ(process.wait(std::chrono::seconds(60)), 0);
    return process.out() + process.err();
  }

  std::optional<RealServer> server;
};

TEST_F(ConnectWeb, GetsAnswersStreamsAndStatusesInTheBody) {
  const Proxy proxy(before());
  EXPECT_EQ(client(proxy, "kinds"),
            "a:m 1 after AP8=\n"
            "s0,s1,s2 after\n"
            "2000070\n"
            "NotFound: no such thing: ü 100% gone\n"
            "one DataLoss: the rest is lost\n");
}

TEST_F(ConnectWeb, IsToldOfALimitAndWhenToComeBack) {
  Proxy proxy(before({{"limits", {"once"}}},
                     {{"limits", {{"once", {{"rate", "1/second"}, {"burst", 1}, {"per", "client_ip"}}}}}}));
  const Look look(proxy.gateway.process());
  const auto said = client(proxy, "refused");
  EXPECT_TRUE(said.starts_with("a:\nResourceExhausted: ")) << said;
  EXPECT_TRUE(has(said, " true\nResourceExhausted: ")) << said;
  EXPECT_TRUE(said.ends_with("\nb:\n")) << said;
  const auto metrics = look.metrics();
  EXPECT_EQ(metrics.value("headgate_grpc_requests_total{route=\"/*\",grpc_status=\"RESOURCE_EXHAUSTED\"}").value_or(0),
            2);
  EXPECT_EQ(metrics.value("headgate_grpc_requests_total{route=\"/*\",grpc_status=\"OK\"}").value_or(0), 2);
}

TEST_F(ConnectWeb, MayLeaveInTheMiddleOfAStream) {
  Proxy proxy(before());
  EXPECT_EQ(client(proxy, "leaves"), "s0,s1\nCanceled\n");
  EXPECT_TRUE(Look(proxy.gateway.process()).comes_to([](const MetricsText& metrics) {
    return metrics.sum("headgate_upstream_in_flight") == 0;
  }));
}

}  // namespace
}  // namespace headgate::test
