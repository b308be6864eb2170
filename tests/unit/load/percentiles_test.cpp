#include "headgate/load/percentiles.hpp"

#include "headgate/core/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace headgate::load {
namespace {

TEST(Percentiles, OfNothingAreZero) {
  const Percentiles none;
  EXPECT_EQ(none.at(0.5), Duration(0));
  EXPECT_EQ(none.mean(), Duration(0));
  EXPECT_EQ(none.max(), Duration(0));
}

TEST(Percentiles, AreExactBelowAHundredMicroseconds) {
  Percentiles some;
  for (int i = 1; i <= 100; ++i) some.add(Duration(i));
  EXPECT_EQ(some.at(0.5), Duration(50));
  EXPECT_EQ(some.at(0.99), Duration(99));
  EXPECT_EQ(some.at(1), Duration(100));
  EXPECT_EQ(some.at(0), Duration(1));
}

TEST(Percentiles, AreNeverTooLowAndAtMostASixtiethTooHigh) {
  Random random(7);
  std::vector<Duration> all;
  Percentiles some;
  for (int i = 0; i < 20'000; ++i) {
    all.emplace_back(static_cast<Duration::rep>(std::exp(random.even() * 24)));  // up to seven hours
    some.add(all.back());
  }
  std::sort(all.begin(), all.end());
  for (const double share : {0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 1.0}) {
    const auto exact = all[static_cast<std::size_t>(std::ceil(share * 20'000)) - 1];
    EXPECT_GE(some.at(share), exact) << share;
    EXPECT_LE(static_cast<double>(some.at(share).count()), static_cast<double>(exact.count()) * (1 + 1.0 / 60))
        << share;
  }
  EXPECT_EQ(some.max(), all.back());
}

TEST(Percentiles, TakeWhateverComes) {
  Percentiles some;
  some.add(Duration(-5));
  some.add(Duration::max());
  EXPECT_EQ(some.at(0.5), Duration(0));
  EXPECT_EQ(some.max(), std::chrono::hours(24));
  some.clear();
  EXPECT_EQ(some.count(), 0U);
}

}  // namespace
}  // namespace headgate::load
