// Who may use routes, and where their requests go.
#include "loaded.hpp"

#include <gtest/gtest.h>

namespace headgate::config {
namespace {

Config file_with(const std::string& route, const std::string& more = "") {
  return loaded(R"({ "listen": ":80", "upstreams": { "app": "http://127.0.0.1:1", "next": "http://127.0.0.1:2" },
    "identity": { "jwt": { "issuer": "https://a/", "algorithms": ["HS256"], "secret": "a secret of at least 32 bytes, for tests" },
                  "api_key": { "keys": { "acme": { "key": "key-of-acme-0123456789", "tier": "pro", "tags": ["a", "b"] } } } },)" +
                more + R"("routes": [{ "path": "/x", "to": "next" }, { "path": "/*", )" + route + " }] }");
}
gateway::RouteOptions route_with(const std::string& route, const std::string& more = "") {
  return file_with(R"("to": "app", )" + route, more).gateway.routes.back();
}
gateway::Cors cors(const std::string& keys) {
  const auto rules = route_with(R"("cors": { "origins": ["https://a.example"])" + keys + " }").cors;
  return rules ? *rules : gateway::Cors{};
}

TEST(LoadAccess, AWordDemandsNothingMore) {
  EXPECT_EQ(route_with(R"("require": "jwt")").demands, nullptr);
  EXPECT_EQ(route_with(R"("require": "jwt")").require, gateway::Require::jwt);
}

TEST(LoadAccess, AnObjectSaysWhatATokenMustHave) {
  const auto route = route_with(
      R"("require": { "jwt": { "issuer": "https://a/", "algorithms": ["HS256"], "audience": ["x", "y"], "scope": "s",
                               "claims": { "plan": ["pro", "5"], "admin": true, "level": 5 } } })");
  EXPECT_EQ(route.require, gateway::Require::jwt);
  const auto& token = route.demands->token;
  EXPECT_EQ(token.issuers, (std::vector<std::string>{"https://a/"}));
  EXPECT_EQ(token.algorithms, (std::vector{identity::JwtAlgorithm::HS256}));
  EXPECT_EQ(token.audiences, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(token.scopes, (std::vector<std::string>{"s"}));
  std::string claims;
  for (const auto& claim : token.claims)
    for (const auto& value : claim.any_of) claims += claim.name + '=' + value.text + (value.literal ? " " : "(text) ");
  EXPECT_EQ(claims, "plan=pro(text) plan=5(text) admin=true level=5 ");
}

TEST(LoadAccess, AnObjectSaysWhatAKeyMustHave) {
  const auto config =
      file_with(R"("to": "app", "require": { "api_key": { "owners": "acme", "tiers": ["pro"], "tags": ["b"] } })");
  const auto& route = config.gateway.routes.back();
  EXPECT_EQ(route.require, gateway::Require::api_key);
  EXPECT_EQ(route.demands->key.owners, (std::vector<std::string>{"acme"}));
  EXPECT_EQ(route.demands->key.tiers, (std::vector<std::string>{"pro"}));
  EXPECT_EQ(route.demands->key.tags, (std::vector<std::string>{"b"}));
  EXPECT_EQ(config.identity.api_key.known.front().tags, (std::vector<std::string>{"a", "b"}));
}

TEST(LoadAccess, OriginsAreKeptInOneSpelling) {
  const auto rules =
      *route_with(
           R"("cors": { "origins": ["HTTPS://A.example:443", "http://b:80", "null", "https://*.c.example:8443"] })")
           .cors;
  EXPECT_EQ(rules.origins, (std::vector<std::string>{"https://a.example", "http://b", "null"}));
  ASSERT_EQ(rules.below.size(), 1U);
  EXPECT_EQ(rules.below.front().begin, "https://");
  EXPECT_EQ(rules.below.front().end, ".c.example:8443");
  EXPECT_FALSE(rules.any);
  EXPECT_TRUE(route_with(R"("cors": { "origins": "*" })").cors->any);
}

TEST(LoadAccess, CorsRulesHaveDefaults) {
  const auto rules = cors("");
  EXPECT_EQ(rules.methods, "");
  EXPECT_EQ(rules.headers, gateway::kUsualHeaders);
  EXPECT_FALSE(rules.any_header);
  EXPECT_EQ(rules.expose, gateway::kAlwaysExposed);
  EXPECT_FALSE(rules.credentials);
  EXPECT_EQ(rules.max_age, "600");
}

TEST(LoadAccess, CorsRulesAreValuesOfFields) {
  const auto rules =
      cors(R"(, "methods": ["GET", "PUT"], "headers": ["X-A", "X-B"], "expose": ["X-Total"], "credentials": true,
                              "max_age": "1h")");
  EXPECT_EQ(rules.methods, "GET, PUT");
  EXPECT_EQ(rules.headers, "X-A, X-B");
  EXPECT_EQ(rules.expose, std::string(gateway::kAlwaysExposed) + ", X-Total");
  EXPECT_TRUE(rules.credentials);
  EXPECT_EQ(rules.max_age, "3600");
  EXPECT_TRUE(cors(R"(, "headers": "*")").any_header);
  EXPECT_EQ(cors(R"(, "headers": [])").headers, "");
  EXPECT_FALSE(cors(R"(, "headers": [])").any_header);
  EXPECT_EQ(cors(R"(, "max_age": "0s")").max_age, "0");
}

TEST(LoadAccess, ARouteHasTheCorsRulesOfAllUnlessItHasItsOwn) {
  const std::string all = R"("all_routes": { "cors": { "origins": "https://a.example" } },)";
  const auto route = file_with(R"("to": "app")", all).gateway;
  EXPECT_EQ(route.routes.front().cors, route.all_routes.cors);
  EXPECT_EQ(route_with(R"("cors": "off")", all).cors, nullptr);
  EXPECT_EQ(route_with(R"("cors": { "origins": "https://b.example" })", all).cors->origins,
            (std::vector<std::string>{"https://b.example"}));
}

TEST(LoadAccess, ASplitHasWeightsAndWhatAsksForAShare) {
  const auto route =
      file_with(
          R"("to": [ { "upstream": "app", "weight": 95 }, { "upstream": "next", "when": { "header": { "X-Canary": "1" }, "cookie": { "Beta": "y" } } } ],
                    "split_by": ["client_ip", "header:X-User"])")
          .gateway.routes.back();
  EXPECT_EQ(route.to, "app");
  ASSERT_EQ(route.split->shares.size(), 2U);
  const auto& next = route.split->shares.back();
  EXPECT_EQ(route.split->shares.front().weight, 95U);
  EXPECT_EQ(next.weight, 0U) << "only requests that ask for it";
  ASSERT_EQ(next.when.size(), 2U);
  EXPECT_EQ(next.when.front().name, "x-canary");
  EXPECT_EQ(next.when.back().name, "Beta");
  EXPECT_NE(next.seed, route.split->shares.front().seed);
  EXPECT_EQ(route.split->by.size(), 2U);
  const auto even = file_with(R"("to": [ { "upstream": "app" }, { "upstream": "next" } ])").gateway.routes.back();
  EXPECT_EQ(even.split->shares.back().weight, 1U);
}

TEST(LoadAccess, ErrorPagesMayBeJsonForEverybody) {
  EXPECT_EQ(file_with(R"("to": "app")").gateway.error_pages, gateway::ErrorPages::as_accepted);
  EXPECT_EQ(file_with(R"("to": "app")", R"("error_pages": "json",)").gateway.error_pages, gateway::ErrorPages::json);
}

TEST(LoadAccess, CallersMayAskWhatIsLeftAtAPath) {
  EXPECT_EQ(file_with(R"("to": "app")").gateway.usage, "");
  EXPECT_EQ(file_with(R"("to": "app")", R"("usage": "/.headgate/usage",)").gateway.usage, "/.headgate/usage");
}

TEST(MeaningOfAccess, SaysWhoMayUseARouteAndWhereItsRequestsGo) {
  const auto config = file_with(
      R"("to": [ { "upstream": "app", "weight": 95 }, { "upstream": "next", "weight": 5 } ], "split_by": "client_ip",
         "require": { "jwt": { "scope": ["a", "b"], "claims": { "plan": ["pro", "free"] } } },
         "cors": { "origins": ["https://a.example", "https://*.b.example"], "credentials": true })",
      R"("limits": { "x": { "rate": "1/second", "per": "client_ip" } }, "all_routes": { "limits": ["x"] },)");
  const auto said = meaning(config, "f");
  const auto says = [&said](const std::string& words) { return said.find(words) != std::string::npos; };
  EXPECT_TRUE(says("app 95, next 5 of 100 by client_ip")) << said;
  EXPECT_TRUE(says("x, for a token with scope a and b, plan pro or free")) << said;
  EXPECT_TRUE(
      says("Pages of https://a.example or https://*.b.example may use 1 route from a browser, with its cookies."))
      << said;
}

}  // namespace
}  // namespace headgate::config
