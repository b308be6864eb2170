// A request that waits as long as it is told to is allowed, and a microsecond earlier it is not. This holds for every
// algorithm, in both stores, after any checks, charges, debts and give-backs.

#include "stores.hpp"
#include "support/rules.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <vector>

namespace headgate::test {
namespace {

using limit::Check;
using limit::Decision;
using limit::How;
using limit::Rule;

enum class Place { memory, redis };

class Waits : public testing::TestWithParam<std::tuple<Place, const limit::Algorithm*>> {
 protected:
  void SetUp() override {
    std::string why;
    store_ = contract_store(std::get<Place>(GetParam()) == Place::redis, why);
    if (!store_) GTEST_SKIP() << why;
  }

  std::int64_t between(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
  }

  Rule random_rule(const std::string& limit) {
    static const std::vector<std::string> rates = {"7/second", "10/second", "100/minute", "13/30d",
                                                   "5/100ms",  "300/5m",    "20/10s",     "1/second"};
    for (;;) {
      const Duration wait(random_() % 4 == 0 ? 500'000 : 0);
      const auto& rate = rates[random_() % rates.size()];
      const Rule rule = make_rule(rate, random_() % 2 == 0 ? 0 : 20, limit, algorithm().name, wait);
      if (!algorithm().check(rule)) return rule;
    }
  }

  Decision check(const Rule& rule, std::int64_t cost, How how = How::take) {
    const Check one = make_check(rule, "somebody", cost, how);
    Decision decision;
    store_->decide({&one, 1}, now_, {&decision, 1});
    return decision;
  }

  /// Takes at once, or waits as told and then takes.
  void take_as_told(const Rule& rule, std::int64_t cost) {
    const Decision rejected = check(rule, cost);
    if (rejected.allowed || rejected.retry_after == limit::kNever) return;
    ++waits_;
    now_ += rejected.retry_after - Duration(1);
    ASSERT_FALSE(check(rule, cost).allowed) << "a microsecond early";
    now_ += Duration(1);
    ASSERT_TRUE(check(rule, cost).allowed) << "after " << rejected.retry_after.count();
  }

  static const limit::Algorithm& algorithm() { return *std::get<const limit::Algorithm*>(GetParam()); }

  std::mt19937_64 random_{20261122};
  std::unique_ptr<ContractStore> store_;
  Instant now_ = kStart;
  int waits_ = 0;
};

TEST_P(Waits, AreTrueWhateverHappenedBefore) {
  for (int trace = 0; trace < 40; ++trace) {
    const std::string limit = "waits" + std::to_string(trace);
    Rule rule = random_rule(limit);
    for (int step = 0; step < 60; ++step) {
      SCOPED_TRACE(to_text(rule.rate) + " burst " + std::to_string(rule.burst) + " trace " + std::to_string(trace) +
                   " step " + std::to_string(step));
      const auto most = static_cast<std::int64_t>(rule.burst);
      now_ += Duration(between(0, rule.rate.period.count() / 4));
      switch (random_() % 12) {
        case 0:
          check(rule, between(1, 3 * most), How::debt);
          break;
        case 1:
          check(rule, between(1, 2 * most), How::charge);
          break;
        case 2:
          check(rule, -between(1, most));
          break;
        case 3:
          if (step % 10 == 0) rule = random_rule(limit);
          break;
        default:
          take_as_told(rule, random_() % 3 == 0 ? between(1, most) : 1);
      }
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(waits_, 400);
}

INSTANTIATE_TEST_SUITE_P(All, Waits,
                         testing::Combine(testing::Values(Place::memory, Place::redis),
                                          testing::ValuesIn(limit::algorithms().begin(), limit::algorithms().end())),
                         [](const auto& instance) {
                           return std::string(std::get<Place>(instance.param) == Place::memory ? "Memory_" : "Redis_") +
                                  std::string(std::get<const limit::Algorithm*>(instance.param)->name);
                         });

}  // namespace
}  // namespace headgate::test
