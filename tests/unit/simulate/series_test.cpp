#include "headgate/simulate/series.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace headgate::simulate {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Instant kNoon{std::chrono::sys_days(std::chrono::year(2026) / 11 / 24) + hours(12)};

std::uint64_t sum(const std::vector<std::uint64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

TEST(Timeline, HasPartsOfASecondWhileTheySuffice) {
  Timeline timeline;
  EXPECT_EQ(timeline.part_of(kNoon + seconds(1)), 0U);
  EXPECT_EQ(timeline.part_of(kNoon + seconds(3)), 2U);
  EXPECT_EQ(timeline.width(), seconds(1));
  EXPECT_EQ(timeline.begin(), kNoon + seconds(1));
  EXPECT_EQ(timeline.parts(), 3U);
}

TEST(Timeline, HasPartsOfAMinuteForADay) {
  Timeline timeline;
  const auto day = std::chrono::floor<std::chrono::days>(kNoon);
  for (int i = 0; i < 1440; ++i) timeline.part_of(day + minutes(i));
  EXPECT_EQ(timeline.width(), minutes(1));
  EXPECT_EQ(timeline.parts(), 1440U);
}

TEST(Timeline, CountsWhatIsTooEarlyAsTheFirst) {
  Timeline timeline;
  timeline.part_of(kNoon);
  EXPECT_EQ(timeline.part_of(kNoon - hours(5)), 0U);
}

TEST(Timeline, EndsWithFewPartsHoweverFarApartMomentsAre) {
  Timeline timeline;
  timeline.part_of(Instant(hours(1)));
  const auto far = timeline.part_of(Instant(hours(24) * 365 * 9000));
  EXPECT_LT(far, Timeline::kMaxParts);
  EXPECT_LE(timeline.parts(), Timeline::kMaxParts);
}

TEST(Series, KeepsAllCountsWhenPartsBecomeWider) {
  Timeline timeline;
  Series all;
  Series first;
  for (int i = 0; i < 100'000; ++i) {
    const auto part = timeline.part_of(kNoon + seconds(i * 7));
    all.add(timeline, part);
    if (i < 10) first.add(timeline, part);
  }
  EXPECT_EQ(sum(all.counts(timeline)), 100'000U);
  EXPECT_EQ(first.counts(timeline).front(), 10U);
  EXPECT_EQ(first.counts(timeline).size(), timeline.parts());
  EXPECT_EQ(timeline.begin(), kNoon);
}

TEST(Minutes, FindsTheWorstAndCountsThem) {
  Minutes counted;
  for (int i = 0; i < 3; ++i) counted.add(kNoon + seconds(i));
  for (int i = 0; i < 5; ++i) counted.add(kNoon + hours(2) + seconds(i));
  counted.add(kNoon + hours(9));
  EXPECT_EQ(counted.worst().begin, kNoon + hours(2));
  EXPECT_EQ(counted.worst().count, 5U);
  EXPECT_EQ(counted.minutes(), 3U);
}

TEST(Minutes, CountsWhatIsToldLateInItsOwnMinute) {
  Minutes counted;
  counted.add(kNoon);
  counted.add(kNoon + minutes(10));
  counted.add(kNoon + seconds(59));
  EXPECT_EQ(counted.worst().begin, kNoon);
  EXPECT_EQ(counted.worst().count, 2U);
  EXPECT_EQ(counted.minutes(), 2U);
}

TEST(Minutes, SayNothingWithoutCounts) {
  EXPECT_EQ(Minutes().worst().count, 0U);
  EXPECT_EQ(Minutes().minutes(), 0U);
}

}  // namespace
}  // namespace headgate::simulate
