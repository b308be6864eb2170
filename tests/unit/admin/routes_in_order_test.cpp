// The order of routes that is shown is the order in which the router prefers them.

#include "headgate/admin/routes_in_order.hpp"

#include "support/upstreams.hpp"

#include "headgate/gateway/compiled_config.hpp"
#include "headgate/http/fields.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <random>
#include <set>
#include <string>
#include <vector>

namespace headgate::admin {
namespace {

using gateway::RouteOptions;

class RoutesInOrder : public testing::Test {
 protected:
  template <class T>
  const T& any(const std::vector<T>& of) {
    return of[random_() % of.size()];
  }
  std::string any_path(const std::vector<std::string>& segments, bool pattern) {
    std::string out;
    for (auto count = 1 + random_() % 3; count > 0; --count) out += "/" + any(segments);
    if (pattern && random_() % 3 == 0) out += "/*";
    return out;
  }
  /// Whether the router finds this route if it is alone.
  static bool fits(const config::Config& config, const RouteOptions& route, const gateway::Router::Wanted& wanted) {
    auto alone = config.gateway;
    alone.routes = {route};
    const gateway::CompiledConfig compiled(alone, {}, {}, test::upstreams({"app"}), 1);
    return compiled.router().find(wanted).route != nullptr;
  }

  std::mt19937 random_{20261123};
};

TEST_F(RoutesInOrder, TheFirstThatFitsIsTheOneThatTheRouterChooses) {
  int found = 0;
  for (int round = 0; round < 8; ++round) {
    config::Config config;
    std::set<std::string> taken;
    for (int i = 0; i < 25; ++i) {
      RouteOptions route;
      route.name = "r" + std::to_string(i);
      route.host = any<std::string>({"", "", "a.example", "*.example", "*.b.example"});
      route.path = any_path({"x", "y", "{p}"}, true);
      route.methods = any<std::vector<std::string>>({{}, {}, {"GET"}, {"POST"}});
      if (random_() % 3 == 0) route.conditions.headers.push_back({"x-v", {}});
      if (random_() % 4 == 0) route.conditions.query.push_back({"q", {"1"}});
      route.to = "app";
      std::string shape = route.host + route.path;
      for (const auto& method : route.methods) shape += method;
      shape += std::to_string(route.conditions.headers.size()) + std::to_string(route.conditions.query.size());
      if (taken.insert(shape).second) config.gateway.routes.push_back(route);
    }
    const gateway::CompiledConfig compiled(config.gateway, {}, {}, test::upstreams({"app"}), 1);
    const auto rows = nlohmann::ordered_json::parse(routes_in_order(config)).at("routes");
    ASSERT_EQ(rows.size(), config.gateway.routes.size());
    for (int i = 0; i < 60; ++i) {
      const auto host = any<std::string>({"a.example", "c.b.example", "elsewhere"});
      const auto path = any_path({"x", "y", "z"}, false);
      const auto method = any<std::string>({"GET", "POST", "PUT"});
      http::Fields fields;
      if (random_() % 2 == 0) fields.push_back({http::Known::unknown, "X-V", "1"});
      const std::string query = random_() % 2 == 0 ? "?q=1" : "";
      const gateway::Router::Wanted wanted{
          .authority = host, .path = path, .method = method, .fields = &fields, .query = query};
      const auto chosen = compiled.router().find(wanted);
      std::string first;
      for (const auto& row : rows) {
        for (const auto& route : config.gateway.routes)
          if (first.empty() && route.name == row.at("route") && fits(config, route, wanted)) first = route.name;
      }
      ASSERT_EQ(first, chosen.route ? chosen.route->name : "") << host << ' ' << method << ' ' << path << query;
      found += chosen.route ? 1 : 0;
    }
  }
  EXPECT_GT(found, 100);
}

TEST_F(RoutesInOrder, HaveTheirTargetsAndLimits) {
  config::Config config;
  config.gateway.all_routes.limits.emplace_back().limit = "flood";
  auto& fixed = config.gateway.routes.emplace_back();
  fixed.name = "health";
  fixed.path = "/healthz";
  fixed.respond = gateway::Respond{.status = 204, .body = ""};
  fixed.skip_limits = {"flood"};
  auto& route = config.gateway.routes.emplace_back();
  route.name = "api";
  route.path = "/v1/*";
  route.methods = {"GET"};
  route.to = "app";
  route.require = gateway::Require::jwt;
  route.limits.emplace_back().limit = "plan";
  EXPECT_EQ(nlohmann::ordered_json::parse(routes_in_order(config)), nlohmann::ordered_json::parse(R"({ "routes": [
    { "route": "health", "path": "/healthz", "answers": 204, "limits": [] },
    { "route": "api", "path": "/v1/*", "methods": ["GET"], "to": "app", "requires": "jwt", "limits": ["flood", "plan"] }
  ] })"));
}

}  // namespace
}  // namespace headgate::admin
