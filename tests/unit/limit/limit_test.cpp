#include "headgate/limit/limit.hpp"

#include <gtest/gtest.h>

#include <array>

namespace headgate::limit {
namespace {

using std::chrono::seconds;

TEST(Binding, IsNothingWithoutADecision) { EXPECT_EQ(binding({}), nullptr); }

TEST(Binding, IsTheRejectionThatLastsLongest) {
  const std::array decisions = {
      Decision{.allowed = false, .limit = 5, .remaining = 0, .retry_after = seconds(3), .reset_after = seconds(90)},
      Decision{.allowed = true, .limit = 5, .remaining = 0, .retry_after = seconds(0), .reset_after = seconds(900)},
      Decision{.allowed = false, .limit = 5, .remaining = 1, .retry_after = seconds(4), .reset_after = seconds(5)}};
  EXPECT_EQ(binding(decisions), &decisions[2]);
}

TEST(Binding, IsTheSmallestShareLeftIfAllAllow) {
  const std::array decisions = {Decision{.allowed = true, .limit = 10, .remaining = 3},
                                Decision{.allowed = true, .limit = 1000, .remaining = 200},
                                Decision{.allowed = true, .limit = 3, .remaining = 2}};
  EXPECT_EQ(binding(decisions), &decisions[1]);
}

TEST(Binding, IsTheOneFullAgainLastIfSharesAreEqual) {
  const std::array decisions = {Decision{.allowed = true, .limit = 10, .remaining = 5, .reset_after = seconds(1)},
                                Decision{.allowed = true, .limit = 20, .remaining = 10, .reset_after = seconds(60)},
                                Decision{.allowed = true, .limit = 30, .remaining = 15, .reset_after = seconds(2)}};
  EXPECT_EQ(binding(decisions), &decisions[1]);
}

TEST(Binding, ComparesSharesOfTheLargestLimitsExactly) {
  constexpr std::uint64_t kMax = 999'999'999'999'999;
  const std::array decisions = {Decision{.allowed = true, .limit = kMax, .remaining = kMax - 1},
                                Decision{.allowed = true, .limit = kMax, .remaining = kMax - 2}};
  EXPECT_EQ(binding(decisions), &decisions[1]);
}

}  // namespace
}  // namespace headgate::limit
