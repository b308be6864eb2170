// A limit of open files that is too low: the admin interface answers, and no server is blamed.

#include "blackbox/harness/operator.hpp"
#include "blackbox/harness/reloaded.hpp"

#include <gtest/gtest.h>

#include <regex>

namespace headgate::test {
namespace {

constexpr int kManyClients = 80;

/// A gateway that may have only so many descriptors.
struct FewDescriptorsGateway {
  explicit FewDescriptorsGateway(int descriptors)
      : file(config_for(upstream, {{"log", {{"format", "json"}}}, {"admin", {{"listen", "127.0.0.1:0"}}}}).dump()),
        process({"-c", "ulimit -n " + std::to_string(descriptors) + "; exec \"$0\" run -c \"$1\"", HEADGATE_BINARY,
                 file.path()},
                {}, "/bin/bash") {
    EXPECT_TRUE(process.wait_for_err([&](const std::string& text) {
      std::smatch match;
      if (!std::regex_search(text, match, std::regex(R"re("listening on 127\.0\.0\.1:(\d+))re")) &&
          !std::regex_search(text, match, std::regex(R"re("listening","address":"127\.0\.0\.1:(\d+))re")))
        return false;
      port = static_cast<std::uint16_t>(std::stoul(match[1].str()));
      return true;
    })) << process.err();
  }
  ~FewDescriptorsGateway() {
    process.signal(SIGTERM);
    EXPECT_EQ(process.wait(), 0);
  }

  FakeUpstream upstream;
  TemporaryFile file;
  Process process;
  std::uint16_t port = 0;
};

TEST(FewDescriptors, LeaveTheAdminInterfaceItsOwn) {
  FewDescriptorsGateway gateway(160);
  const Operator operators(gateway.process);
  std::vector<RawClient> idle;
  for (int i = 0; i < 250; ++i) idle.emplace_back(gateway.port);
  ASSERT_TRUE(gateway.process.wait_for_err([](const std::string& text) { return has(text, "\"accept_paused\""); }));
  for (const char* path : {"/readyz", "/metrics", "/api/v1/status"})
    EXPECT_EQ(operators.ask("GET", path).status(), 200) << path;
}

TEST(FewDescriptors, AreToldAtTheStart) {
  FewDescriptorsGateway gateway(160);
  EXPECT_TRUE(gateway.process.wait_for_err([](const std::string& text) {
    return has(text, "\"few_descriptors\"") && has(text, "\"connections\":10000") && has(text, "\"limit\":160");
  })) << gateway.process.err();
}

TEST(FewDescriptors, AreNoFailureOfAServer) {
  FewDescriptorsGateway gateway(160);
  const Operator operators(gateway.process);
  std::vector<RawClient> clients;
  for (int i = 0; i < kManyClients; ++i) {
    clients.emplace_back(gateway.port);
    ASSERT_TRUE(clients.back().send("GET "));
  }
  const Look look(gateway.process);
  ASSERT_TRUE(
      look.comes_to([](const MetricsText& now) { return now.value("headgate_connections_active") == kManyClients; }));
  for (auto& each : clients) ASSERT_TRUE(each.send("/ HTTP/1.1\r\nHost: x\r\nX-Test-Hold: 1\r\n\r\n"));
  ASSERT_TRUE(gateway.process.wait_for_err([](const std::string& text) { return has(text, "\"descriptors_short\""); }))
      << gateway.process.err();
  EXPECT_EQ(operators.ask("GET", "/readyz").status(), 200);
  gateway.upstream.release();
  std::map<int, int> statuses;
  for (auto& each : clients) ++statuses[each.read().status()];
  EXPECT_GT(statuses[200], 0);
  EXPECT_GT(statuses[503], 0);
  EXPECT_EQ(statuses[200] + statuses[503], kManyClients) << "and no 502";
  EXPECT_EQ(look.metrics().value("headgate_descriptors_short_total"), statuses[503]);
  const auto servers = operators.get("/api/v1/servers");
  EXPECT_TRUE(has(servers.dump(), "\"in\":true")) << servers.dump();
}

TEST(FewDescriptors, DoNotLetReadersWhoReadNothingKeepProbesOut) {
  FewDescriptorsGateway gateway(256);  // sixteen places at the admin interface
  const Operator probe(gateway.process);
  std::string requests;
  for (int i = 0; i < 200; ++i) requests += probe.text("GET", "/api/v1/openapi.json");
  std::vector<RawClient> readers;
  for (int i = 0; i < 20; ++i) {
    readers.emplace_back(probe.port());
    ASSERT_TRUE(readers.back().send(requests));
  }
  for (int round = 0; round < 5; ++round) EXPECT_EQ(probe.ask("GET", "/readyz").status(), 200) << round;
}

}  // namespace
}  // namespace headgate::test
