#include "headgate/limit/hold_table.hpp"

#include <gtest/gtest.h>

namespace headgate::limit {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const HoldTable::Moment kHoldsNow{std::chrono::hours(5)};
const HoldTable::Moment kHoldsLater = kHoldsNow + seconds(60);

Check hold_of(std::uint64_t number, std::int64_t permits) {
  Check check;
  check.hash = {number, number};
  check.cost = permits;
  return check;
}

TEST(HoldTable, CountsPermitsUntilTheirPlaceIsGone) {
  HoldTable table;
  const HeldPermits first(table, hold_of(1, 5), kHoldsLater);
  {
    HeldPermits second(table, hold_of(1, 7), kHoldsLater);
    const HeldPermits other(table, hold_of(2, 100), kHoldsLater);
    EXPECT_EQ(table.held({1, 1}, kHoldsNow), 12);
    const HeldPermits moved(std::move(second));
    EXPECT_EQ(table.held({1, 1}, kHoldsNow), 12);
  }
  EXPECT_EQ(table.held({1, 1}, kHoldsNow), 5);
  EXPECT_EQ(table.held({2, 2}, kHoldsNow), 0);
}

TEST(HoldTable, ForgetsPermitsThatAreBackAlthoughTheirCallIsUnderWay) {
  HoldTable table;
  HeldPermits of_this_window(table, hold_of(1, 5), kHoldsNow + seconds(1));
  HeldPermits of_the_same(table, hold_of(1, 6), kHoldsNow + seconds(1) - milliseconds(3));
  HeldPermits longer(table, hold_of(1, 70), kHoldsNow + seconds(2));
  EXPECT_EQ(table.held({1, 1}, kHoldsNow), 81);
  EXPECT_EQ(table.held({1, 1}, kHoldsNow + seconds(1) + milliseconds(100)), 70);
  EXPECT_EQ(table.held({1, 1}, kHoldsNow + seconds(3)), 0);
  of_this_window.add(100, kHoldsNow, kHoldsNow + seconds(2));
  EXPECT_EQ(table.held({1, 1}, kHoldsNow + seconds(1) + milliseconds(100)), 175) << "they were taken in one window";
  of_the_same.add(1000, kHoldsNow + seconds(1), kHoldsNow + seconds(2));
  EXPECT_EQ(table.held({1, 1}, kHoldsNow + seconds(1) + milliseconds(100)), 1175) << "6 are back already";
  EXPECT_EQ(of_the_same.permits(), 1006);
}

TEST(HoldTable, RecordsNoFurtherCounterOnceItIsFull) {
  HoldTable table(64);  // one counter for each stripe
  const HeldPermits first(table, hold_of(64, 1), kHoldsLater);
  {
    const HeldPermits left_out(table, hold_of(128, 1), kHoldsLater);
    EXPECT_EQ(table.held({128, 128}, kHoldsNow), 0);
    const HeldPermits more(table, hold_of(64, 1), kHoldsLater);
    EXPECT_EQ(table.held({64, 64}, kHoldsNow), 2);
  }
  EXPECT_EQ(table.held({64, 64}, kHoldsNow), 1);
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
