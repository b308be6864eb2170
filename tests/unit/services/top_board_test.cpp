#include "headgate/services/top_board.hpp"

#include <gtest/gtest.h>

namespace headgate::services {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

/// A board whose clock begins a whole number of periods after the clock's own begin.
class TopBoardTest : public testing::Test {
 protected:
  void rejects(const std::string& key, std::uint32_t times) { count(key, times, true); }
  void allows(const std::string& key, std::uint32_t times) { count(key, times, false); }
  std::uint64_t requests(TopBy by, TopWindow window, const std::string& key = "a") const {
    const auto answer = board.of("x", by, window, now);
    for (const auto& each : answer.list.keys)
      if (each.key == key) return each.count;
    return 0;
  }

  const TopBoard::Steady begun{hours(1000)};
  TopBoard::Steady now = begun;
  TopBoard board{begun};

 private:
  void count(const std::string& key, std::uint32_t times, bool rejected) {
    auto sketch = std::make_unique<observe::HeavyKeys>();
    sketch->add(std::hash<std::string>()(key), key, times);
    std::vector<observe::LimitSketches> taken;
    taken.push_back({"x", rejected ? std::move(sketch) : nullptr, rejected ? nullptr : std::move(sketch)});
    board.add(taken, now);
  }
};

TEST_F(TopBoardTest, AddsUpWhatWorkersHandOver) {
  rejects("a", 3);
  rejects("a", 4);
  rejects("b", 1);
  allows("a", 8);
  EXPECT_EQ(requests(TopBy::rejected, TopWindow::minute), 7U);
  EXPECT_EQ(requests(TopBy::rejected, TopWindow::minute, "b"), 1U);
  EXPECT_EQ(requests(TopBy::allowed, TopWindow::minute), 8U);
  EXPECT_EQ(requests(TopBy::rejected, TopWindow::hour), 7U);
}

TEST_F(TopBoardTest, ForgetsAMinuteAfterAMinuteAndAnHourAfterAnHour) {
  rejects("a", 5);
  now += seconds(59);
  rejects("a", 1);
  EXPECT_EQ(requests(TopBy::rejected, TopWindow::minute), 6U);
  now += seconds(11);
  EXPECT_EQ(requests(TopBy::rejected, TopWindow::minute), 1U);
  now += seconds(60);
  EXPECT_EQ(requests(TopBy::rejected, TopWindow::minute), 0U);
  EXPECT_EQ(requests(TopBy::rejected, TopWindow::hour), 6U);
  now += minutes(62);
  EXPECT_EQ(requests(TopBy::rejected, TopWindow::hour), 6U) << "up to a twelfth more than an hour";
  now += minutes(3);
  EXPECT_EQ(requests(TopBy::rejected, TopWindow::hour), 0U);
}

TEST_F(TopBoardTest, SaysHowLongItsWindowIs) {
  const auto covered = [&](TopWindow window) { return board.of("x", TopBy::rejected, window, now).covered; };
  now += seconds(12);
  EXPECT_EQ(covered(TopWindow::minute), seconds(12)) << "since the start";
  EXPECT_EQ(covered(TopWindow::hour), seconds(12));
  now += hours(3);
  EXPECT_EQ(covered(TopWindow::minute), seconds(62));
  EXPECT_EQ(covered(TopWindow::hour), hours(1) + seconds(12));
}

TEST_F(TopBoardTest, KnowsNothingOfALimitThatNobodyCameUnder) {
  const auto answer = board.of("nobody", TopBy::rejected, TopWindow::hour, now);
  EXPECT_TRUE(answer.list.keys.empty());
  EXPECT_EQ(answer.list.total, 0U);
}

}  // namespace
}  // namespace headgate::services
