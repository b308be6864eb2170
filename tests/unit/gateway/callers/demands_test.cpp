// What a route demands of a valid token or key.

#include "../../../../src/gateway/callers/demands.hpp"

#include <boost/smart_ptr/make_local_shared.hpp>

#include <gtest/gtest.h>

namespace headgate::gateway {
namespace {

using identity::JwtAlgorithm;
using observe::AuthKind;
using observe::AuthStatus;

class DemandsTest : public testing::Test {
 protected:
  DemandsTest() {
    route.require = Require::jwt;
    token.claims = {{"iss", "https://a"}, {"sub", "alice"}, {"plan", "pro"}, {"level", "5"}, {"admin", "true"}};
    token.literals = {"level", "admin"};
    token.algorithm = JwtAlgorithm::ES256;
  }
  /// The status that such a token gets; 200 if it may pass.
  unsigned status() {
    x.text.clear();
    x.caller = {};
    x.caller.auth_results.emplace_back(observe::AuthResult{AuthKind::jwt, AuthStatus::ok});
    x.caller.token = boost::make_local_shared<const identity::VerifiedToken>(token);
    return checked();
  }
  unsigned status_of(const identity::ApiKeyRecord* key) {
    route.require = Require::api_key;
    x.caller = {};
    x.caller.auth_results.emplace_back(observe::AuthResult{AuthKind::api_key, AuthStatus::ok});
    x.caller.known_key = key;
    return checked();
  }
  unsigned checked() {
    route.demands = &demands;
    x.route = &route;
    const auto problem = check_demands(x);
    x.route = nullptr;
    challenge = problem ? problem->challenge : std::string_view{};
    return problem ? problem->status : 200;
  }
  AuthStatus noted() const { return x.caller.auth_results.front().result; }

  Demands demands;
  identity::VerifiedToken token;
  Route route;
  Exchange x;
  std::string challenge;
};

TEST_F(DemandsTest, WithoutAnyEveryValidTokenPasses) { EXPECT_EQ(status(), 200U); }

TEST_F(DemandsTest, ATokenOfAnotherIssuerIsRefusedAsInvalid) {
  demands.token.issuers = {"https://b", "https://a"};
  EXPECT_EQ(status(), 200U);
  demands.token.issuers = {"https://b"};
  EXPECT_EQ(status(), 401U);
  EXPECT_EQ(challenge, R"(Bearer error="invalid_token")");
  EXPECT_EQ(noted(), AuthStatus::wrong_issuer);
}

TEST_F(DemandsTest, ATokenWithAnotherAlgorithmIsRefusedAsInvalid) {
  demands.token.algorithms = {JwtAlgorithm::RS256, JwtAlgorithm::ES256};
  EXPECT_EQ(status(), 200U);
  demands.token.algorithms = {JwtAlgorithm::RS256};
  EXPECT_EQ(status(), 401U);
  EXPECT_EQ(noted(), AuthStatus::unsupported_algorithm);
}

TEST_F(DemandsTest, AnAudienceIsFoundInATextAndInAList) {
  demands.token.audiences = {"orders", "stock"};
  EXPECT_EQ(status(), 401U) << "no audience at all";
  EXPECT_EQ(noted(), AuthStatus::wrong_audience);
  token.claims["aud"] = "stock";
  EXPECT_EQ(status(), 200U);
  token.claims.erase("aud");
  token.lists["aud"] = "web\norders\n";
  EXPECT_EQ(status(), 200U);
  token.lists["aud"] = "web\norders2\n";
  EXPECT_EQ(status(), 401U);
}

TEST_F(DemandsTest, AllScopesAreNeededWhereverTheyStand) {
  demands.token.scopes = {"orders:read", "orders:write"};
  EXPECT_EQ(status(), 403U);
  EXPECT_EQ(challenge, R"(Bearer error="insufficient_scope", scope="orders:read orders:write")");
  EXPECT_EQ(noted(), AuthStatus::insufficient);
  token.claims["scope"] = "orders:read openid";
  EXPECT_EQ(status(), 403U);
  token.claims["scope"] = "orders:read openid orders:write";
  EXPECT_EQ(status(), 200U);
  token.claims["scope"] = "orders:read orders:writer xorders:write";
  EXPECT_EQ(status(), 403U) << "a part of a scope is no scope";
  token.claims["scp"] = "orders:write";
  EXPECT_EQ(status(), 200U) << "one here, one there";
  token.claims.erase("scp");
  token.claims.erase("scope");
  token.lists["scp"] = "orders:write\norders:read\n";
  EXPECT_EQ(status(), 200U);
  token.lists["scp"] = "orders:write\n";
  EXPECT_EQ(status(), 403U);
  token.lists = {{"scope", "a orders:read b orders:write\n"}};
  EXPECT_EQ(status(), 200U) << "a text of more than 1 KiB is kept there";
}

TEST_F(DemandsTest, AClaimIsComparedWithItsType) {
  demands.token.claims = {{"plan", {{"pro", false}, {"enterprise", false}}}};
  EXPECT_EQ(status(), 200U);
  demands.token.claims = {{"plan", {{"Pro", false}}}};
  EXPECT_EQ(status(), 403U);
  EXPECT_EQ(challenge, R"(Bearer error="insufficient_scope")");
  demands.token.claims = {{"level", {{"5", true}}}, {"admin", {{"true", true}}}};
  EXPECT_EQ(status(), 200U);
  demands.token.claims = {{"level", {{"5", false}}}};
  EXPECT_EQ(status(), 403U) << "5 is not \"5\"";
  demands.token.claims = {{"admin", {{"true", false}}}};
  EXPECT_EQ(status(), 403U) << "true is not \"true\"";
  token.literals.clear();
  demands.token.claims = {{"admin", {{"true", true}}}};
  EXPECT_EQ(status(), 403U) << "\"true\" is not true";
  demands.token.claims = {{"missing", {{"x", false}}}};
  EXPECT_EQ(status(), 403U);
}

TEST_F(DemandsTest, AClaimThatIsAListMayHaveTheValueInIt) {
  demands.token.claims = {{"groups", {{"staff", false}, {"5", true}}}};
  token.lists["groups"] = "guests\nstaff\n";
  EXPECT_EQ(status(), 200U);
  token.lists["groups"] = "guests\nstaffs\n5\n";
  EXPECT_EQ(status(), 403U) << "a list has texts only";
}

TEST_F(DemandsTest, AllClaimsAreNeeded) {
  demands.token.claims = {{"plan", {{"pro", false}}}, {"region", {{"eu", false}}}};
  EXPECT_EQ(status(), 403U);
  token.claims["region"] = "eu";
  EXPECT_EQ(status(), 200U);
}

TEST_F(DemandsTest, AKeyIsChosenByOwnerTierAndTag) {
  identity::ApiKeyRecord key;
  key.owner = "acme";
  key.tier = "pro";
  key.tags = {"batch", "eu"};
  demands.key = {.owners = {"initech", "acme"}, .tiers = {"pro"}, .tags = {"eu", "us"}};
  EXPECT_EQ(status_of(&key), 200U);
  key.owner = "other";
  EXPECT_EQ(status_of(&key), 403U);
  EXPECT_EQ(noted(), AuthStatus::insufficient);
  EXPECT_EQ(challenge, "");
  key.owner = "acme";
  key.tier = "free";
  EXPECT_EQ(status_of(&key), 403U);
  key.tier = "pro";
  key.tags = {"batch"};
  EXPECT_EQ(status_of(&key), 403U);
  EXPECT_EQ(status_of(nullptr), 403U) << "a key that is not known by name";
}

}  // namespace
}  // namespace headgate::gateway
