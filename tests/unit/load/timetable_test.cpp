#include "headgate/load/timetable.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <vector>

namespace headgate::load {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::vector<Intended> all_of(const TimetableOptions& options) {
  std::vector<Intended> out;
  for (Timetable table(options); table.next(); table.take()) out.push_back(*table.next());
  return out;
}

std::size_t between(const std::vector<Intended>& all, Duration from, Duration until) {
  std::size_t count = 0;
  for (const auto& each : all) count += each.at >= from && each.at < until ? 1 : 0;
  return count;
}

TimetableOptions options_of(Like like, double rate, Duration length) {
  TimetableOptions out;
  out.like = like;
  out.rate = rate;
  out.length = length;
  return out;
}

/// Of so many that are independent of each other: five standard deviations.
double spread(double expected) { return 5 * std::sqrt(expected); }

TEST(Timetable, OfSteadyTrafficHasItsRateAndNothingBehindItsEnd) {
  const auto all = all_of(options_of(Like::steady, 200, seconds(100)));
  EXPECT_NEAR(static_cast<double>(all.size()), 20'000, spread(20'000));
  EXPECT_LT(all.back().at, seconds(100));
  EXPECT_NEAR(static_cast<double>(between(all, seconds(40), seconds(50))), 2000, spread(2000));
  std::set<std::uint32_t> callers;
  for (std::size_t i = 1; i < all.size(); ++i) {
    EXPECT_LE(all[i - 1].at, all[i].at);
    callers.insert(all[i].caller);
    EXPECT_FALSE(all[i].attacks);
  }
  EXPECT_EQ(callers.size(), 100U);
  EXPECT_EQ(*callers.begin(), 1U);
  EXPECT_EQ(*callers.rbegin(), 100U);
}

TEST(Timetable, IsIndependentOfItsPast) {
  // Of exponential gaps a share of exp(-1) is longer than the mean.
  const auto all = all_of(options_of(Like::steady, 1000, seconds(20)));
  double longer = 0;
  for (std::size_t i = 1; i < all.size(); ++i) longer += all[i].at - all[i - 1].at > milliseconds(1) ? 1 : 0;
  EXPECT_NEAR(longer / static_cast<double>(all.size()), std::exp(-1), 0.02);
}

TEST(Timetable, DrawsTheSameFromTheSameSeed) {
  auto options = options_of(Like::attack, 100, seconds(10));
  const auto one = all_of(options);
  const auto two = all_of(options);
  ASSERT_EQ(one.size(), two.size());
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_EQ(one[i].at, two[i].at);
  options.seed = 2;
  EXPECT_NE(all_of(options).front().at, one.front().at);
}

TEST(Timetable, OfBurstsHasTenTimesAsManyForASecondInTen) {
  const auto all = all_of(options_of(Like::burst, 100, seconds(20)));
  for (const int begin : {3, 13})
    EXPECT_NEAR(static_cast<double>(between(all, seconds(begin), seconds(begin + 1))), 1000, spread(1000));
  EXPECT_NEAR(static_cast<double>(between(all, seconds(4), seconds(13))), 900, spread(900));
}

TEST(Timetable, OfAnAttackHasFewWhoSendFiveTimesAsMuchOnTop) {
  const auto options = options_of(Like::attack, 100, seconds(23));
  const auto all = all_of(options);
  EXPECT_EQ(attackers(Like::attack, 100), 5U);
  EXPECT_EQ(attackers(Like::attack, 3), 1U);
  EXPECT_EQ(attackers(Like::steady, 100), 0U);
  std::map<std::uint32_t, std::size_t> attacks;
  std::size_t others = 0;
  for (const auto& each : all) {
    if (!each.attacks) {
      ++others;
      EXPECT_LE(each.caller, options.callers);
      continue;
    }
    ++attacks[each.caller];
    EXPECT_GE(each.at, seconds(3));
    EXPECT_GT(each.caller, options.callers);
    EXPECT_LE(each.caller, options.callers + 5);
  }
  EXPECT_EQ(attacks.size(), 5U);
  EXPECT_NEAR(static_cast<double>(all.size() - others), 10'000, spread(10'000));
  EXPECT_NEAR(static_cast<double>(others), 2300, spread(2300));
}

TEST(Timetable, OfASaleHasACrowdThatFadesAndNobodyTwiceInIt) {
  const auto options = options_of(Like::flash_sale, 100, seconds(60));
  const auto all = all_of(options);
  EXPECT_NEAR(static_cast<double>(between(all, seconds(0), seconds(3))), 30, spread(30));
  EXPECT_NEAR(static_cast<double>(between(all, seconds(3), seconds(4))), 927, spread(927));
  EXPECT_NEAR(static_cast<double>(between(all, seconds(7), seconds(8))), 468, spread(468));
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(all[i].caller, i + 1);
  EXPECT_EQ(all[100].caller, 1U) << "all were there, and the first comes again";
}

TEST(Timetable, IsNeverAboveTheRateItIsThinnedFrom) {
  for (const auto like : {Like::steady, Like::burst, Like::attack, Like::flash_sale}) {
    const auto options = options_of(like, 10, seconds(180));
    for (int ms = 0; ms < 180'000; ms += 50) EXPECT_LE(rate_at(options, milliseconds(ms)), 10 * 10.1);
  }
}

}  // namespace
}  // namespace headgate::load
