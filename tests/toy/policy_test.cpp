// tests/toy/policies adds a balancing policy as docs/extending.md describes. These tests use it in a configuration.

#include "headgate/balance/policy.hpp"

#include "headgate/config/load.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace headgate::test {
namespace {

TEST(ToyPolicy, IsInAConfigurationAndInTheSchema) {
  const auto loaded = config::load(R"({ "listen": ":1", "routes": [{ "path": "/*", "to": "u" }],
      "upstreams": { "u": { "servers": ["http://a", "http://b"], "balance": "first_free" } } })");
  ASSERT_TRUE(loaded.config);
  const auto* const policy = loaded.config->upstreams[0].balance;
  EXPECT_EQ(policy, balance::find_policy("first_free"));
  EXPECT_THAT(config::meaning(*loaded.config, "f"), testing::HasSubstr("its servers in the order of the list"));
  EXPECT_THAT(config::schema(), testing::HasSubstr("\"first_free\""));
}

TEST(ToyPolicy, StandsBesideTheOthers) {
  EXPECT_NE(balance::find_policy("round_robin"), nullptr);
  EXPECT_GT(balance::policies().size(), 1U);
}

}  // namespace
}  // namespace headgate::test
