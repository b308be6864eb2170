// The cost and the hold that headgate's log has for the limit of a request.

#include "temporary_log.hpp"

namespace headgate::test {
namespace {

using gateway::AssumedCost;

/// Returns the cost of the only request in a log, and sets `limit` to the name of its limit.
AssumedCost cost_in_log(const std::string& line, std::string& limit) {
  const TemporaryLog file(line + '\n');
  auto log = access_logs::LogArrivals::open({.files = {file.path()}});
  if (log.has_error()) {
    ADD_FAILURE() << log.error();
    return {};
  }
  const auto* const one = (*log)->next();
  if (one == nullptr) {
    ADD_FAILURE() << "no request";
    return {};
  }
  EXPECT_TRUE(one->assumed.hides_bodies);
  auto out = one->assumed.cost;
  limit = out.limit;
  out.limit = {};
  return out;
}

/// Reads a line of the format `headgate` with these members.
AssumedCost cost_in_json(const std::string& members, std::string& limit) {
  return cost_in_log(R"({"ts":"2026-11-24T12:00:00.000000Z","event":"request","client_ip":"192.0.2.1","method":"POST",)"
                     R"("host":"a.example","path":"/v1","status":200,"ended_by":"upstream","ms":1)" +
                         members + "}",
                     limit);
}

TEST(LoggedCosts, AreThoseOfTheLimitOfTheLine) {
  std::string limit;
  const auto cost = cost_in_json(R"(,"limit":"tokens","decision":"allowed","cost":42,"held":105)", limit);
  EXPECT_EQ(limit, "tokens");
  EXPECT_EQ(cost.cost, 42);
  EXPECT_EQ(cost.held, 105);
}

TEST(LoggedCosts, WithoutAHoldWereHeldAsAWhole) {
  std::string limit;
  const auto cost = cost_in_json(R"(,"limit":"tokens","decision":"allowed","cost":500)", limit);
  EXPECT_EQ(cost.cost, 500);
  EXPECT_EQ(cost.held, 500);
}

TEST(LoggedCosts, OfARejectedRequestAreOnlyAHold) {
  std::string limit;
  const auto cost = cost_in_json(R"(,"limit":"tokens","decision":"rejected","cost":900)", limit);
  EXPECT_EQ(cost.cost, std::nullopt);
  EXPECT_EQ(cost.held, 900);
}

TEST(LoggedCosts, AreUnknownIfTheLineHasNone) {
  std::string limit;
  const auto cost = cost_in_json("", limit);
  EXPECT_EQ(limit, "");
  EXPECT_EQ(cost.cost, std::nullopt);
  EXPECT_EQ(cost.held, std::nullopt);
}

TEST(LoggedCosts, ThatAreNoNumbersAreUnknown) {
  std::string limit;
  EXPECT_EQ(cost_in_json(R"(,"limit":"tokens","cost":"many")", limit).cost, std::nullopt);
  EXPECT_EQ(cost_in_json(R"(,"limit":"tokens","cost":-3)", limit).cost, std::nullopt);
  EXPECT_EQ(cost_in_json(R"(,"limit":"tokens","cost":9000000000000000000)", limit).cost, std::nullopt);
}

TEST(LoggedCosts, AreReadFromEcsAsWell) {
  std::string limit;
  const auto cost =
      cost_in_log(R"({"@timestamp":"2026-11-24T12:00:00.000000Z","event":{"action":"request","duration":1000000},)"
                  R"("client":{"ip":"192.0.2.1"},"http":{"request":{"method":"POST"},"response":{"status_code":200}},)"
                  R"("url":{"path":"/v1"},"headgate":{"limit":"tokens","decision":"allowed","cost":42,"held":105}})",
                  limit);
  EXPECT_EQ(limit, "tokens");
  EXPECT_EQ(cost.cost, 42);
  EXPECT_EQ(cost.held, 105);
}

}  // namespace
}  // namespace headgate::test
