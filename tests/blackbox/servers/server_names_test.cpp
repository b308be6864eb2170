// Servers that are named: all addresses of a name are used, and new ones when the name leads elsewhere.

#include "blackbox/harness/checked_server.hpp"
#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/real_server.hpp"
#include "blackbox/harness/reloaded.hpp"
#include "support/redis_cli.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace headgate::test {
namespace {

constexpr const char* kUnshare = "/usr/bin/unshare";

TEST(ServerNames, MayHaveAnAddressThatNobodyListensOn) {
  CheckedServer server;  // on 127.0.0.1; localhost may be ::1 as well, and that comes first
  Gateway gateway(
      config_for(FakeUpstream(),
                 {{"upstreams", {{"app", {{"servers", {"http://localhost:" + std::to_string(server.port())}}}}}}}));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(gateway.client().get("/").status(), 200);
}

/// A gateway in a mount namespace of its own, where /etc/hosts is a file of the test.
class NamedServers : public testing::Test {
 protected:
  void SetUp() override {
    if (!installed(kUnshare)) GTEST_SKIP() << "no " << kUnshare << " on this machine";
    Process allowed({"--user", "--map-root-user", "--mount", "true"}, {}, kUnshare);
    if (allowed.wait() != 0) GTEST_SKIP() << "this machine does not allow namespaces: " << allowed.err();
  }
  void leads_to(const std::string& address) const {
    std::ofstream(hosts_.path(), std::ios::trunc) << "127.0.0.1 localhost\n" << address << " app.test\n";
  }
  void leads_nowhere() const { std::ofstream(hosts_.path(), std::ios::trunc) << "127.0.0.1 localhost\n"; }
  /// Whether this is in the log so many times, soon.
  bool is_told(const std::string& event, std::size_t times = 1) {
    return gateway_->wait_for_err([&](const std::string& log) { return count_of(log, '"' + event + '"') >= times; });
  }
  /// Its port; 0 if it does not listen. The name has been looked up once, and leads to 127.0.0.1.
  std::uint16_t begin(std::uint16_t server) {
    std::ofstream(config_.path(), std::ios::trunc)
        << Json{{"listen", "127.0.0.1:0"},
                {"workers", 2},
                {"drain", "2s"},
                {"admin", "off"},
                {"log", {{"format", "json"}}},
                {"upstreams",
                 {{"app", {{"servers", {"http://app.test:" + std::to_string(server)}}, {"resolve_every", "100ms"}}}}},
                {"routes", Json::array({{{"path", "/*"}, {"to", "app"}}})}};
    gateway_.emplace(
        Words{"--user", "--map-root-user", "--mount", "sh", "-c",
              "mount --bind \"$0\" /etc/hosts && mount --bind \"$1\" /etc/nsswitch.conf && shift && exec \"$@\"",
              hosts_.path(), files_only_.path(), HEADGATE_BINARY, "run", "-c", config_.path()},
        std::vector<std::string>{}, kUnshare);
    std::uint16_t port = 0;
    const std::string before = "listening on 127.0.0.1:";
    gateway_->wait_for_err([&](const std::string& log) {
      const auto at = log.find(before);
      if (at != std::string::npos) port = static_cast<std::uint16_t>(std::stoul(log.substr(at + before.size(), 5)));
      return port != 0;
    });
    // The first look-up may come late: what the name led to is known only if it is told.
    if (port == 0 || !is_told("server_name_not_found")) return 0;
    leads_to("127.0.0.1");
    return is_told("server_name_found") ? port : 0;
  }

  TemporaryFile hosts_{"127.0.0.1 localhost\n"};
  TemporaryFile files_only_{"hosts: files\n"};  // no name server is asked
  TemporaryFile config_{"{}"};
  std::optional<Process> gateway_;
};

TEST_F(NamedServers, GetNewConnectionsWhereTheirNameLeadsNow) {
  CheckedServer before("before");
  CheckedServer after("after", "127.0.0.2", before.port());
  ASSERT_TRUE(after.listens());
  const auto port = begin(before.port());
  ASSERT_NE(port, 0) << gateway_->err();
  RawClient client(port);
  EXPECT_TRUE(wait_until([&] { return client.get("/").body == "before"; }));  // until the worker has heard of it
  leads_to("127.0.0.2");
  ASSERT_TRUE(is_told("server_addresses_changed"));
  EXPECT_TRUE(wait_until([&] { return client.get("/").body == "after"; }))
      << "the idle connection to the old address was closed";
}

TEST_F(NamedServers, StayWhereTheyAreWhileTheirNameIsNotFound) {
  CheckedServer server("server");
  const auto port = begin(server.port());
  ASSERT_NE(port, 0) << gateway_->err();
  EXPECT_TRUE(wait_until([&] { return RawClient(port).get("/").body == "server"; }));
  leads_nowhere();
  ASSERT_TRUE(is_told("server_name_not_found", 2));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(RawClient(port).get("/").body, "server");
}

}  // namespace
}  // namespace headgate::test
