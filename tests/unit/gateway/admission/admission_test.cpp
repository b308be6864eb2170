#include "headgate/gateway/exchange.hpp"

#include <gtest/gtest.h>

namespace headgate::gateway {
namespace {

TEST(Admission, KeepsWhatItHasWhereItGrowsToAllTheRulesOfARequest) {
  Admission a;
  for (std::size_t i = 0; i < Admission::kMax; ++i) {
    a.make_room(1);
    a.limits.emplace_back().first = static_cast<std::uint8_t>(i);
    a.checks.emplace_back().cost = static_cast<std::int64_t>(i);
    a.decisions[i].remaining = i;
    if (i == 2) a.binding = &a.limits[2];
  }
  ASSERT_EQ(a.limits.size(), Admission::kMax);
  EXPECT_EQ(a.binding, &a.limits[2]) << "it has moved along";
  EXPECT_EQ(a.binding->first, 2);
  for (std::size_t i = 0; i < Admission::kMax; ++i) {
    EXPECT_EQ(a.limits[i].first, i);
    EXPECT_EQ(a.checks[i].cost, static_cast<std::int64_t>(i));
    EXPECT_EQ(a.decisions[i].remaining, i);
  }
}

TEST(Admission, HasRoomForManyRulesOfOneLimitBehindOthers) {
  Admission a;
  a.make_room(1);
  a.limits.emplace_back();
  a.checks.resize(1);
  a.binding = a.limits.data();
  a.make_room(Admission::kMax - 1);
  a.limits.emplace_back();
  a.checks.resize(Admission::kMax);
  EXPECT_GE(a.decisions.size(), a.checks.size());
  EXPECT_EQ(a.binding, a.limits.data());
}

// There is one for each open request. What few requests need is not in it, and what all need takes what it is.
TEST(Exchange, TakesLittleMoreThanTwoKilobytes) { EXPECT_LE(sizeof(Exchange), 2'328U); }

}  // namespace
}  // namespace headgate::gateway
