#include "headgate/shed/concurrency.hpp"

#include <gtest/gtest.h>

namespace headgate::shed {
namespace {

using namespace std::chrono_literals;
using enum Priority;

constexpr std::uint32_t kFifth = ConcurrencyOptions::kWhole / 5;

ConcurrencyOptions fixed(std::uint32_t limit, std::uint32_t reserved) {
  return {.adaptive = ConcurrencyRange{.least = limit, .most = limit}, .reserved = reserved};
}

void enter(Concurrency& concurrency, Priority priority, unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    ASSERT_TRUE(concurrency.admits(priority)) << "request " << i;
    concurrency.enter(priority);
  }
}

TEST(Shares, CriticalMayUseAllAndOthersNotWhatIsReserved) {
  EXPECT_EQ(share_of(critical, 100, kFifth), 100U);
  EXPECT_EQ(share_of(normal, 100, kFifth), 80U);
  EXPECT_EQ(share_of(low, 100, kFifth), 80U);
}

TEST(Shares, WithoutAReserveEverybodyMayUseAll) {
  EXPECT_EQ(share_of(normal, 100, 0), 100U);
  EXPECT_EQ(share_of(low, 100, 0), 100U);
}

TEST(Shares, AReserveIsRoundedUpAndOneIsLeftForTheOthers) {
  EXPECT_EQ(share_of(normal, 4, kFifth), 3U);
  EXPECT_EQ(share_of(normal, 1, kFifth), 1U);
  EXPECT_EQ(share_of(low, 1, kFifth), 1U);
  EXPECT_EQ(share_of(normal, 4'000'000'000U, kFifth), 3'200'000'000U);
}

TEST(Concurrency, AdmitsEverythingWithoutAnAdaptiveLimit) {
  Concurrency concurrency({.in_flight = 1, .reserved = kFifth});  // counted elsewhere
  enter(concurrency, low, 1000);
  EXPECT_EQ(concurrency.limit(), 0U);
  EXPECT_EQ(concurrency.in_flight(), 1000U);
}

TEST(Concurrency, LowMayUseEveryPlaceThatIsNotReserved) {
  Concurrency concurrency(fixed(100, kFifth));
  enter(concurrency, low, 80);
  EXPECT_FALSE(concurrency.admits(low));
  EXPECT_FALSE(concurrency.admits(normal));
  enter(concurrency, critical, 20);
  EXPECT_FALSE(concurrency.admits(critical));
}

TEST(Concurrency, LowGoesFirstThenNormalAndCriticalLast) {
  const auto now = Concurrency::Steady(1h);
  Concurrency concurrency(fixed(100, 0));
  enter(concurrency, low, 50);
  enter(concurrency, normal, 50);
  for (const auto priority : {critical, normal, low}) EXPECT_FALSE(concurrency.admits(priority));
  for (int i = 0; i < 3; ++i) concurrency.refused(normal, now);
  concurrency.left(low);
  EXPECT_FALSE(concurrency.admits(low)) << "6 places are held for normal requests";
  EXPECT_TRUE(concurrency.admits(normal));
  for (int i = 0; i < 3; ++i) concurrency.refused(critical, now);
  EXPECT_FALSE(concurrency.admits(normal)) << "and 6 for critical ones";
  EXPECT_TRUE(concurrency.admits(critical));
  for (int i = 0; i < 6; ++i) concurrency.left(low);
  EXPECT_TRUE(concurrency.admits(normal));
  EXPECT_FALSE(concurrency.admits(low));
  for (int i = 0; i < 6; ++i) concurrency.left(low);
  EXPECT_TRUE(concurrency.admits(low));
}

TEST(Concurrency, HoldsNothingFreeIfNoLowerRequestIsThere) {
  const auto now = Concurrency::Steady(1h);
  Concurrency concurrency(fixed(10, 0));
  enter(concurrency, normal, 10);
  concurrency.refused(normal, now);
  concurrency.left(normal);
  EXPECT_TRUE(concurrency.admits(low)) << "it would not have helped";
}

TEST(Concurrency, AdmitsAnybodyToAnIdleUpstreamSoon) {
  auto now = Concurrency::Steady(1h);
  Concurrency concurrency(fixed(10, 0));
  enter(concurrency, low, 10);
  for (int i = 0; i < 100; ++i) concurrency.refused(critical, now);
  for (int i = 0; i < 10; ++i) concurrency.answered(low, 10ms, now);
  int refused = 0;
  for (; refused < 10 && !concurrency.admits(low); ++refused) concurrency.refused(low, now += 10ms);
  EXPECT_LE(refused, 3);
}

TEST(Concurrency, CriticalMayTakeThePlacesOfOthers) {
  Concurrency concurrency(fixed(100, kFifth));
  enter(concurrency, critical, 100);
  EXPECT_FALSE(concurrency.admits(normal));
}

TEST(Concurrency, KeepsTheReserveForCriticalAlsoWhenTheLimitHasShrunk) {
  Concurrency concurrency({.adaptive = ConcurrencyRange{.least = 10, .most = 20}, .reserved = kFifth});
  enter(concurrency, normal, 16);
  auto now = Concurrency::Steady(1h);
  for (int i = 0; i < 400; ++i) {  // no answers: the limit falls to its least
    concurrency.enter(normal);
    concurrency.dropped(normal, now += 10ms);
  }
  ASSERT_EQ(concurrency.limit(), 10U);
  EXPECT_FALSE(concurrency.admits(normal));
  enter(concurrency, critical, 2);
  EXPECT_FALSE(concurrency.admits(critical));
}

TEST(Concurrency, TreatsOneLowRequestASecondAsNormal) {
  Concurrency concurrency(fixed(100, kFifth));
  const auto now = Concurrency::Steady(1h);
  EXPECT_EQ(concurrency.effective(low, now), normal);
  concurrency.trickled(now);
  EXPECT_EQ(concurrency.effective(low, now + 999ms), low);
  EXPECT_EQ(concurrency.effective(low, now + 1s), normal);
  EXPECT_EQ(concurrency.effective(critical, now), critical);
  EXPECT_EQ(concurrency.effective(normal, now), normal);
}

TEST(Concurrency, CountsEveryEnd) {
  Concurrency concurrency({.adaptive = ConcurrencyRange{}});
  enter(concurrency, normal, 3);
  concurrency.answered(normal, 10ms, Concurrency::Steady(1h));
  concurrency.dropped(normal, Concurrency::Steady(1h));
  concurrency.left(normal);
  EXPECT_EQ(concurrency.in_flight(), 0U);
}

TEST(Priorities, AreReadAsTheyAreWritten) {
  for (const auto priority : {critical, normal, low}) EXPECT_EQ(priority_of(to_text(priority)), priority);
  EXPECT_FALSE(priority_of("Critical"));
  EXPECT_FALSE(priority_of(""));
}

}  // namespace
}  // namespace headgate::shed
