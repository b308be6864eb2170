#include "headgate/net/timers.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace headgate::net {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// Runs `action` when its timer fires.
struct Alarm {
  explicit Alarm(std::function<void()> what) : action(std::move(what)) {}
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;
  std::function<void()> action;
  Timer timer{[](void* self) { static_cast<Alarm*>(self)->action(); }, this};
};

struct TimersTest : testing::Test {
  /// Runs until an alarm stops the timers: then nothing keeps the loop.
  void run() {
    timers.start();
    loop.run_for(seconds(20));
    EXPECT_TRUE(loop.stopped()) << "the loop ran out of work, not out of time";
  }
  boost::asio::io_context loop{1};
  Timers timers{loop};
};

TEST_F(TimersTest, FireInTheOrderOfTheirDeadlinesAndNeverEarly) {
  std::string order;
  const auto start = Clock::now();
  const auto late = [&](milliseconds after) { EXPECT_GE(Clock::now() - start, after); };
  Alarm a([&] { order += 'a', late(milliseconds(220)), timers.stop(); });
  Alarm b([&] { order += 'b', late(milliseconds(1)); });
  Alarm c([&] { order += 'c', late(milliseconds(110)); });
  timers.arm(a.timer, milliseconds(220));
  timers.arm(b.timer, milliseconds(1));
  timers.arm(c.timer, milliseconds(110));
  run();
  EXPECT_EQ(order, "bca");
}

TEST_F(TimersTest, FireOnceAndAreDisarmedThen) {
  int fired = 0;
  Alarm once([&] {
    ++fired;
    EXPECT_FALSE(once.timer.armed());
  });
  Alarm end([&] { timers.stop(); });
  timers.arm(once.timer, milliseconds(1));
  timers.arm(end.timer, milliseconds(250));
  EXPECT_TRUE(once.timer.armed());
  run();
  EXPECT_EQ(fired, 1);
}

TEST_F(TimersTest, CanBeArmedAgainByTheirOwnAction) {
  int fired = 0;
  Alarm again([&] {
    if (++fired == 3) return timers.stop();
    timers.arm(again.timer, milliseconds(1));
  });
  timers.arm(again.timer, milliseconds(1));
  run();
  EXPECT_EQ(fired, 3);
}

TEST_F(TimersTest, FireAtTheLastOfTheDeadlinesTheyWereArmedFor) {
  const auto start = Clock::now();
  Alarm moved([&] {
    EXPECT_GE(Clock::now() - start, milliseconds(200));
    timers.stop();
  });
  timers.arm(moved.timer, milliseconds(1));
  timers.arm(moved.timer, hours(1));
  timers.arm(moved.timer, milliseconds(200));
  run();
}

TEST_F(TimersTest, NeverFireAfterBeingDisarmedOrDestroyedEvenInTheSameTick) {
  std::deque<Alarm> others;
  std::vector<int> fired;
  // All in one tick: the one that fires first disarms or destroys the others.
  for (int i = 0; i < 8; ++i) {
    others.emplace_back([&, i] {
      fired.push_back(i);
      for (auto& other : others) other.timer.disarm();
    });
  }
  auto gone = std::make_unique<Alarm>([&] { fired.push_back(99); });
  Alarm end([&] { timers.stop(); });
  for (auto& other : others) timers.arm(other.timer, milliseconds(60));
  timers.arm(gone->timer, milliseconds(60));
  timers.arm(end.timer, milliseconds(200));
  gone.reset();
  run();
  EXPECT_EQ(fired, (std::vector<int>{0}));
}

TEST_F(TimersTest, KeepDeadlinesBeyondOneTurnOfTheWheelForLater) {
  // 512 ticks of 50 ms: these share slots with the ticks that pass here.
  std::deque<Alarm> far;
  bool fired = false;
  for (int turn = 1; turn <= 4; ++turn) {
    for (int tick = -3; tick <= 6; ++tick) {
      far.emplace_back([&] { fired = true; });
      timers.arm(far.back().timer, turn * 512 * Timers::kTick + tick * Timers::kTick);
    }
  }
  far.emplace_back([&] { fired = true; });
  timers.arm(far.back().timer, hours(24 * 365 * 100));
  Alarm end([&] { timers.stop(); });
  timers.arm(end.timer, milliseconds(300));
  run();
  EXPECT_FALSE(fired);
  for (auto& one : far) EXPECT_TRUE(one.timer.armed());
}

TEST_F(TimersTest, FireNothingAfterStop) {
  int fired = 0;
  std::deque<Alarm> alarms;
  for (int i = 0; i < 3; ++i) {
    alarms.emplace_back([&] {
      ++fired;
      timers.stop();
    });
    timers.arm(alarms.back().timer, milliseconds(1));
  }
  run();
  EXPECT_EQ(fired, 1) << "the others of the same tick came after the stop";
}

TEST_F(TimersTest, LetTheLoopEndWhenStoppedFromOutside) {
  bool fired = false;
  Alarm later([&] { fired = true; });
  timers.arm(later.timer, milliseconds(1));
  timers.start();
  timers.stop();
  loop.run_for(seconds(20));
  EXPECT_TRUE(loop.stopped());
  EXPECT_FALSE(fired);
}

TEST(Timer, MayOutliveItsTimersUnlinked) {
  Timer timer([](void*) { FAIL(); }, nullptr);
  {
    boost::asio::io_context loop;
    Timers timers(loop);
    timers.arm(timer, milliseconds(1));
    EXPECT_TRUE(timer.armed());
  }
  EXPECT_FALSE(timer.armed());
}

}  // namespace
}  // namespace headgate::net
