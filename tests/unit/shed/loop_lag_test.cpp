#include "headgate/shed/loop_lag.hpp"

#include <gtest/gtest.h>

namespace headgate::shed {
namespace {

using namespace std::chrono_literals;
using enum Priority;

void measure(LoopLag& lag, Duration each, int times) {
  for (int i = 0; i < times; ++i) lag.measured(each);
}

int refused(LoopLag& lag, Priority priority, int of) {
  int out = 0;
  for (int i = 0; i < of; ++i) out += lag.refuses(priority) ? 1 : 0;
  return out;
}

TEST(LoopLag, RefusesNothingWhileTheWorkerKeepsUp) {
  LoopLag lag(50ms);
  measure(lag, 50ms, 100);
  EXPECT_TRUE(lag.calm());
  for (const auto priority : {critical, normal, low}) EXPECT_EQ(refused(lag, priority, 100), 0);
}

TEST(LoopLag, RefusesAGrowingShareOfLowRequestsFirst) {
  LoopLag lag(50ms);
  measure(lag, 60ms, 2);
  EXPECT_NEAR(refused(lag, low, 100), 40, 1);
  EXPECT_EQ(refused(lag, normal, 100), 0);
  measure(lag, 60ms, 3);
  EXPECT_NEAR(refused(lag, low, 100), 100, 1);
  EXPECT_EQ(refused(lag, normal, 100), 0);
}

TEST(LoopLag, RefusesNormalRequestsOnceAllLowOnesAreRefused) {
  LoopLag lag(50ms);
  measure(lag, 60ms, 8);
  EXPECT_NEAR(refused(lag, normal, 100), 60, 1);
  measure(lag, 60ms, 50);
  EXPECT_NEAR(refused(lag, normal, 100), 100, 1);
  EXPECT_EQ(refused(lag, critical, 100), 0);
}

TEST(LoopLag, ReactsFasterToAFarTooLargeLag) {
  LoopLag lag(50ms);
  measure(lag, 300ms, 2);
  EXPECT_NEAR(refused(lag, low, 100), 100, 1);
}

TEST(LoopLag, StaysBetweenHalfAndAllOfWhatIsTolerated) {
  LoopLag lag(50ms);
  measure(lag, 60ms, 5);
  const auto before = lag.pressure();
  measure(lag, 30ms, 100);
  EXPECT_EQ(lag.pressure(), before);
}

TEST(LoopLag, IsCalmAgainTwoSecondsAfterALevel) {
  LoopLag lag(50ms);
  measure(lag, 60ms, 5);
  measure(lag, 1ms, 18);
  EXPECT_FALSE(lag.calm());
  measure(lag, 1ms, 3);
  EXPECT_TRUE(lag.calm());
}

TEST(LoopLag, RefusesCriticalRequestsOnlyInExtremis) {
  LoopLag lag(50ms);
  measure(lag, 1s, 1);
  EXPECT_EQ(refused(lag, critical, 10), 0);
  measure(lag, 1s, 1);
  EXPECT_EQ(refused(lag, critical, 10), 10);
  measure(lag, 999ms, 1);
  EXPECT_EQ(refused(lag, critical, 10), 0);
}

TEST(LoopLag, TellsHowLongThePressureTakesToFall) {
  LoopLag lag(50ms);
  EXPECT_EQ(lag.retry_after(low), 1U);
  measure(lag, 60ms, 50);
  EXPECT_EQ(lag.retry_after(low), 4U);
  EXPECT_EQ(lag.retry_after(normal), 2U);
  EXPECT_EQ(lag.retry_after(critical), 1U);
  measure(lag, 0ms, 19);
  EXPECT_EQ(refused(lag, normal, 100) > 0, true);
  measure(lag, 0ms, 1);
  EXPECT_EQ(refused(lag, normal, 100) > 1, false);  // at most what was still owed
}

}  // namespace
}  // namespace headgate::shed
