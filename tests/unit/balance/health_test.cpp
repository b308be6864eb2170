// Health checks: what they say of a server, and when they are made.

#include "headgate/balance/health.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <vector>

namespace headgate::balance {
namespace {

using Change = Health::Change;
using Result = Health::Result;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr HealthRule kRule{.down_after = 3, .up_after = 2};

/// Notes a pass for '+' and a failure for '-'; returns the state after each: 'u' or 'd'.
std::string after(Health& health, std::string_view checks, const HealthRule& rule = kRule) {
  std::string out;
  for (const char check : checks) {
    health.note(check == '+' ? Result::passed : Result::failed, rule);
    out += health.up() ? 'u' : 'd';
  }
  return out;
}

TEST(Health, IsUpBeforeTheFirstCheck) {
  const Health health;
  EXPECT_TRUE(health.up());
  EXPECT_FALSE(health.known());
}

TEST(Health, IsDecidedByTheVeryFirstCheck) {
  Health away;
  EXPECT_EQ(away.note(Result::failed, kRule), Change::down);
  EXPECT_FALSE(away.up());
  Health there;
  EXPECT_EQ(there.note(Result::passed, kRule), Change::none);
  EXPECT_EQ(after(there, "--"), "uu") << "from then on it takes down_after failures";
}

TEST(Health, GoesDownAfterFailuresInARowAndUpAfterPassesInARow) {
  Health health;
  EXPECT_EQ(after(health, "+--+---"), "uuuuuud");
  EXPECT_EQ(after(health, "+-++"), "dddu");
}

TEST(Health, TellsEachChangeOnce) {
  Health health;
  std::vector<Change> changes;
  for (const char check : std::string_view("+----++++"))
    changes.push_back(health.note(check == '+' ? Result::passed : Result::failed, kRule));
  using enum Health::Change;
  EXPECT_EQ(changes, (std::vector{none, none, none, down, none, none, up, none, none}));
}

TEST(Health, ForgetsWhatContradictedItWhenOtherChecksBegin) {
  Health health;
  EXPECT_EQ(after(health, "+--"), "uuu");
  health.begin_anew();
  EXPECT_EQ(after(health, "--"), "uu");
  EXPECT_EQ(after(health, "-"), "d");
}

TEST(Health, AgreesWithItsDefinitionOnRandomHistories) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const HealthRule rule{.down_after = 1 + seed % 5, .up_after = 1 + seed / 5 % 4};
    Health health;
    std::vector<bool> passed;
    bool up = true;
    std::size_t changed_at = 0;  // checks before this one count no more
    for (int i = 0; i < 200; ++i) {
      passed.push_back(random() % 3 != 0);
      const auto run = up ? rule.down_after : rule.up_after;
      bool turns = passed.size() >= changed_at + run || passed.size() == 1;
      for (std::size_t back = 0; turns && back < (passed.size() == 1 ? 1 : run); ++back)
        turns = passed[passed.size() - 1 - back] != up;
      if (turns) {
        up = !up;
        changed_at = passed.size();
      }
      const auto change = health.note(passed.back() ? Result::passed : Result::failed, rule);
      ASSERT_EQ(health.up(), up) << "seed " << seed << ", check " << i;
      ASSERT_EQ(change != Change::none, turns) << "seed " << seed << ", check " << i;
    }
  }
}

TEST(HealthSchedule, VariesByATenth) {
  std::mt19937_64 random(1);
  Duration least = seconds(100);
  Duration most{0};
  for (int i = 0; i < 10'000; ++i) {
    const auto until = until_next_check(seconds(5), random());
    least = std::min(least, until);
    most = std::max(most, until);
  }
  EXPECT_GE(least, milliseconds(4500));
  EXPECT_LT(least, milliseconds(4510));
  EXPECT_LE(most, milliseconds(5500));
  EXPECT_GT(most, milliseconds(5490));
}

TEST(HealthSchedule, SpreadsTheFirstChecksOverASecond) {
  EXPECT_EQ(until_first_check(seconds(5), 0, 4), Duration(0));
  EXPECT_EQ(until_first_check(seconds(5), 3, 4), milliseconds(750));
  EXPECT_EQ(until_first_check(milliseconds(200), 3, 4), milliseconds(150)) << "or over the interval, if it is shorter";
}

}  // namespace
}  // namespace headgate::balance
