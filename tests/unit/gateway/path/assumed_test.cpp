// Callers who are assumed, at a gateway that was not made to believe it: one that serves.

#include "unit/gateway/path/path.hpp"

#include "headgate/gateway/assumed_caller.hpp"

namespace headgate::gateway::test {
namespace {

using AssumedCallers = Path;

TEST_F(AssumedCallers, AreNotBelievedByAGatewayThatServes) {
  believe_tokens();
  route.require = Require::jwt;
  const AssumedCaller assumed{.claims = R"({"sub":"ann"})"};
  x.assumed = &assumed;
  check("GET /a");
  EXPECT_EQ(x.status, 401U);
  EXPECT_EQ(x.caller.token, nullptr);
}

TEST_F(AssumedCallers, HaveNoKeyAtAGatewayThatServes) {
  route.require = Require::api_key;
  identity::ApiKeyRecord key;
  key.owner = "acme";
  const AssumedCaller assumed{.key = &key};
  x.assumed = &assumed;
  check("GET /a");
  EXPECT_EQ(x.status, 401U);
  EXPECT_EQ(x.caller.known_key, nullptr);
}

}  // namespace
}  // namespace headgate::gateway::test
