// The types of problems that other programs know.

#include "unit/gateway/path/path.hpp"

#include <nlohmann/json.hpp>

namespace headgate::gateway::test {
namespace {

using Json = nlohmann::json;

const std::string kTypes = "https://iana.org/assignments/http-problem-types#";

class PathProblemTypes : public Path {
 protected:
  PathProblemTypes() { route.path = "/a"; }
  Json asked_twice(const std::string& line = "GET /a") {
    check(line);
    ask_again(line);
    return Json::parse(client.body, nullptr, false);
  }
};

TEST_F(PathProblemTypes, OfALimitNamesTheQuotaAsRateLimitDoes) {
  in_memory("plan", "1/hour");
  const auto told = asked_twice();
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(told["type"], kTypes + "quota-exceeded");
  EXPECT_EQ(told["violated-policies"], Json({"plan"}));
  EXPECT_EQ(client.fields["RateLimit"], "\"plan\";r=0;t=3600");
}

TEST_F(PathProblemTypes, OfARequestThatCanNeverPassNamesItToo) {
  in_memory("plan", "5/hour");
  route.limits.back().cost.default_value = 9;
  check("GET /a");
  const auto told = Json::parse(client.body, nullptr, false);
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(told["type"], kTypes + "quota-exceeded");
  EXPECT_EQ(told["violated-policies"], Json({"plan"}));
}

TEST_F(PathProblemTypes, OfAnythingElseAreTheirStatus) {
  check("GET /elsewhere");
  const auto told = Json::parse(client.body, nullptr, false);
  EXPECT_EQ(told["type"], "about:blank");
  EXPECT_FALSE(told.contains("violated-policies"));
}

}  // namespace
}  // namespace headgate::gateway::test
