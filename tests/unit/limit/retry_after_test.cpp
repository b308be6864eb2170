// The reported wait is true: a request that waits as told is allowed, if nobody else takes meanwhile. For every
// algorithm, with and without a wait of the rule, for mixed costs, with known rejections, leases and reservations, at
// one gateway and at several, for one rule and for two, and with give-backs. On a virtual clock.

#include "fleet.hpp"

#include "headgate/limit/algorithm.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace headgate::limit {
namespace {

using test::make_rule;

constexpr Duration kCall = 1ms;  // longer than the longest call with its answer

/// The result of one request.
struct Heard {
  bool answered = false;
  bool allowed = false;
  Duration retry_after{0};
};

class RetryAfter : public testing::TestWithParam<const Algorithm*> {
 protected:
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
  }
  bool one_in(int n) { return between(1, n) == 1; }

  Rule random_rule(std::string name) {
    static const std::vector<std::string> rates = {"7/second", "100/second", "500/second", "40/minute",
                                                   "20/10s",   "999/minute", "3/100ms",    "50/hour"};
    for (;;) {
      Rule rule = make_rule(rates[random_() % rates.size()], one_in(2) ? 0 : static_cast<std::uint64_t>(between(1, 60)),
                            name, GetParam()->name, one_in(3) ? Duration(between(1, 2'000'000)) : Duration(0));
      rule.leases = !one_in(4);
      if (!rule.algorithm->check(rule)) return rule;
    }
  }

  /// Sends a request and runs the fleet until it is answered.
  Heard check(Fleet& fleet, std::size_t gateway, const std::vector<Check>& checks) {
    Heard heard;
    fleet.request(
        gateway, checks,
        [&] {
          heard = {true, true, {}};
        },
        [&](std::span<const Decision> decisions) {
          heard = {true, false, binding(decisions)->retry_after};
        });
    for (int i = 0; i < 1000 && !heard.answered; ++i) fleet.run_until(fleet.now() + 50us);
    EXPECT_TRUE(heard.answered);
    return heard;
  }

  /// Random requests in bursts. Now and then a rejected one waits as told and tries again. What others took with a
  /// smaller cost, or gave back, within the second of a known rejection is only known if it went to the same gateway
  /// and rule. So in other cases all `costs` are equal.
  enum class Costs { alike, mixed };
  void play(std::size_t gateways, std::size_t rules, Costs costs) {
    int waited = 0;
    for (int trace = 0; trace < 60; ++trace) {
      std::vector<Rule> limits;
      for (std::size_t i = 0; i < rules; ++i) limits.push_back(random_rule("rule" + std::to_string(i)));
      Fleet fleet(gateways, {}, static_cast<unsigned>(trace));
      const auto most = static_cast<std::int64_t>(limits[0].burst);
      const std::int64_t default_value = one_in(2) ? 1 : std::max<std::int64_t>(1, most / 5);
      for (int step = 0; step < 300; ++step) {
        const bool other = costs == Costs::mixed && one_in(3);
        const auto cost = other ? between(1, std::min(2 * default_value + 1, most + 1)) : default_value;
        std::vector<Check> checks;
        for (const auto& rule : limits) checks.push_back(test::make_check(rule, "someone", cost));
        if (costs == Costs::mixed && one_in(40)) checks[0].cost = -1;
        const auto gateway = static_cast<std::size_t>(between(0, static_cast<std::int64_t>(gateways) - 1));
        const auto heard = check(fleet, gateway, checks);
        fleet.run_until(fleet.now() + (one_in(10) ? Duration(between(0, 300'000)) : Duration(between(0, 8'000))));
        if (heard.allowed || !one_in(8)) continue;
        // Try again without other requests meanwhile. Calls under way end first.
        fleet.run_until(fleet.now() + 2 * kCall);
        const auto told = check(fleet, gateway, checks);
        if (told.allowed || told.retry_after >= kNever) continue;
        if (told.retry_after > 2min) continue;  // thousands of sweeps: no lease is held by then
        fleet.run_until(fleet.now() + told.retry_after + kCall);
        ++waited;
        ASSERT_TRUE(check(fleet, gateway, checks).allowed)
            << "told to wait " << told.retry_after.count() << " us for a cost of " << cost << " of "
            << to_text(limits[0].rate) << ", burst " << most << ", wait " << limits[0].wait.count() << ", leases "
            << limits[0].leases << "; trace " << trace << " step " << step << ", " << gateways << " gateways";
      }
    }
    EXPECT_GT(waited, 60);
  }

  std::mt19937_64 random_{20261122};
};

TEST_P(RetryAfter, IsTrueAtOneGatewayOfMixedCosts) { play(1, 1, Costs::mixed); }
TEST_P(RetryAfter, IsTrueAtSeveralGateways) { play(3, 1, Costs::alike); }
TEST_P(RetryAfter, IsTrueOfTwoRulesAtOnce) { play(1, 2, Costs::alike); }

INSTANTIATE_TEST_SUITE_P(Algorithms, RetryAfter, testing::ValuesIn(algorithms().begin(), algorithms().end()),
                         [](const auto& instance) { return std::string(instance.param->name); });

}  // namespace
}  // namespace headgate::limit
