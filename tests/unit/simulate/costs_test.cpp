// Budgets in simulations: a request costs what its log says.

#include "unit/access_logs/temporary_log.hpp"
#include "unit/simulate/policies.hpp"

#include "headgate/access_logs/log_arrivals.hpp"
#include "headgate/simulate/report.hpp"

#include <gmock/gmock.h>

namespace headgate::simulate {
namespace {

using headgate::test::TemporaryLog;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

config::Config budget(const std::string& cost, const std::string& unit = "token", const std::string& more = {}) {
  return test::config_of(more + R"("limits": {"tokens": {"rate": "1000/hour", "algorithm": "fixed_window",
      "per": "client_ip", "unit": ")" +
                         unit + R"("}},
    "routes": [{"path": "/*", "to": "app", "limits": [{"use": "tokens", "cost": )" +
                         cost + "}]}]");
}

config::Config token_budget() {
  return budget(R"({"usage": "openai", "hold": {"input": 4, "otherwise": 500}, "most": 20000, "debt": true})");
}

/// So many lines, a second apart, with these members behind the usual ones.
std::string lines(unsigned count, const std::string& members) {
  std::string out;
  for (unsigned i = 0; i < count; ++i)
    out += R"({"ts":"2026-11-24T12:00:)" + std::to_string(10 + i) +
           R"(.000000Z","event":"request","client_ip":"192.0.2.1","method":"POST","host":"a.example","path":"/v1",)"
           R"("status":200,"ended_by":"upstream","in_bytes":60,"out_bytes":300,"ms":1)" +
           members + "}\n";
  return out;
}

Figures replayed(const config::Config& config, const std::string& text) {
  const TemporaryLog file(text);
  auto log = access_logs::LogArrivals::open({.files = {file.path()}});
  if (log.has_error()) {
    ADD_FAILURE() << log.error();
    return {};
  }
  auto trial = run(policy_of(config), **log, {});
  if (trial.figures.limits.size() != 1) ADD_FAILURE() << "one limit was expected";
  trial.figures.limits.resize(1);
  return std::move(trial.figures);
}

TEST(SimulatedBudgets, CountTheCostInTheLog) {
  const auto figures =
      replayed(token_budget(), lines(12, R"(,"limit":"tokens","decision":"allowed","cost":100,"held":200)"));
  EXPECT_EQ(figures.limits[0].requests(), 12U);
  EXPECT_EQ(figures.limits[0].rejected(), 3U) << "9 calls of 100, then less than 200 is left";
  EXPECT_THAT(undecided_notes(figures, ""), IsEmpty());
}

TEST(SimulatedBudgets, SayThatTheyCountedHoldsIfTheLogHasNoCosts) {
  const auto figures = replayed(token_budget(), lines(12, ""));
  EXPECT_EQ(figures.limits[0].rejected(), 10U) << "each call holds 500";
  EXPECT_THAT(undecided_notes(figures, ""),
              ElementsAre(HasSubstr("limit tokens counted every request with its hold (or `otherwise`)")));
}

TEST(SimulatedBudgets, SayHowManyRequestsHaveNoCostOfTheLimit) {
  const auto figures =
      replayed(token_budget(), lines(3, R"(,"limit":"tokens","decision":"allowed","cost":0,"held":200)") +
                                   lines(1, R"(,"limit":"calls","decision":"allowed","cost":1)"));
  EXPECT_EQ(figures.limits[0].rejected(), 0U);
  EXPECT_THAT(undecided_notes(figures, ""),
              ElementsAre(HasSubstr("limit tokens counted 25.0 % of 4 requests with its hold")));
}

TEST(SimulatedBudgets, CountRejectedCallsWithTheHoldInTheLog) {
  const auto figures = replayed(token_budget(), lines(2, R"(,"limit":"tokens","decision":"rejected","cost":900)"));
  EXPECT_EQ(figures.limits[0].rejected(), 1U);
  EXPECT_EQ(figures.limits[0].costs_unknown, 2U);
}

TEST(SimulatedBudgets, OfMoneyNeedNoModel) {
  const TemporaryLog prices(R"({"models": {"m": {"input": "1", "output": "1"}}})");
  const auto config = budget(R"({"usage": "openai", "hold": {"input": 4, "otherwise": 500}, "most": 300})", "money",
                             R"("prices": ")" + prices.path() + R"(", )");
  const auto known = replayed(config, lines(12, R"(,"limit":"tokens","decision":"allowed","cost":100,"held":200)"));
  EXPECT_EQ(known.limits[0].requests(), 12U);
  EXPECT_EQ(known.limits[0].rejected(), 3U);
  const auto unknown = replayed(config, lines(12, ""));
  EXPECT_EQ(unknown.limits[0].rejected(), 9U) << "each call holds the most that a call costs";
}

TEST(SimulatedBudgets, CountCostsOfTheRequestsBodyByTheLog) {
  const auto figures = replayed(budget(R"({"body": "/n", "otherwise": 10, "most": 400})"),
                                lines(4, R"(,"limit":"tokens","decision":"allowed","cost":300)"));
  EXPECT_EQ(figures.limits[0].rejected(), 1U);
}

TEST(SimulatedBudgets, AskedForACostInTheHeadCountTheLog) {
  const auto figures = replayed(budget(R"({"response_header": "X-Tokens", "hold": 50, "most": 400})"),
                                lines(4, R"(,"limit":"tokens","decision":"allowed","cost":300,"held":50)"));
  EXPECT_EQ(figures.limits[0].rejected(), 0U) << "before the fourth call 100 are left";
  EXPECT_EQ(figures.limits[0].costs_unknown, 0U);
}

TEST(SimulatedBudgets, CannotDecideByAValueInABody) {
  const auto config =
      test::config_of(R"("limits": {"models": {"rate": "1/hour", "per": "body:/model", "if_absent": "reject"}},
    "routes": [{"path": "/*", "to": "app", "limits": ["models"]}])");
  const auto figures = replayed(config, lines(3, ""));
  EXPECT_EQ(figures.limits[0].undecided, 3U);
  EXPECT_THAT(undecided_notes(figures, ""), ElementsAre(HasSubstr("because their bodies are not known")));
}

}  // namespace
}  // namespace headgate::simulate
