// Balances, step by step on every store; the ids of top-ups, which only Redis has.

#include "headgate/limit/balance.hpp"

#include "stores.hpp"
#include "support/rules.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace headgate::test {
namespace {

using limit::Check;
using limit::Decision;
using limit::How;

constexpr std::int64_t kMaxLeft = limit::kMaxBalance;

limit::Rule credit(std::uint64_t start = 0) {
  limit::Rule rule;
  rule.limit = "credit";
  limit::make_balance(rule, start);
  limit::name_rule(rule, false, limit::PeriodInKey::no);
  return rule;
}

/// A check, and what it must answer. All steps are years apart, because time changes no balance.
struct BalanceStep {
  std::int64_t cost;
  bool allowed;
  std::int64_t balance;  ///< after the step, below 0 in debt
  How how = How::take;
};

struct BalanceScenario {
  const char* name;  ///< a sentence in PascalCase
  std::uint64_t start;
  std::vector<BalanceStep> steps;
};

std::vector<BalanceScenario> balance_scenarios() {
  return {
      {"BeginsWithNothingAndGrantsWhatWasAdded",
       0,
       {{0, true, 0}, {1, false, 0}, {-20, true, 20}, {15, true, 5}, {6, false, 5}, {5, true, 0}, {1, false, 0}}},
      {"BeginsWithItsStartOnlyOnce",
       100,
       {{0, true, 100}, {101, false, 100}, {100, true, 0}, {1, false, 0}, {0, true, 0}, {-7, true, 7}}},
      {"AddsToTheStartOfANewKey", 100, {{-7, true, 107}, {-3, true, 110}}},
      {"TakesBackFromTheStartOfANewKey", 100, {{130, true, -30, How::debt}, {0, true, -30}, {-31, true, 1}}},
      {"GivesBackWhateverTimeHasPassed", 10, {{10, true, 0}, {-4, true, 4}, {4, true, 0}}},
      {"ChargesAtMostWhatIsLeft", 10, {{7, true, 3}, {5, true, 0, How::charge}, {5, true, 0, How::charge}}},
      {"GrantsNothingInDebtUntilItIsPaidOff",
       10,
       {{25, true, -15, How::debt},
        {1, false, -15},
        {5, true, -15, How::charge},
        {-15, true, 0},
        {1, false, 0},
        {-1, true, 1},
        {1, true, 0}}},
      {"ObservesWithoutTakingWhatIsMissing",
       10,
       {{4, true, 6, How::observe}, {7, false, 6, How::observe}, {6, true, 0, How::observe}}},
      {"IsBoundedInBothDirections",
       0,
       {{-kMaxLeft, true, kMaxLeft},
        {-1, true, kMaxLeft},
        {kMaxLeft, true, 0},
        {kMaxLeft, true, -kMaxLeft, How::debt},
        {1, true, -kMaxLeft, How::debt},
        {-3 * kMaxLeft, true, kMaxLeft}}},
  };
}

enum class BalanceIn { memory, redis };

class Balances : public testing::TestWithParam<std::tuple<BalanceIn, BalanceScenario>> {
 protected:
  void SetUp() override {
    std::string why;
    store_ = contract_store(std::get<BalanceIn>(GetParam()) == BalanceIn::redis, why);
    if (!store_) GTEST_SKIP() << why;
  }

  std::unique_ptr<ContractStore> store_;
};

TEST_P(Balances, HoldStepByStep) {
  const auto& scenario = std::get<BalanceScenario>(GetParam());
  const auto rule = credit(scenario.start);
  ASSERT_FALSE(rule.algorithm->check(rule));
  Instant now = kStart;
  int number = 0;
  for (const auto& step : scenario.steps) {
    SCOPED_TRACE("step " + std::to_string(++number));
    auto check = make_check(rule, "acme", step.cost, step.how);
    Decision decision;
    check.peek = true;
    store_->decide({&check, 1}, now, {&decision, 1});
    EXPECT_EQ(limit::balance_in(decision), step.balance) << "as a peek, which changes nothing";
    check.peek = false;
    EXPECT_EQ(store_->decide({&check, 1}, now, {&decision, 1}), step.allowed || step.how != How::take);
    EXPECT_EQ(decision.allowed, step.allowed);
    EXPECT_EQ(limit::balance_in(decision), step.balance);
    EXPECT_EQ(decision.limit, 0U);
    EXPECT_EQ(decision.retry_after, step.allowed ? Duration(0) : limit::kNever);
    EXPECT_EQ(decision.again_after, Duration(0));
    now += std::chrono::hours(24) * 1'000;
  }
}

INSTANTIATE_TEST_SUITE_P(Stores, Balances,
                         testing::Combine(testing::Values(BalanceIn::memory, BalanceIn::redis),
                                          testing::ValuesIn(balance_scenarios())),
                         [](const auto& instance) {
                           const bool here = std::get<BalanceIn>(instance.param) == BalanceIn::memory;
                           return std::string(here ? "Memory_" : "Redis_") +
                                  std::get<BalanceScenario>(instance.param).name;
                         });

class TopUps : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    server_ = shared_redis(why);
    if (server_ == nullptr) GTEST_SKIP() << why;
    store_ = std::make_unique<InRedis>(server_->port());
  }

  /// Returns whether the top-up was new, and sets the balance and the amount that the id stands for.
  bool add(std::int64_t amount, const std::string& id) {
    const auto top_up = limit::top_up_rule(rule_, id);
    const std::array<Check, 2> checks{make_check(rule_, "acme", -amount, amount < 0 ? How::debt : How::take),
                                      make_check(top_up, "acme", amount)};
    std::array<Decision, 2> decisions;
    const bool passed = store_->decide(checks, kStart, decisions);
    balance_ = limit::balance_in(decisions[0]);
    added_ = limit::balance_in(decisions[1]);
    return passed;
  }

  limit::Rule rule_ = credit(5);
  RedisServer* server_ = nullptr;
  std::unique_ptr<InRedis> store_;
  std::int64_t balance_ = 0;
  std::int64_t added_ = 0;
};

TEST_F(TopUps, CountOnceForEachId) {
  EXPECT_TRUE(add(100, "invoice-7"));
  EXPECT_EQ(balance_, 105);
  EXPECT_FALSE(add(100, "invoice-7"));
  EXPECT_EQ(balance_, 105);
  EXPECT_EQ(added_, 100);
  EXPECT_FALSE(add(70, "invoice-7")) << "another amount is not added either";
  EXPECT_EQ(added_, 100);
  EXPECT_TRUE(add(100, "invoice-8"));
  EXPECT_EQ(balance_, 205);
}

TEST_F(TopUps, ThatTakeBackGoBelowZeroAndCountOnceToo) {
  EXPECT_TRUE(add(-30, "refund-1"));
  EXPECT_EQ(balance_, -25);
  EXPECT_FALSE(add(-30, "refund-1"));
  EXPECT_EQ(balance_, -25);
  EXPECT_EQ(added_, -30);
}

// The store of the tests above sets no times to live, so this test runs the script as it is.
TEST_F(TopUps, ExpireAfterAMonthWhileTheBalanceStays) {
  const auto top_up = limit::top_up_rule(rule_, "invoice-7");
  const std::array<Check, 2> checks{make_check(rule_, "acme", -100), make_check(top_up, "acme", 100)};
  std::vector<std::string> words{"EVAL", std::string(limit::decide_script())};
  std::vector<std::string> arguments;
  limit::script_arguments(checks, "hg:", kStart, arguments);
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::string error;
  RedisClient client(server_->port());
  ASSERT_TRUE(client.integers(words, error)) << error;
  const std::string name = "hg:v1:{acme}:credit:balance";
  EXPECT_EQ(client.text({"GET", name}), "balance 105");
  EXPECT_EQ(client.text({"TTL", name}), "-1") << "it never expires";
  EXPECT_EQ(client.text({"GET", name + "#invoice-7"}), "100");
  const auto left = std::stoll(client.text({"PTTL", name + "#invoice-7"}));
  const auto kept = std::chrono::duration_cast<std::chrono::milliseconds>(limit::kTopUpKept).count();
  EXPECT_LE(left, kept);
  EXPECT_GT(left, kept - 60'000);
}

TEST_F(TopUps, ReplaceAValueThatIsNoBalance) {
  store_->client().command({"SET", "hg:v1:{acme}:credit:balance", "7@1795238424123456"});
  EXPECT_TRUE(add(100, "invoice-7"));
  EXPECT_EQ(balance_, 105);
}

}  // namespace
}  // namespace headgate::test
