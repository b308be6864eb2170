// An algorithm is two files. With those of tests/toy/algorithms, every list of algorithms has one more entry, and the
// tests for every algorithm run with it as well.
#include "headgate/limit/algorithm.hpp"

#include "headgate/config/load.hpp"
#include "headgate/limit/script.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace headgate::test {
namespace {

using testing::HasSubstr;

std::string file(const std::string& algorithm) {
  return R"({
    "listen": ":8080", "upstreams": { "app": "http://127.0.0.1:3000" },
    "limits": { "plan": { "rate": "10/minute", "per": "client_ip", "algorithm": ")" +
         algorithm + R"(" } },
    "routes": [{ "path": "/*", "to": "app", "limits": ["plan"] }] })";
}

TEST(ToyAlgorithm, IsRegisteredInItsPlace) {
  std::vector<std::string> names;
  for (const auto* each : limit::algorithms()) names.emplace_back(each->name);
  EXPECT_THAT(names, testing::Contains("toy"));
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_GT(names.size(), 1U) << "beside the others";
}

TEST(ToyAlgorithm, IsInTheScript) {
  EXPECT_THAT(std::string(limit::decide_script()), HasSubstr("if name == 'toy' then"));
}

TEST(ToyAlgorithm, MayBeWrittenInAFile) {
  const auto text = file("toy");
  const auto loaded = config::load(text);
  ASSERT_TRUE(loaded.config) << config::render_text(loaded.diagnostics, "f", text);
  const auto& rule = loaded.config->limits.at(0).tiers.at(0).rules.at(0);
  EXPECT_EQ(rule.algorithm->name, "toy");
  EXPECT_THAT(config::meaning(*loaded.config, "f"), HasSubstr("from the first one on"));
}

TEST(ToyAlgorithm, IsInTheSchemaInTheReferenceAndInWhatAMistakeIsTold) {
  EXPECT_THAT(config::schema(), HasSubstr("\"toy\""));
  EXPECT_THAT(config::reference(), HasSubstr("`toy`"));
  const auto loaded = config::load(file("toi"));
  ASSERT_EQ(loaded.diagnostics.size(), 1U);
  EXPECT_THAT(loaded.diagnostics[0].message + loaded.diagnostics[0].help, HasSubstr("toy"));
}

}  // namespace
}  // namespace headgate::test
