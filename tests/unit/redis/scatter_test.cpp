#include "../../../src/redis/scatter.hpp"

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

TEST_F(ScatterTest, AsksTheSlotWithTheSmallestBurstFirst) {
  const std::array<limit::Ask, 4> asks{
      limit::Ask{&large, "a", {}, 1, How::take}, limit::Ask{&middle, "b", {}, 1, How::take},
      limit::Ask{&small, "a", {}, 1, How::take}, limit::Ask{&middle, "c", {}, 1, How::take}};
  const std::array<std::uint16_t, 4> slots{5, 6, 5, 7};
  const Scatter scatter(asks, slots);
  EXPECT_THAT(order(scatter), testing::ElementsAre(5, 6, 7));
  const auto first = scatter.asks(scatter.groups()[0]);
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(first[0].rule, &large);
  EXPECT_EQ(first[1].rule, &small);
}

TEST_F(ScatterTest, AsksLastWhatCannotRefuse) {
  const std::array<limit::Ask, 4> asks{
      limit::Ask{&small, "a", {}, 1, How::trial}, limit::Ask{&small, "b", {}, 1, How::charge},
      limit::Ask{&small, "c", {}, 0, How::take}, limit::Ask{&large, "d", {}, 1, How::take}};
  const std::array<std::uint16_t, 4> slots{1, 2, 3, 4};
  EXPECT_EQ(order(Scatter(asks, slots)).front(), 4);
}

TEST_F(ScatterTest, PutsVerdictsWhereTheirAsksCameFrom) {
  const std::array<limit::Ask, 3> asks{limit::Ask{&large, "a", {}, 1, How::take},
                                       limit::Ask{&small, "b", {}, 1, How::take},
                                       limit::Ask{&large, "a", {}, 1, How::take}};
  const std::array<std::uint16_t, 3> slots{1, 2, 1};
  Scatter scatter(asks, slots);
  std::array<limit::Verdict, 3> verdicts{};
  scatter.verdicts(scatter.groups()[0])[0].remaining = 7;
  scatter.tell(scatter.groups()[0], verdicts);
  EXPECT_EQ(verdicts[1].remaining, 7u);
  scatter.verdicts(scatter.groups()[1])[1].remaining = 9;
  scatter.tell(scatter.groups()[1], verdicts);
  EXPECT_EQ(verdicts[2].remaining, 9u);
  EXPECT_EQ(verdicts[0].remaining, 0u);
}

TEST_F(ScatterTest, OwesOnlyWhatWasTakenForThisRequest) {
  const std::array<limit::Ask, 5> asks{
      limit::Ask{&small, "a", {}, 2, How::take}, limit::Ask{&small, "b", {}, 3, How::trial},
      limit::Ask{&small, "c", {}, 4, How::trial}, limit::Ask{&small, "d", {}, 5, How::charge},
      limit::Ask{&small, "e", {}, -6, How::take}};
  const std::array<std::uint16_t, 5> slots{1, 1, 1, 1, 1};
  Scatter scatter(asks, slots);
  const auto& group = scatter.groups()[0];
  for (auto& verdict : scatter.verdicts(group)) verdict = {.allowed = true, .limit = 10, .remaining = 8};
  scatter.verdicts(group)[2].allowed = false;
  const Debt debt = scatter.take_back(group);
  EXPECT_EQ(debt.slot, 1);
  EXPECT_THAT(debt.subjects, testing::ElementsAre("a", "b"));
  EXPECT_THAT(debt.costs, testing::ElementsAre(2, 3));
  EXPECT_EQ(scatter.verdicts(group)[0].remaining, 10u) << "as it will be";
  EXPECT_EQ(scatter.verdicts(group)[1].remaining, 10u) << "and never above the limit";
  EXPECT_EQ(scatter.verdicts(group)[3].remaining, 8u);
}

}  // namespace
}  // namespace headgate::redis
