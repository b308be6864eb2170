#include "headgate/shed/headroom.hpp"

#include <gtest/gtest.h>

#include <random>

namespace headgate::shed {
namespace {

using namespace std::chrono_literals;
using enum Priority;

constexpr std::uint32_t kMax = 100;
const Headroom::Steady kStart(1h);

std::uint32_t ceiling(const Headroom& headroom, Priority priority) { return headroom.ceiling(priority, kMax, kMax); }

TEST(Headroom, HoldsNothingFreeWhileNobodyIsRefused) {
  Headroom headroom;
  for (int i = 0; i < 100; ++i) headroom.admitted(critical, 0, kStart + 100ms * i);
  for (const auto priority : {critical, normal, low}) EXPECT_EQ(ceiling(headroom, priority), kMax);
  EXPECT_FALSE(headroom.holds());
}

/// Refuses requests until at least so many places are held.
void fill(Headroom& headroom, Priority priority, double places, Headroom::Steady now) {
  for (double held = 0; held < places; held += 2) headroom.refused(priority, 0, kMax, now);  // a fiftieth of all each
}

TEST(Headroom, HoldsPlacesFreeOfLowerPrioritiesOnly) {
  Headroom headroom;
  fill(headroom, normal, 10, kStart);
  EXPECT_EQ(ceiling(headroom, critical), kMax);
  EXPECT_EQ(ceiling(headroom, normal), kMax);
  EXPECT_EQ(ceiling(headroom, low), kMax - 10);
  fill(headroom, critical, 10, kStart);
  EXPECT_EQ(ceiling(headroom, critical), kMax);
  EXPECT_EQ(ceiling(headroom, normal), kMax - 10);
  EXPECT_EQ(ceiling(headroom, low), kMax - 20);
}

TEST(Headroom, TakesWhatIsHeldFromWhatNormalMayHave) {
  Headroom headroom;
  EXPECT_EQ(headroom.ceiling(low, kMax, 80), 80U);
  fill(headroom, critical, 20, kStart);
  EXPECT_EQ(headroom.ceiling(normal, kMax, 80), 80U) << "it is held anyway";
  fill(headroom, normal, 10, kStart);
  EXPECT_EQ(headroom.ceiling(low, kMax, 80), 70U);
}

TEST(Headroom, HoldsAPartOfAPlaceFromSomeRequests) {
  Headroom headroom;
  headroom.refused(critical, 0, 1, kStart);
  int admitted = 0;
  for (int i = 0; i < 100; ++i) {
    if (headroom.ceiling(normal, 1, 1) > 0) ++admitted;
    headroom.admitted(normal, 1, kStart);
  }
  EXPECT_NEAR(admitted, 75, 2) << "a quarter of the place is held";
}

TEST(Headroom, HoldsNothingThatCostsTooMuch) {
  Headroom headroom;
  auto now = kStart;
  int served = 0;
  const auto ask = [&](int requests) {
    for (int i = 0; i < requests; ++i) {
      headroom.refused(critical, 0, 4, now);  // they would have all places if it was for nothing
      headroom.ended(100ms);
      now += 100ms;
      if (headroom.ceiling(normal, 4, 4) == 4) {
        headroom.admitted(normal, 3, now);
        ++served;
      } else {
        headroom.refused(normal, 4, 4, now);  // nobody else comes for the four places that are free
      }
      now += 100ms;
    }
  };
  ask(1000);
  EXPECT_GE(served, 900);
}

TEST(Headroom, CountsNoAnswerThatAHigherPriorityGotInstead) {
  Headroom headroom;
  auto now = kStart;
  fill(headroom, critical, 10, now);
  headroom.ended(100ms);
  for (int i = 0; i < 1000; ++i) {
    now += 1ms;
    headroom.refused(normal, 1, kMax, now);
    headroom.admitted(critical, 0, now);
  }
  EXPECT_LT(ceiling(headroom, normal), kMax) << "each place that was held was used at once";
}

TEST(Headroom, MeltsWhatIsNotUsed) {
  Headroom headroom;
  auto now = kStart;
  fill(headroom, critical, 50, now);
  ASSERT_EQ(headroom.held_from(normal), 50U);
  for (int i = 0; i < 20; ++i) headroom.admitted(critical, 40, now += 100ms);  // 40 places are left: 10 are used
  EXPECT_LT(headroom.held_from(normal), 45U);
  for (int i = 0; i < 600; ++i) headroom.admitted(critical, headroom.held_from(normal) - 10, now += 100ms);
  EXPECT_NEAR(headroom.held_from(normal), 11, 1) << "what is used";
}

TEST(Headroom, KeepsWhatIsUsed) {
  Headroom headroom;
  auto now = kStart;
  fill(headroom, critical, 20, now);
  for (int i = 0; i < 600; ++i) headroom.admitted(critical, 0, now += 100ms);
  EXPECT_NEAR(headroom.held_from(normal), 20, 1);
}

TEST(Headroom, ForgetsAPriorityThatNobodyHasAnyMore) {
  Headroom headroom;
  auto now = kStart;
  fill(headroom, critical, 40, now);
  for (int i = 0; i < 90; ++i) headroom.admitted(low, 60, now += 100ms);
  EXPECT_GE(headroom.held_from(low), 40U) << "nine seconds say little";
  for (int i = 0; i < 200; ++i) headroom.admitted(low, 60, now += 100ms);
  EXPECT_EQ(headroom.held_from(low), 0U);
  EXPECT_FALSE(headroom.holds());
}

// Whatever comes: a higher priority never has a lower ceiling, and nobody has more than there is.
TEST(Headroom, KeepsTheOrderOfThePriorities) {
  std::mt19937 random(7);
  for (int run = 0; run < 200; ++run) {
    Headroom headroom;
    auto now = kStart;
    const auto most = static_cast<std::uint32_t>(1 + random() % 300);
    const auto others = static_cast<std::uint32_t>(1 + random() % most);
    for (int step = 0; step < 400; ++step) {
      now += std::chrono::milliseconds(random() % 1500);
      const auto priority = static_cast<Priority>(random() % kPriorities);
      if (random() % 2 == 0)
        headroom.refused(priority, static_cast<std::uint32_t>(random()) % most, most, now);
      else
        headroom.admitted(priority, static_cast<std::uint32_t>(random()) % most, now);
      ASSERT_EQ(headroom.ceiling(critical, most, others), most);
      ASSERT_LE(headroom.ceiling(normal, most, others), others);
      ASSERT_LE(headroom.ceiling(low, most, others), headroom.ceiling(normal, most, others));
    }
  }
}

}  // namespace
}  // namespace headgate::shed
