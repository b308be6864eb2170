#include "headgate/net/loop_clock.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace headgate::net {
namespace {

using std::chrono::milliseconds;

struct LoopClockTest : testing::Test {
  struct Bell {
    LoopClock& clock;
    Clock::Steady rang{};
    int times = 0;
    std::unique_ptr<Alarm> alarm;
  };
  static void ring(void* owner) {
    auto& bell = *static_cast<Bell*>(owner);
    bell.rang = bell.clock.steady();
    ++bell.times;
  }
  boost::asio::io_context loop{1};
  LoopClock clock{loop};
  Bell bell{clock, {}, 0, clock.alarm(&LoopClockTest::ring, &bell)};
};

TEST_F(LoopClockTest, RingsOnceAndNeverEarly) {
  const auto begun = clock.steady();
  bell.alarm->set(milliseconds(2));
  loop.run();
  EXPECT_EQ(bell.times, 1);
  EXPECT_GE(bell.rang - begun, milliseconds(2));
}

TEST_F(LoopClockTest, RingsFromTheLoopAndNotFromWhereItIsSet) {
  bell.alarm->set(Duration(0));
  EXPECT_EQ(bell.times, 0);
  loop.run();
  EXPECT_EQ(bell.times, 1);
}

TEST_F(LoopClockTest, ForgetsTheTimeItWasSetToBefore) {
  bell.alarm->set(Duration(0));
  bell.alarm->set(milliseconds(1));
  loop.run();
  EXPECT_EQ(bell.times, 1);
}

TEST_F(LoopClockTest, RingsNoMoreWhenItIsGone) {
  bell.alarm->set(Duration(0));
  bell.alarm.reset();
  loop.run();
  EXPECT_EQ(bell.times, 0);
}

TEST_F(LoopClockTest, MayBeEndedByItsOwnRing) {
  std::unique_ptr<Alarm> alarm;
  alarm = clock.alarm([](void* owner) { static_cast<std::unique_ptr<Alarm>*>(owner)->reset(); }, &alarm);
  alarm->set(Duration(0));
  loop.run();
  EXPECT_EQ(alarm, nullptr);
}

TEST_F(LoopClockTest, TellsTheSystemsTime) {
  const auto wall = clock.wall();
  EXPECT_LE(wall, now());
  EXPECT_LE(clock.second(), std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()));
}

}  // namespace
}  // namespace headgate::net
