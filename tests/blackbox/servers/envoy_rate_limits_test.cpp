// The descriptors that Envoy sends for documented `rate_limits`, each with a configuration that decides about them.

#include "blackbox/harness/fake_upstream.hpp"
#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/real_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace headgate::test {
namespace {

const std::string kClientFiles = HEADGATE_SOURCE_DIR "/tests/blackbox/clients/";

class EnvoyRateLimits : public testing::Test {
 protected:
  static Json cases() {
    std::ifstream file(kClientFiles + "envoy_rate_limits.json");
    return Json::parse(file);
  }
  static Json config(const Json& each) {
    Json decide = each["decide"];
    for (auto& entry : decide) entry["domain"] = "edge";
    return {{"listen", {{"address", "127.0.0.1:0"}, {"protocol", "rate_limit_service"}}},
            {"admin", "off"},
            {"identity", {{"trusted_proxies", {"127.0.0.1/32"}}}},
            {"limits", each["limits"]},
            {"decide", decide},
            {"routes", {{{"path", "/"}, {"respond", {{"status", 404}}}}}}};
  }
};

TEST_F(EnvoyRateLimits, MakeTheDescriptorsOfTheirDocumentation) {
  Process making({kClientFiles + "envoy_descriptors.py", kClientFiles + "envoy_rate_limits.json"}, {}, kPython);
  ASSERT_EQ(making.wait(std::chrono::seconds(30)), 0) << making.err();
  std::istringstream lines(making.out());
  int made = 0;
  for (const auto& each : cases()) {
    std::string line;
    ASSERT_TRUE(std::getline(lines, line));
    EXPECT_EQ(Json::parse(line), each["sends"]) << each["name"];
    ++made;
  }
  EXPECT_GE(made, 10);
}

TEST_F(EnvoyRateLimits, AreDecidedByTheirEntries) {
  Process probe({"-c", "import grpc"}, {}, kPython);
  if (probe.wait(std::chrono::seconds(30)) != 0) GTEST_SKIP() << "no grpc for " << kPython;
  for (const auto& each : cases()) {
    SCOPED_TRACE(each["name"].get<std::string>());
    ASSERT_EQ(each["sends"].empty(), each["answers"].empty()) << "Envoy calls only with a descriptor";
    if (each["sends"].empty()) continue;
    const Gateway gateway(config(each));
    Words words{kClientFiles + "rate_limit.py", std::to_string(gateway.port()), std::to_string(each["answers"].size()),
                "edge"};
    for (const auto& descriptor : each["sends"]) words.push_back(descriptor.get<std::string>());
    Process asking(words, {}, kPython);
    ASSERT_EQ(asking.wait(std::chrono::seconds(60)), 0) << asking.err();
    std::istringstream lines(asking.out());
    for (const auto& answer : each["answers"]) {
      std::string line;
      ASSERT_TRUE(std::getline(lines, line));
      EXPECT_THAT(line, testing::StartsWith(answer.get<std::string>()));
    }
  }
}

}  // namespace
}  // namespace headgate::test
