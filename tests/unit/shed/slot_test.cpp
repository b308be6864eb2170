// The place of a request that has several attempts.

#include "headgate/shed/slot.hpp"

#include <gtest/gtest.h>

namespace headgate::shed {
namespace {

TEST(Slot, StaysTakenWhenAnAttemptIsMissedAndTheLimitLearnsOfIt) {
  Concurrency concurrency({.adaptive = ConcurrencyRange{.least = 10, .most = 20}});
  for (int i = 0; i < 15; ++i) concurrency.enter(Priority::normal);
  auto now = Concurrency::Steady(std::chrono::hours(1));
  Slot slot;
  slot.missed(now);  // nothing is held
  slot.take(concurrency, Priority::normal, now);
  for (int i = 0; i < 400; ++i) {
    slot.missed(now += std::chrono::milliseconds(10));
    ASSERT_TRUE(slot.held());
    ASSERT_EQ(concurrency.in_flight(), 16U);
  }
  EXPECT_EQ(concurrency.limit(), 10U);
  slot.leave();
  EXPECT_EQ(concurrency.in_flight(), 15U);
}

}  // namespace
}  // namespace headgate::shed
