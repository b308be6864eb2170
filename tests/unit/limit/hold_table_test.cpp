#include "headgate/limit/hold_table.hpp"

#include <gtest/gtest.h>

namespace headgate::limit {
namespace {

using std::chrono::seconds;

Check hold_of(std::uint64_t number, std::int64_t permits) {
  Check check;
  check.hash = {number, number};
  check.cost = permits;
  return check;
}

TEST(HoldTable, CountsPermitsUntilTheirPlaceIsGone) {
  HoldTable table;
  const HeldPermits first(table, hold_of(1, 5));
  {
    HeldPermits second(table, hold_of(1, 7));
    const HeldPermits other(table, hold_of(2, 100));
    EXPECT_EQ(table.held({1, 1}), 12);
    const HeldPermits moved(std::move(second));
    EXPECT_EQ(table.held({1, 1}), 12);
  }
  EXPECT_EQ(table.held({1, 1}), 5);
  EXPECT_EQ(table.held({2, 2}), 0);
}

TEST(HoldTable, RecordsNoFurtherCounterOnceItIsFull) {
  HoldTable table(64);  // one counter for each stripe
  const HeldPermits first(table, hold_of(64, 1));
  {
    const HeldPermits left_out(table, hold_of(128, 1));
    EXPECT_EQ(table.held({128, 128}), 0);
    const HeldPermits more(table, hold_of(64, 1));
    EXPECT_EQ(table.held({64, 64}), 2);
  }
  EXPECT_EQ(table.held({64, 64}), 1);
}

TEST(HoldTable, KnowsHowLongCallsOfARuleUsuallyLast) {
  HoldTable table;
  EXPECT_EQ(table.usual(7), Duration(0));
  table.lasted(7, seconds(8));
  EXPECT_EQ(table.usual(7), seconds(8));
  table.lasted(7, seconds(16));
  EXPECT_EQ(table.usual(7), seconds(9)) << "a running mean";
  EXPECT_EQ(table.usual(8), Duration(0));
}

}  // namespace
}  // namespace headgate::limit
