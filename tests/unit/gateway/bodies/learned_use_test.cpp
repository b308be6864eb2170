// Estimates of input and output, learned from earlier calls.

#include "gateway/bodies/learned_use.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace headgate::gateway {
namespace {

constexpr Hash kAcme{.low = 1, .high = 1};
constexpr Hash kOther{.low = 2, .high = 1};

TEST(LearnedUse, UsesTheConfiguredBytesUntilACallWasLearned) {
  LearnedUse learned;
  EXPECT_EQ(learned.tokens_of(kAcme, 4'001, 4), 1'001);
  learned.learn_input(kAcme, 1'000, 400);
  EXPECT_EQ(learned.tokens_of(kOther, 4'001, 4), 1'001) << "another key";
  EXPECT_EQ(learned.tokens_of(kAcme, 0, 4), 0);
}

TEST(LearnedUse, ComesWithin15PercentAboveTheInputOfSteadyTraffic) {
  constexpr int kRounds = 2'000;
  for (const double bytes_of_token : {1.3, 2.9, 4.0, 5.5, 11.0}) {
    LearnedUse learned;
    std::uint32_t random = 7;
    const auto next = [&random] { return (random = random * 1'664'525 + 1'013'904'223) >> 8; };
    for (int i = 0; i < kRounds; ++i) {
      const auto text = static_cast<std::int64_t>(8'000 + next() % 24'000);
      const auto percent = static_cast<double>(next() % 9) - 4;  // prompts differ by 4 % in either direction
      const auto tokens =
          static_cast<std::int64_t>(std::round(static_cast<double>(text) / bytes_of_token * (1 + percent / 100)));
      const auto held = learned.tokens_of(kAcme, text, 4);
      if (i >= static_cast<int>(LearnedUse::kCalls)) {
        EXPECT_GE(held, tokens) << bytes_of_token << " in round " << i;
        EXPECT_LE(static_cast<double>(held), 1.15 * static_cast<double>(tokens)) << bytes_of_token << " in " << i;
      }
      learned.learn_input(kAcme, text, tokens);
    }
  }
}

TEST(LearnedUse, FollowsTheDensestOfTheLastCalls) {
  LearnedUse learned;
  learned.learn_input(kAcme, 1'000, 500);
  for (std::size_t i = 1; i < LearnedUse::kCalls; ++i) {
    learned.learn_input(kAcme, 1'000, 250);
    EXPECT_EQ(learned.tokens_of(kAcme, 949, 4), 500);
  }
  learned.learn_input(kAcme, 1'000, 250);
  EXPECT_EQ(learned.tokens_of(kAcme, 949, 4), 250) << "the dense call is no longer one of the last";
}

TEST(LearnedUse, NeverAssumesLessThanAByteOrMoreThanFourTimesTheConfiguredBytes) {
  LearnedUse learned;
  learned.learn_input(kAcme, 1'000, 5'000);
  EXPECT_EQ(learned.tokens_of(kAcme, 300, 4), 300);
  learned.learn_input(kOther, 1'000, 1);
  EXPECT_EQ(learned.tokens_of(kOther, 1'600, 4), 100);
}

TEST(LearnedUse, LeavesOutCallsWithMuchLessText) {
  LearnedUse learned;
  learned.learn_input(kAcme, 10, 15);  // the tokens that the provider adds
  EXPECT_EQ(learned.tokens_of(kAcme, 40, 4), 40);
  EXPECT_EQ(learned.tokens_of(kAcme, 41, 4), 11);
  learned.learn_input(kAcme, 20, 10);
  EXPECT_EQ(learned.tokens_of(kAcme, 75, 4), 40);
}

TEST(LearnedUse, IgnoresReportsThatCannotBe) {
  LearnedUse learned;
  learned.learn_input(kAcme, 1'000, 0);
  learned.learn_input(kAcme, 1'000, -800);  // the pictures of the call alone were estimated higher
  learned.learn_input(kAcme, 0, 10);
  EXPECT_EQ(learned.tokens_of(kAcme, 400, 4), 100);
}

TEST(LearnedUse, RemembersTheLargestOutputOfTheLastCalls) {
  LearnedUse learned;
  EXPECT_FALSE(learned.most_output(kAcme));
  learned.learn_output(kAcme, 900);
  for (std::size_t i = 1; i < LearnedUse::kCalls; ++i) learned.learn_output(kAcme, 100);
  EXPECT_EQ(learned.most_output(kAcme), 900);
  learned.learn_output(kAcme, 50);
  EXPECT_EQ(learned.most_output(kAcme), 100);
  EXPECT_FALSE(learned.most_output(kOther));
}

TEST(LearnedUse, ForgetsTheKeyThatWasNotUsedForTheLongestTime) {
  LearnedUse learned(4);
  const auto key = [](std::uint64_t number) { return Hash{.low = 0, .high = number}; };
  for (std::uint64_t i = 0; i < 4; ++i) learned.learn_output(key(i), 10);
  EXPECT_TRUE(learned.most_output(key(0))) << "which uses it";
  learned.learn_output(key(4), 10);
  EXPECT_FALSE(learned.most_output(key(1)));
  for (const std::uint64_t i : {0, 2, 3, 4}) EXPECT_TRUE(learned.most_output(key(i))) << i;
}

}  // namespace
}  // namespace headgate::gateway
