#include "headgate/balance/policy.hpp"

#include <gtest/gtest.h>

namespace headgate::balance {
namespace {

std::size_t of_two(const Table& table, std::uint64_t turn) {
  return *find_policy("two_choices")->choose(table, {.turn = turn, .seed = 7});
}

TEST(TwoChoices, OfTwoServersTakesTheOneWithFewerRequests) {
  Table table(2);
  table[1].in_flight = 1;
  for (std::uint64_t turn = 0; turn < 100; ++turn) EXPECT_EQ(of_two(table, turn), 0U);
}

TEST(TwoChoices, NeverTakesTheBusiestOfMany) {
  Table table(10);
  table[4].in_flight = 1;
  for (std::uint64_t turn = 0; turn < 1000; ++turn) EXPECT_NE(of_two(table, turn), 4U);
}

// The best of all would get everything until its next answer.
TEST(TwoChoices, TakesTheLeastBusyOnlyWhenItIsDrawn) {
  Table table(10);
  for (std::size_t at = 1; at < 10; ++at) table[at].in_flight = 5;
  int best = 0;
  for (std::uint64_t turn = 0; turn < 10'000; ++turn) best += of_two(table, turn) == 0 ? 1 : 0;
  EXPECT_NEAR(best, 2000, 200) << "two of ten are drawn";
}

}  // namespace
}  // namespace headgate::balance
