#include "headgate/shed/gradient.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace headgate::shed {
namespace {

using namespace std::chrono_literals;

/// Feeds windows of 120 ms, each with the samples that so many requests in flight give (Little's law), at least twenty.
class Fed {
 public:
  explicit Fed(ConcurrencyRange bounds = {}) : gradient(bounds) {}

  void windows(int count, Duration latency, double use, double drops = 0) {
    for (int i = 0; i < count; ++i) {
      const auto in_flight = static_cast<std::uint32_t>(gradient.limit() * use);
      const int samples = std::max(20, static_cast<int>(in_flight * (kWindow / latency)));
      for (int sample = 0; sample < samples; ++sample) {
        now += kWindow / samples;
        if (sample < drops * samples)
          gradient.dropped(in_flight, now);
        else
          gradient.answered(latency, in_flight, now);
      }
    }
  }

  static constexpr Duration kWindow = 120ms;
  Gradient gradient;
  Gradient::Steady now{1h};
};

TEST(Gradient, BeginsAtTwentyWithinItsBounds) {
  EXPECT_EQ(Gradient(ConcurrencyRange{}).limit(), 20U);
  EXPECT_EQ(Gradient(ConcurrencyRange{.least = 50, .most = 90}).limit(), 50U);
  EXPECT_EQ(Gradient(ConcurrencyRange{.least = 1, .most = 8}).limit(), 8U);
}

TEST(Gradient, StaysWhereItIsWhileLessThanHalfIsUsed) {
  Fed fed;
  fed.windows(100, 10ms, 0.4);
  EXPECT_EQ(fed.gradient.limit(), 20U);
  fed.windows(100, 80ms, 0.4);  // slow, but not because of so few
  EXPECT_EQ(fed.gradient.limit(), 20U);
  EXPECT_GT(fed.gradient.usual_latency(), 10ms);
}

TEST(Gradient, GrowsQuicklyUntilTheFirstCongestionAndSlowlyAfterIt) {
  Fed fed;
  fed.windows(8, 10ms, 1);
  const auto grown = fed.gradient.limit();
  EXPECT_GT(grown, 80U);
  fed.windows(3, 100ms, 1);
  const auto reduced = fed.gradient.limit();
  EXPECT_LT(reduced, grown);
  fed.windows(1, 10ms, 0.6);
  EXPECT_LE(fed.gradient.limit(), reduced + 3);
}

TEST(Gradient, ShrinksByATenthInEachWindowAtMost) {
  Fed fed;
  fed.windows(15, 10ms, 1);
  const double before = fed.gradient.limit();
  fed.windows(5, 100ms, 0.6);
  EXPECT_LT(fed.gradient.limit(), before * 0.9);
  EXPECT_GE(fed.gradient.limit(), before * 0.55);  // at most half of it, a fifth of the way
}

TEST(Gradient, ToleratesHalfAsMuchLatencyAgain) {
  Fed fed;
  fed.windows(12, 10ms, 0.6);
  const auto before = fed.gradient.limit();
  fed.windows(3, 14ms, 0.6);
  EXPECT_GE(fed.gradient.limit(), before);
}

TEST(Gradient, ShrinksIfRequestsGetNoAnswer) {
  Fed fed;
  fed.windows(10, 10ms, 1);
  const double before = fed.gradient.limit();
  fed.windows(10, 10ms, 1, 1);
  EXPECT_LT(fed.gradient.limit(), before * 0.5);
}

TEST(Gradient, HardlyMindsOneLostRequestOfTwenty) {
  Fed fed;
  fed.windows(10, 10ms, 0.6);
  const auto before = fed.gradient.limit();
  fed.windows(10, 10ms, 0.6, 0.05);
  EXPECT_GE(fed.gradient.limit() + 1, before);
}

TEST(Gradient, StaysWithinItsBounds) {
  Fed fed({.least = 9, .most = 33});
  fed.windows(50, 10ms, 1);
  EXPECT_EQ(fed.gradient.limit(), 33U);
  fed.windows(200, 10ms, 1, 1);
  EXPECT_EQ(fed.gradient.limit(), 9U);
}

TEST(Gradient, WaitsForAWholeAnswerBeforeItEndsAWindow) {
  Fed fed;
  fed.windows(12, 800ms, 1);  // twelve of these are one second and a half: too short to be twelve windows
  EXPECT_LT(fed.gradient.limit(), 60U);
}

}  // namespace
}  // namespace headgate::shed
