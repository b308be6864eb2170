// Calls of the rate limit service in the access log, and their replay by headgate simulate.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/real_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

namespace headgate::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

Json logging(const Json& descriptors, const std::string& format = "json") {
  Json out = Json::parse(R"({
    "listen": { "address": "127.0.0.1:0", "protocol": "rate_limit_service" },
    "admin": "off",
    "identity": { "trusted_proxies": ["127.0.0.1/32"] },
    "limits": { "login": { "rate": "3/hour", "algorithm": "fixed_window", "per": "descriptor:remote_address" } },
    "decide": [{ "domain": "edge", "match": { "generic_key": "login", "remote_address": "*" }, "limits": ["login"] }],
    "routes": [{ "path": "/", "respond": { "status": 404 } }]
  })");
  out["log"] = {{"format", format}, {"access", "stdout"}};
  if (!descriptors.is_null()) out["log"]["descriptors"] = descriptors;
  return out;
}

class LoggedCalls : public testing::Test {
 protected:
  void SetUp() override {
    Process probe({"-c", "import grpc"}, {}, kPython);
    if (probe.wait(std::chrono::seconds(30)) != 0) GTEST_SKIP() << "no grpc for " << kPython;
  }
  /// Returns the log of five calls of one client and one call of another.
  static std::string log_of(const Json& config) {
    Gateway gateway(config);
    for (const auto& [times, address] : {std::pair("5", "203.0.113.9"), std::pair("1", "203.0.113.10")}) {
      Process asking({HEADGATE_SOURCE_DIR "/tests/blackbox/clients/rate_limit.py", std::to_string(gateway.port()),
                      times, "edge", "generic_key=login,remote_address=" + std::string(address), "tenant=top-secret"},
                     {}, kPython);
      EXPECT_EQ(asking.wait(std::chrono::seconds(60)), 0) << asking.err();
    }
    EXPECT_EQ(gateway.terminate(), 0);
    return gateway.process().out();
  }
  static std::vector<Json> lines_of(const std::string& log) {
    std::vector<Json> out;
    std::istringstream text(log);
    for (std::string line; std::getline(text, line);)
      if (const auto json = Json::parse(line, nullptr, false); json.value("event", "") == "request")
        out.push_back(json);
    return out;
  }
  static Ran simulate(const std::string& rate, const std::string& log, const Words& more = {}) {
    auto config = logging(nullptr);
    config["limits"]["login"]["rate"] = rate;
    const TemporaryFile file(config.dump());
    const TemporaryFile lines(log, "access.log");
    Words words{"simulate", "-c", file.path(), "--log", lines.path()};
    words.insert(words.end(), more.begin(), more.end());
    return run_headgate(words);
  }
};

TEST_F(LoggedCalls, HaveTheValuesOfTheNamedKeysAndIdsForOthers) {
  const auto log = log_of(logging({"generic_key", "remote_address"}));
  EXPECT_THAT(log, Not(HasSubstr("top-secret")));
  const auto lines = lines_of(log);
  ASSERT_EQ(lines.size(), 6U) << log;
  const auto call = Json::parse(lines[0].at("descriptors").get<std::string>());
  EXPECT_EQ(call.at("domain"), "edge");
  EXPECT_EQ(call.at("descriptors").at(0), (Json{{"generic_key", "login"}, {"remote_address", "203.0.113.9"}}));
  EXPECT_THAT(call.at("descriptors").at(1).at("tenant").get<std::string>(), StartsWith("k_"));
  EXPECT_FALSE(call.contains("hits"));
  EXPECT_EQ(lines[0].at("route"), "edge: generic_key=login, remote_address=*");
  EXPECT_EQ(lines[0].at("decision"), "allowed");
  EXPECT_EQ(lines[4].at("decision"), "rejected");
}

TEST_F(LoggedCalls, AreReplayedWithTheirDescriptors) {
  const auto log = log_of(logging({"generic_key", "remote_address"}));
  EXPECT_THAT(
      simulate("2/hour", log, {"--assert", "rejected(limit=login) == 3", "--assert", "rejected(key=203.0.113.9) == 3"})
          .err,
      testing::IsEmpty());
  EXPECT_EQ(simulate("5/hour", log, {"--assert", "rejected(limit=login) == 0"}).code, 0);
  EXPECT_EQ(simulate("2/hour", log, {"--assert", "rejected(limit=login) == 0"}).code, 5);
}

TEST_F(LoggedCalls, WithIdsMatchNoWholeValue) {
  const auto log = log_of(logging(true));
  EXPECT_THAT(log, Not(HasSubstr("203.0.113.9")));
  EXPECT_EQ(lines_of(log).size(), 6U);
  EXPECT_EQ(simulate("2/hour", log, {"--assert", "rejected() == 0"}).code, 0);
}

TEST_F(LoggedCalls, HaveNoDescriptorsUnlessTheConfigurationNamesThem) {
  const auto log = log_of(logging(nullptr));
  for (const auto& line : lines_of(log)) EXPECT_FALSE(line.contains("descriptors")) << line;
  EXPECT_THAT(simulate("2/hour", log).out,
              HasSubstr("note: 6 calls of the rate limit service are left out, because the log does not have their "
                        "descriptors (set log.descriptors)"));
}

TEST_F(LoggedCalls, AreReplayedFromEcs) {
  const auto log = log_of(logging({"generic_key", "remote_address"}, "ecs"));
  EXPECT_EQ(simulate("2/hour", log, {"--assert", "rejected(limit=login) == 3"}).code, 0) << log;
}

}  // namespace
}  // namespace headgate::test
