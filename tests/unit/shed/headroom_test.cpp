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

TEST(Headroom, HoldsPlacesFreeOfLowerPrioritiesOnly) {
  Headroom headroom;
  headroom.refused(normal, kMax, kStart);
  EXPECT_EQ(ceiling(headroom, critical), kMax);
  EXPECT_EQ(ceiling(headroom, normal), kMax);
  EXPECT_EQ(ceiling(headroom, low), kMax - 5);
  headroom.refused(critical, kMax, kStart);
  EXPECT_EQ(ceiling(headroom, critical), kMax);
  EXPECT_EQ(ceiling(headroom, normal), kMax - 5);
  EXPECT_EQ(ceiling(headroom, low), kMax - 10);
}

TEST(Headroom, TakesWhatIsHeldFromWhatNormalMayHave) {
  Headroom headroom;
  EXPECT_EQ(headroom.ceiling(low, kMax, 80), 80U);
  headroom.refused(critical, kMax, kStart);
  EXPECT_EQ(headroom.ceiling(normal, kMax, 80), 80U) << "it is held anyway";
  headroom.refused(normal, kMax, kStart);
  EXPECT_EQ(headroom.ceiling(low, kMax, 80), 75U);
}

TEST(Headroom, LeavesOnePlaceToEverybody) {
  Headroom headroom;
  for (int i = 0; i < 1000; ++i) headroom.refused(critical, kMax, kStart);
  EXPECT_EQ(ceiling(headroom, normal), 1U);
  EXPECT_EQ(ceiling(headroom, low), 1U);
  EXPECT_EQ(Headroom().ceiling(low, 1, 1), 1U);
}

TEST(Headroom, MeltsWhatIsNotUsed) {
  Headroom headroom;
  auto now = kStart;
  for (int i = 0; i < 10; ++i) headroom.refused(critical, kMax, now);
  ASSERT_EQ(headroom.held_for(critical), 50U);
  for (int i = 0; i < 20; ++i) headroom.admitted(critical, 40, now += 100ms);  // 40 places are left: 10 are used
  EXPECT_LT(headroom.held_for(critical), 45U);
  for (int i = 0; i < 300; ++i) headroom.admitted(critical, headroom.held_for(critical) - 10, now += 100ms);
  EXPECT_NEAR(headroom.held_for(critical), 11, 1) << "what is used, and one more";
}

TEST(Headroom, KeepsWhatIsUsed) {
  Headroom headroom;
  auto now = kStart;
  for (int i = 0; i < 4; ++i) headroom.refused(critical, kMax, now);
  for (int i = 0; i < 600; ++i) headroom.admitted(critical, 0, now += 100ms);
  EXPECT_EQ(headroom.held_for(critical), 20U);
}

TEST(Headroom, ForgetsAPriorityThatNobodyHasAnyMore) {
  Headroom headroom;
  auto now = kStart;
  for (int i = 0; i < 20; ++i) headroom.refused(critical, kMax, now);
  for (int i = 0; i < 90; ++i) headroom.admitted(low, 0, now += 100ms);
  EXPECT_EQ(headroom.held_for(critical), kMax) << "nine seconds say little";
  for (int i = 0; i < 200; ++i) headroom.admitted(low, 0, now += 100ms);
  EXPECT_EQ(headroom.held_for(critical), 0U);
  EXPECT_FALSE(headroom.holds());
}

// Whatever comes: a higher priority never has a lower ceiling, nobody has none, and nobody more than there is.
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
        headroom.refused(priority, most, now);
      else
        headroom.admitted(priority, static_cast<std::uint32_t>(random()) % most, now);
      ASSERT_EQ(headroom.ceiling(critical, most, others), most);
      ASSERT_LE(headroom.ceiling(normal, most, others), others);
      ASSERT_LE(headroom.ceiling(low, most, others), headroom.ceiling(normal, most, others));
      ASSERT_GE(headroom.ceiling(low, most, others), 1U);
    }
  }
}

}  // namespace
}  // namespace headgate::shed
