#include "headgate/engine/virtual_clock.hpp"

#include "support/rules.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace headgate::engine {
namespace {

using headgate::test::kStart;
using std::chrono::seconds;

/// Writes its name and the time when it rings.
struct Ringer {
  Ringer(VirtualClock& whose, std::vector<int>& to, int called)
      : clock(whose), heard(to), name(called), alarm(clock.alarm(&Ringer::rings, this)) {}
  Ringer(const Ringer&) = delete;
  Ringer& operator=(const Ringer&) = delete;
  static void rings(void* self) {
    auto& ringer = *static_cast<Ringer*>(self);
    ringer.heard.push_back(ringer.name);
    ringer.at = ringer.clock.wall();
    if (ringer.once_more) {
      ringer.once_more = false;
      ringer.alarm->set(seconds(1));
    }
  }
  VirtualClock& clock;
  std::vector<int>& heard;
  int name;
  Instant at{};
  bool once_more = false;
  std::unique_ptr<Alarm> alarm;
};

struct VirtualTime : testing::Test {
  Ringer& set(int name, Duration after) {
    auto& made = *all.emplace_back(std::make_unique<Ringer>(clock, heard, name));
    made.alarm->set(after);
    return made;
  }
  VirtualClock clock{kStart};
  std::vector<int> heard;
  std::vector<std::unique_ptr<Ringer>> all;
};

TEST_F(VirtualTime, RingsAlarmsAtTheirMomentsInOrder) {
  const auto& last = set(3, seconds(3));
  set(1, seconds(1));
  set(2, seconds(2));
  clock.advance(seconds(2));
  EXPECT_EQ(heard, (std::vector{1, 2}));
  clock.advance(seconds(5));
  EXPECT_EQ(heard, (std::vector{1, 2, 3}));
  EXPECT_EQ(last.at, kStart + seconds(3));
  EXPECT_EQ(clock.wall(), kStart + seconds(7));
}

TEST_F(VirtualTime, RingsThoseOfOneMomentInTheOrderInWhichTheyWereSet) {
  for (int i = 0; i < 100; ++i) set(i, seconds(1));
  all[10]->alarm->set(seconds(1));  // again: it is the last now
  clock.advance(seconds(1));
  ASSERT_EQ(heard.size(), 100U);
  EXPECT_EQ(heard.back(), 10);
  heard.pop_back();
  EXPECT_TRUE(std::ranges::is_sorted(heard));
}

TEST_F(VirtualTime, RingsWhatIsSetMeanwhile) {
  auto& first = set(1, seconds(1));
  first.once_more = true;
  set(2, seconds(3));
  clock.advance(seconds(3));
  EXPECT_EQ(heard, (std::vector{1, 1, 2}));
}

TEST_F(VirtualTime, ForgetsAnAlarmThatIsGone) {
  set(1, seconds(1));
  set(2, seconds(2));
  all.erase(all.begin());
  EXPECT_EQ(clock.armed(), 1U);
  clock.advance(seconds(9));
  EXPECT_EQ(heard, std::vector{2});
}

TEST_F(VirtualTime, GoesToTheNextAlarmAndNoFurther) {
  set(1, seconds(4));
  EXPECT_TRUE(clock.advance_to_alarm());
  EXPECT_EQ(clock.wall(), kStart + seconds(4));
  EXPECT_FALSE(clock.advance_to_alarm());
}

TEST_F(VirtualTime, GoesOnlyForwards) {
  clock.advance(seconds(9));
  clock.advance_to(kStart);
  EXPECT_EQ(clock.wall(), kStart + seconds(9));
}

TEST_F(VirtualTime, CallsTheOwnerOfABellOnce) {
  int calls = 0;
  const auto bell = clock.bell([](void* count) { ++*static_cast<int*>(count); }, &calls);
  bell->ring();
  bell->ring();
  EXPECT_EQ(calls, 0);
  clock.advance(Duration(0));
  EXPECT_EQ(calls, 1);
}

TEST_F(VirtualTime, RingsAnyAlarmsInTheOrderOfASort) {
  std::mt19937 random(7);
  std::vector<std::pair<Duration, int>> expected;
  for (int i = 0; i < 2000; ++i) {
    const Duration after(random() % 500);
    auto& ringer = set(i, Duration(random() % 500));
    ringer.alarm->set(after);
    expected.emplace_back(after, i);
    if (random() % 3 == 0) {
      all.pop_back();
      expected.pop_back();
    }
  }
  std::ranges::stable_sort(expected, {}, [](const auto& one) { return one.first; });
  clock.advance(seconds(1));
  ASSERT_EQ(heard.size(), expected.size());
  for (std::size_t i = 0; i < heard.size(); ++i) EXPECT_EQ(heard[i], expected[i].second);
}

}  // namespace
}  // namespace headgate::engine
