#include "../../../src/redis/servers/scatter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace headgate::redis {
namespace {

using limit::How;

class ScatterTest : public testing::Test {
 protected:
  static limit::Rule rule_of_burst(std::uint64_t burst) {
    limit::Rule rule;
    rule.burst = burst;
    return rule;
  }
  static std::vector<std::uint16_t> order(const Scatter& scatter) {
    std::vector<std::uint16_t> slots;
    for (const auto& group : scatter.groups()) slots.push_back(group.slot);
    return slots;
  }

  const limit::Rule small = rule_of_burst(10);
  const limit::Rule middle = rule_of_burst(100);
  const limit::Rule large = rule_of_burst(1000);
};

TEST_F(ScatterTest, SendsTheSlotWithTheSmallestBurstFirst) {
  const std::array<limit::Check, 4> checks{
      limit::Check{&large, "a", {}, 1, How::take}, limit::Check{&middle, "b", {}, 1, How::take},
      limit::Check{&small, "a", {}, 1, How::take}, limit::Check{&middle, "c", {}, 1, How::take}};
  const std::array<std::uint16_t, 4> slots{5, 6, 5, 7};
  const Scatter scatter(checks, slots);
  EXPECT_THAT(order(scatter), testing::ElementsAre(5, 6, 7));
  const auto first = scatter.checks(scatter.groups()[0]);
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(first[0].rule, &large);
  EXPECT_EQ(first[1].rule, &small);
}

TEST_F(ScatterTest, SendsLastWhatCannotReject) {
  const std::array<limit::Check, 4> checks{
      limit::Check{&small, "a", {}, 1, How::observe}, limit::Check{&small, "b", {}, 1, How::charge},
      limit::Check{&small, "c", {}, 0, How::take}, limit::Check{&large, "d", {}, 1, How::take}};
  const std::array<std::uint16_t, 4> slots{1, 2, 3, 4};
  EXPECT_EQ(order(Scatter(checks, slots)).front(), 4);
}

TEST_F(ScatterTest, PutsDecisionsInTheOrderOfTheChecks) {
  const std::array<limit::Check, 3> checks{limit::Check{&large, "a", {}, 1, How::take},
                                           limit::Check{&small, "b", {}, 1, How::take},
                                           limit::Check{&large, "a", {}, 1, How::take}};
  const std::array<std::uint16_t, 3> slots{1, 2, 1};
  Scatter scatter(checks, slots);
  std::array<limit::Decision, 3> decisions{};
  scatter.decisions(scatter.groups()[0])[0].remaining = 7;
  scatter.tell(scatter.groups()[0], decisions);
  EXPECT_EQ(decisions[1].remaining, 7u);
  scatter.decisions(scatter.groups()[1])[1].remaining = 9;
  scatter.tell(scatter.groups()[1], decisions);
  EXPECT_EQ(decisions[2].remaining, 9u);
  EXPECT_EQ(decisions[0].remaining, 0u);
}

TEST_F(ScatterTest, OwesOnlyWhatWasTakenForThisRequest) {
  std::array<limit::Check, 5> checks{
      limit::Check{&small, "a", {}, 2, How::take}, limit::Check{&small, "b", {}, 3, How::observe},
      limit::Check{&small, "c", {}, 4, How::observe}, limit::Check{&small, "d", {}, 5, How::charge},
      limit::Check{&small, "e", {}, -6, How::take}};
  checks[1].token = "a request in flight";
  const std::array<std::uint16_t, 5> slots{1, 1, 1, 1, 1};
  Scatter scatter(checks, slots);
  const auto& group = scatter.groups()[0];
  for (auto& decision : scatter.decisions(group)) decision = {.allowed = true, .limit = 10, .remaining = 8};
  scatter.decisions(group)[2].allowed = false;
  const Debt debt = scatter.take_back(group, Scatter::Why::rejected);
  EXPECT_EQ(debt.slot, 1);
  EXPECT_THAT(debt.keys, testing::ElementsAre("a", "b"));
  EXPECT_THAT(debt.tokens, testing::ElementsAre("", "a request in flight"));
  EXPECT_THAT(debt.costs, testing::ElementsAre(2, 3));
  EXPECT_EQ(scatter.decisions(group)[0].remaining, 10u) << "as it will be";
  EXPECT_EQ(scatter.decisions(group)[1].remaining, 10u) << "and never above the limit";
  EXPECT_EQ(scatter.decisions(group)[3].remaining, 8u);
}

}  // namespace
}  // namespace headgate::redis
