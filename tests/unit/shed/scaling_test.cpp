#include "headgate/shed/scaling.hpp"

#include <gtest/gtest.h>

namespace headgate::shed {
namespace {

TEST(Scaling, IsUnknownUntilItHasSeenEnough) {
  ScalingEstimate estimate;
  for (int i = 0; i < 7; ++i) estimate.add(10 + i, 100);
  EXPECT_EQ(estimate.scaling(), Scaling::unknown);
}

TEST(Scaling, SeesThatThroughputGrowsWithRequestsInFlight) {
  ScalingEstimate estimate;
  for (int i = 0; i < 10; ++i) estimate.add(10 + i, 10.0 * (10 + i));
  EXPECT_EQ(estimate.scaling(), Scaling::more);
}

TEST(Scaling, SeesAQueueBecauseThroughputStaysTheSame) {
  ScalingEstimate estimate;
  for (int i = 0; i < 10; ++i) estimate.add(10 + i, 500 + i % 2);
  EXPECT_EQ(estimate.scaling(), Scaling::none);
}

TEST(Scaling, SeesAQueueThatEvenCostsThroughput) {
  ScalingEstimate estimate;
  for (int i = 0; i < 10; ++i) estimate.add(10 + i, 500 - 20.0 * i);
  EXPECT_EQ(estimate.scaling(), Scaling::none);
}

TEST(Scaling, LearnsNothingWhileRequestsInFlightStayTheSame) {
  ScalingEstimate estimate;
  for (int i = 0; i < 20; ++i) estimate.add(100, 400 + i * 10);
  EXPECT_EQ(estimate.scaling(), Scaling::unknown);
}

TEST(Scaling, KeepsWhatItKnowsWhileRequestsInFlightStayTheSame) {
  ScalingEstimate estimate;
  for (int i = 0; i < 10; ++i) estimate.add(10 + i, 500);
  for (std::size_t i = 0; i < ScalingEstimate::kWindows; ++i) estimate.add(20, 500);
  EXPECT_EQ(estimate.scaling(), Scaling::none);
  estimate.clear();
  EXPECT_EQ(estimate.scaling(), Scaling::unknown);
}

TEST(Scaling, IsNotSureIfTheWindowsAreScattered) {
  ScalingEstimate estimate;
  for (int i = 0; i < 20; ++i) estimate.add(10 + i % 3, i % 2 ? 300 : 900);
  EXPECT_EQ(estimate.scaling(), Scaling::unknown);
}

TEST(Scaling, IgnoresWindowsWithoutNumbers) {
  ScalingEstimate estimate;
  for (int i = 0; i < 20; ++i) estimate.add(0, i);
  EXPECT_EQ(estimate.scaling(), Scaling::unknown);
}

}  // namespace
}  // namespace headgate::shed
