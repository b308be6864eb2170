// A source of costs is one file. With the file in tests/toy/cost_sources, every list of cost sources has one more
// entry.
#include "headgate/gateway/cost_source.hpp"

#include "../../src/gateway/limits/resolved_limit.hpp"

#include "headgate/config/load.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace headgate::test {
namespace {

using testing::HasSubstr;

std::string with_cost(const std::string& cost) {
  return R"({
    "listen": ":8080", "upstreams": { "app": "http://127.0.0.1:3000" },
    "limits": { "plan": { "rate": "10/minute", "per": "client_ip" } },
    "routes": [{ "path": "/*", "to": "app", "limits": [{ "use": "plan", "cost": )" +
         cost + " }] }] }";
}

TEST(ToyCostSource, MayBeWrittenInAFile) {
  const auto text = with_cost(R"({ "parameter": "units", "most": 5 })");
  const auto loaded = config::load(text);
  ASSERT_TRUE(loaded.config) << config::render_text(loaded.diagnostics, "f", text);
  const auto& cost = loaded.config->gateway.routes.at(0).limits.at(0).cost;
  EXPECT_EQ(cost.from, gateway::find_cost_source("parameter"));
  EXPECT_EQ(cost.name, "units");
  EXPECT_THAT(config::meaning(*loaded.config, "f"), HasSubstr("costs what ?units says"));
}

TEST(ToyCostSource, NeedsItsMostAndStandsAlone) {
  const auto loaded = config::load(with_cost(R"({ "parameter": "units" })"));
  ASSERT_EQ(loaded.diagnostics.size(), 1U);
  EXPECT_EQ(loaded.diagnostics[0].message, "\"most\" is missing here");
  EXPECT_FALSE(config::load(with_cost(R"({ "parameter": "units", "header": "x", "most": 5 })")).config);
}

TEST(ToyCostSource, IsInTheSchemaAndInTheReference) {
  EXPECT_THAT(config::schema(), HasSubstr("What this parameter of the query says"));
  EXPECT_THAT(config::reference(), HasSubstr("What this parameter of the query says"));
  EXPECT_THAT(config::reference(),
              HasSubstr("With `body`, `by_method`, `calls`, `descriptor`, `graphql`, `header` and `parameter`"));
}

TEST(ToyCostSource, IsTheCostThatItsFunctionTells) {
  gateway::Cost cost;
  cost.from = gateway::find_cost_source("parameter");
  cost.default_value = 2;
  cost.name = "units";
  cost.most = 5;
  gateway::Exchange x;
  const auto of = [&](std::string_view query) {
    x.request.query = query;
    return gateway::cost_of(x, cost);
  };
  EXPECT_EQ(of(""), 2);
  EXPECT_EQ(of("?units=3"), 3);
  EXPECT_EQ(of("?units=300"), 5);
  EXPECT_EQ(of("?units=-3"), 2);
}

}  // namespace
}  // namespace headgate::test
