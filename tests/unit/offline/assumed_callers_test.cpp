// Callers whom a simulation is told: the path takes them for what their credentials would prove.

#include "unit/offline/simulated_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace headgate::offline {
namespace {

using engine::RequestArrival;
using test::SimulatedFile;
using testing::ElementsAre;

constexpr std::string_view kTokens = R"({
  "listen": ":8080",
  "identity": { "jwt": {
    "issuer": "https://login.example.com", "audience": "shop", "algorithms": ["RS256"], "max_age": "1h",
    "jwks": "https://login.example.com/keys",
    "claim_headers": { "X-Tenant": "org.id" }
  } },
  "upstreams": { "app": "http://10.0.0.1:3000" },
  "limits": {
    "plan": { "per": "jwt.org.id", "tier_from": "jwt.plan", "default_tier": "free",
              "tiers": { "free": { "rate": "1/minute" }, "pro": { "rate": "3/minute" } } }
  },
  "routes": [
    { "path": "/admin", "to": "app", "require": { "jwt": { "scope": "admin" } } },
    { "path": "/*", "to": "app", "require": "jwt", "limits": ["plan"] }
  ]
})";

TEST(AssumedCallers, AreRefusedWithoutClaimsAsLive) {
  SimulatedFile file(kTokens);
  EXPECT_EQ(file.status({.path = "/a"}), 401U);
}

TEST(AssumedCallers, GetTheTierAndTheCounterOfTheirClaims) {
  SimulatedFile file(kTokens);
  const RequestArrival pro{.path = "/a", .assumed = {.claims = R"({"org":{"id":7},"plan":"pro"})"}};
  EXPECT_THAT(file.statuses(pro, 4), ElementsAre(200U, 200U, 200U, 429U));
  EXPECT_EQ(file.status({.path = "/a", .assumed = {.claims = R"({"org":{"id":8},"plan":["x","pro"]})"}}), 200U);
  EXPECT_EQ(file.last_tier, "pro");
}

TEST(AssumedCallers, MeetDemandsByTheirClaims) {
  SimulatedFile file(kTokens);
  EXPECT_EQ(file.status({.path = "/admin", .assumed = {.claims = R"({"scope":"read admin"})"}}), 200U);
  EXPECT_EQ(file.status({.path = "/admin", .assumed = {.claims = R"({"scope":"read"})"}}), 403U);
}

TEST(AssumedCallers, AreRefusedForWhatTheirIssuerWouldNotWrite) {
  SimulatedFile file(kTokens);
  for (const std::string_view claims :
       {R"({"org":{"id":1},"iss":"https://other.example"})", R"({"org":{"id":1},"aud":"blog"})",
        R"({"org":{"id":1},"exp":1000})", R"({"org":{"id":1},"iat":1000})", R"({"org":)", R"([1])"})
    EXPECT_EQ(file.status({.path = "/a", .assumed = {.claims = claims}}), 401U) << claims;
}

TEST(AssumedCallers, AreExplainedInTheSameWords) {
  SimulatedFile file(kTokens);
  const RequestArrival free{.path = "/a", .assumed = {.claims = R"({"org":{"id":"acme"},"sub":"ann"})"}};
  EXPECT_EQ(file.status(free), 200U);
  const auto told = file.simulation->explain(free);
  EXPECT_EQ(told.status, 429U);
  EXPECT_EQ(told.subject, "ann");
  ASSERT_EQ(told.limits.size(), 1U);
  EXPECT_EQ(told.limits[0].tier, "free");
  EXPECT_EQ(told.limits[0].key, "acme");
  EXPECT_EQ(file.status({.path = "/a", .assumed = {.claims = R"({"org":{"id":"b"}})"}}), 200U) << "nothing was taken";
}

/// With a file of keys.
std::string with_keys() {
  const auto file = testing::TempDir() + "assumed-callers-keys.json";
  std::ofstream(file) << R"({ "keys": [
    { "sha256": "0000000000000000000000000000000000000000000000000000000000000001", "owner": "acme", "disabled": true },
    { "sha256": "0000000000000000000000000000000000000000000000000000000000000002", "owner": "acme", "tier": "pro" },
    { "sha256": "0000000000000000000000000000000000000000000000000000000000000003", "owner": "tiny",
      "limits": { "plan": { "rate": "5/minute" } } },
    { "sha256": "0000000000000000000000000000000000000000000000000000000000000004", "owner": "gone", "disabled": true }
  ] })";
  return R"({
    "listen": ":8080",
    "identity": { "api_key": { "file": ")" +
         file + R"(" } },
    "upstreams": { "app": "http://10.0.0.1:3000" },
    "limits": { "plan": { "per": "api_key", "tier_from": "api_key", "default_tier": "free",
                          "tiers": { "free": { "rate": "1/minute" }, "pro": { "rate": "3/minute" } } } },
    "routes": [ { "path": "/*", "to": "app", "require": "api_key", "limits": ["plan"] } ]
  })";
}

TEST(AssumedCallers, HaveTheTierAndTheOwnSizesOfTheirKey) {
  SimulatedFile file(with_keys());
  const auto& simulation = *file.simulation;
  EXPECT_EQ(file.status({}), 401U);
  EXPECT_THAT(file.statuses({.assumed = {.key = simulation.key_of("acme")}}, 4), ElementsAre(200U, 200U, 200U, 429U));
  EXPECT_THAT(file.statuses({.assumed = {.key = simulation.key_of("tiny")}}, 6),
              ElementsAre(200U, 200U, 200U, 200U, 200U, 429U));
  EXPECT_EQ(file.status({.assumed = {.key = simulation.key_of("gone")}}), 401U);
  EXPECT_EQ(simulation.key_of("nobody"), nullptr);
}

TEST(AssumedCallers, MayHaveAKeyThatNobodyKnows) {
  SimulatedFile file(with_keys());
  identity::ApiKeyRecord made_up;
  made_up.owner = "old customer";
  made_up.tier = "pro";
  EXPECT_THAT(file.statuses({.assumed = {.key = &made_up}}, 4), ElementsAre(200U, 200U, 200U, 429U));
}

}  // namespace
}  // namespace headgate::offline
