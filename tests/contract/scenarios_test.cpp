// Runs every scenario on every store.

#include "scenarios.hpp"

#include "stores.hpp"
#include "support/rules.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <tuple>

namespace headgate::test {
namespace {

enum class Kind { memory, redis };

class Contract : public testing::TestWithParam<std::tuple<Kind, Scenario>> {
 protected:
  void SetUp() override {
    std::string why;
    store_ = contract_store(std::get<Kind>(GetParam()) == Kind::redis, why);
    if (!store_) GTEST_SKIP() << why;
  }

  std::unique_ptr<ContractStore> store_;
};

TEST_P(Contract, HoldsStepByStep) {
  const Scenario& scenario = std::get<Scenario>(GetParam());
  limit::Rule rule = make_rule(scenario.rate, scenario.burst, "plan", scenario.algorithm, scenario.wait);
  rule.count_rejected = scenario.count_rejected;
  rule.from_first_use = scenario.first_use;
  ASSERT_FALSE(rule.algorithm->check(rule));
  int number = 0;
  for (const Step& step : scenario.steps) {
    SCOPED_TRACE("step " + std::to_string(++number));
    if (step.rate != nullptr) rule = make_rule(step.rate, 0, "plan", scenario.algorithm, scenario.wait);
    const limit::Check check = make_check(rule, "org_42", step.cost, step.how);
    limit::Decision decision;
    EXPECT_EQ(store_->decide({&check, 1}, kStart + step.at, {&decision, 1}),
              step.allowed || check.how != limit::How::take);
    EXPECT_EQ(decision.allowed, step.allowed);
    EXPECT_EQ(decision.limit, scenario.limit != 0 ? scenario.limit : rule.burst);
    EXPECT_EQ(decision.remaining, step.remaining);
    EXPECT_EQ(decision.retry_after.count(), step.retry_after.count());
    EXPECT_EQ(decision.reset_after.count(), step.reset_after.count());
    EXPECT_EQ(decision.delay.count(), step.delay.count());
  }
}

INSTANTIATE_TEST_SUITE_P(Stores, Contract,
                         testing::Combine(testing::Values(Kind::memory, Kind::redis), testing::ValuesIn(scenarios())),
                         [](const auto& instance) {
                           const auto& scenario = std::get<Scenario>(instance.param);
                           const bool here = std::get<Kind>(instance.param) == Kind::memory;
                           return std::string(here ? "Memory_" : "Redis_") + scenario.algorithm + "_" + scenario.name;
                         });

std::set<std::string> stems(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(HEADGATE_SOURCE_DIR + folder))
    names.insert(entry.path().stem().string());
  return names;
}

TEST(Algorithms, AreTheSameSetInCodeInLuaInTheRegistryAndInTheScenarios) {
  std::set<std::string> registered;
  for (const limit::Algorithm* algorithm : limit::algorithms()) registered.emplace(algorithm->name);
  std::set<std::string> promised;
  for (const Scenario& scenario : scenarios()) promised.emplace(scenario.algorithm);
  EXPECT_EQ(registered, stems("/src/limit/algorithms"));
  EXPECT_EQ(registered, stems("/lua/algorithms"));
  EXPECT_EQ(registered, promised);
}

}  // namespace
}  // namespace headgate::test
