// Several sizes use one counter by turns: tiers, overrides, scales and configurations. In any order, the counter must
// not admit more than the largest of them alone would.

#include "stores.hpp"
#include "support/rules.hpp"

#include "headgate/limit/algorithm.hpp"
#include "headgate/limit/scale.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace headgate::test {
namespace {

using namespace std::chrono_literals;
using limit::Check;
using limit::Decision;
using limit::How;
using limit::Rule;

class OneCounter : public testing::TestWithParam<const limit::Algorithm*> {
 protected:
  void SetUp() override {
    std::string why;
    RedisServer* server = shared_redis(why);
    if (server == nullptr) GTEST_SKIP() << why;
    redis_ = std::make_unique<InRedis>(server->port());
    memory_ = std::make_unique<InMemory>();
  }

  static Rule size(std::string_view rate, std::uint64_t burst = 0, std::string limit = "read") {
    return make_rule(rate, burst, std::move(limit), GetParam()->name);
  }
  static bool is_bucket() { return GetParam()->name == "token_bucket" || GetParam()->name == "leaky_bucket"; }

  /// Asks both stores the same, and returns the decision of both.
  Decision ask(const Rule& rule, std::int64_t cost, Instant now, How how = How::take) {
    const Check check = make_check(rule, "203.0.113.9", cost, how);
    Decision here;
    Decision there;
    memory_->decide({&check, 1}, now, {&here, 1});
    redis_->decide({&check, 1}, now, {&there, 1});
    EXPECT_EQ(here.allowed, there.allowed);
    EXPECT_EQ(here.remaining, there.remaining);
    EXPECT_EQ(here.retry_after, there.retry_after);
    EXPECT_EQ(here.reset_after, there.reset_after);
    return here;
  }

  std::unique_ptr<InRedis> redis_;
  std::unique_ptr<InMemory> memory_;
};

TEST_P(OneCounter, KeepsWhatALargerSizeUsedWhenASmallerOneRejects) {
  const Rule large = size("100/hour", is_bucket() ? 100 : 0);
  const Rule small = size("10/hour", is_bucket() ? 10 : 0);
  ASSERT_TRUE(ask(large, 95, kStart).allowed);
  for (int turn = 0; turn < 5; ++turn) {
    EXPECT_FALSE(ask(small, 1, kStart).allowed);
    EXPECT_EQ(ask(small, 1, kStart).remaining, 0U);
    EXPECT_EQ(ask(large, 0, kStart).remaining, 5U);
    EXPECT_FALSE(ask(large, 6, kStart).allowed);
  }
  EXPECT_TRUE(ask(large, 5, kStart).allowed);
}

TEST_P(OneCounter, KeepsItAlsoWhenASmallerSizeIsChargedOwesOrGivesBack) {
  const Rule large = size("100/hour", is_bucket() ? 100 : 0);
  const Rule small = size("10/hour", is_bucket() ? 10 : 0);
  ASSERT_TRUE(ask(large, 90, kStart).allowed);
  ask(small, 3, kStart, How::charge);
  EXPECT_EQ(ask(large, 0, kStart).remaining, 10U) << "there was nothing left that it could take";
  ask(small, 3, kStart, How::debt);
  EXPECT_EQ(ask(large, 0, kStart).remaining, 7U);
  ask(small, -3, kStart);
  EXPECT_EQ(ask(large, 0, kStart).remaining, 10U);
}

// This is what an override does that is soon lifted.
TEST_P(OneCounter, OfASpentKeyStaysSpentThroughAShortSmallerSize) {
  const Rule large = size("100/hour", is_bucket() ? 100 : 0);
  const Rule small = size("1/hour", is_bucket() ? 1 : 0);
  ASSERT_TRUE(ask(large, 100, kStart).allowed);
  for (int second = 1; second <= 5; ++second) ask(small, 1, kStart + second * 1s);
  EXPECT_FALSE(ask(large, 1, kStart + 6s).allowed);
  EXPECT_EQ(ask(large, 0, kStart + 6s).remaining, 0U);
}

TEST_P(OneCounter, TellsTheSmallerSizeAWaitAfterWhichItIsAllowed) {
  const Rule large = size("100/hour", is_bucket() ? 100 : 0);
  const Rule small = size("10/hour", is_bucket() ? 10 : 0);
  ASSERT_TRUE(ask(large, 90, kStart).allowed);
  const Decision rejected = ask(small, 1, kStart + 1s);
  ASSERT_FALSE(rejected.allowed);
  EXPECT_GT(rejected.retry_after, 1min);
  EXPECT_LE(rejected.retry_after, 2h) << "what the larger size used comes back at its rate";
  EXPECT_TRUE(ask(small, 1, kStart + 1s + rejected.retry_after).allowed);
}

// An operator who raises a limit does not lock out callers who used much of it before.
TEST_P(OneCounter, ComesBackAtTheRateOfAFasterSizeFromItsFirstRequestOn) {
  if (!is_bucket()) GTEST_SKIP() << "a window's period is part of its counter's name";
  ASSERT_TRUE(ask(size("1000/day", 1000), 500, kStart).allowed);
  const Rule faster = size("100/minute", 100);
  const Decision rejected = ask(faster, 1, kStart + 1min);
  ASSERT_FALSE(rejected.allowed);
  EXPECT_LE(rejected.retry_after, 5min);
  EXPECT_TRUE(ask(faster, 1, kStart + 1min + rejected.retry_after).allowed);
}

TEST_P(OneCounter, OfAClockAheadComesBackAsFarAsItWasUsed) {
  if (!is_bucket()) GTEST_SKIP() << "windows count for the current one";
  const Rule rule = size("100/hour", 100);
  ASSERT_TRUE(ask(rule, 50, kStart + 24h).allowed);
  // A replica whose clock is a day behind has taken over.
  EXPECT_EQ(ask(rule, 1, kStart).remaining, 49U);
  EXPECT_EQ(ask(rule, 0, kStart + 31min).remaining, 100U);
}

TEST_P(OneCounter, OfAClockAheadIsSetRightByARejection) {
  if (!is_bucket()) GTEST_SKIP() << "windows count for the current one";
  const Rule large = size("100/hour", 100);
  const Rule small = size("10/hour", 10);
  ASSERT_TRUE(ask(large, 90, kStart + 24h).allowed);
  EXPECT_FALSE(ask(small, 1, kStart).allowed);
  EXPECT_EQ(ask(large, 0, kStart).remaining, 10U);
  EXPECT_EQ(ask(large, 0, kStart + 54min).remaining, 100U);
}

TEST_P(OneCounter, NeverAdmitsMoreThanTheLargestSizeAlone) {
  std::mt19937_64 random(20261123);
  const auto between = [&](std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random);
  };
  int admitted = 0;
  int rejected = 0;
  for (int trace = 0; trace < 60; ++trace) {
    const std::string limit = "turns" + std::to_string(trace);
    const std::array periods = {"1s", "1m", "7m", "1h", "1d", "11s"};
    const std::string period = periods[random() % periods.size()];
    const bool large = trace % 3 == 2 && !GetParam()->check(size("10000000000000/s"));  // a log refuses such sizes
    const std::int64_t each = large ? 24'999'999'983 : 1;
    const auto most = static_cast<std::uint64_t>(each * between(8, 400));
    std::vector<Rule> sizes;
    const Rule largest = size(std::to_string(most) + '/' + period, is_bucket() ? most : 0, limit);
    for (int i = 0; i < 3; ++i) {  // tiers and overrides
      const auto count = static_cast<std::uint64_t>(between(1, static_cast<std::int64_t>(most)));
      const auto burst = static_cast<std::uint64_t>(between(1, static_cast<std::int64_t>(most)));
      const bool slower = is_bucket() && random() % 2 == 0;  // with a longer period
      const std::string rate = std::to_string(count) + '/' + (slower ? "366d" : period);
      sizes.push_back(size(rate, is_bucket() ? burst : 0, limit));
    }
    sizes.push_back(limit::scaled(largest, 1, 3));  // an endpoint's share
    sizes.push_back(largest);
    InMemory alone;
    const std::int64_t token =
        std::max<std::int64_t>(largest.rate.period.count() / (static_cast<std::int64_t>(most) / each), 1);
    memory_ = std::make_unique<InMemory>();
    Instant now = kStart;
    for (int step = 0; step < 150; ++step) {
      now += random() % 3 == 0 ? Duration(0) : Duration(between(0, 3 * token));
      if (random() % 40 == 0) now += largest.rate.period / 2;
      const Rule& rule = sizes[random() % sizes.size()];
      const std::int64_t cost =
          random() % 4 == 0 ? between(1, static_cast<std::int64_t>(rule.burst)) : each * between(0, 3);
      const Decision decision = ask(rule, cost, now);
      if (HasFailure()) FAIL() << "trace " << trace << " step " << step << " of " << to_text(rule.rate);
      (decision.allowed ? admitted : rejected) += 1;
      if (!decision.allowed || cost == 0) continue;
      const Check check = make_check(largest, "203.0.113.9", cost);
      Decision shadow;
      ASSERT_TRUE(alone.decide({&check, 1}, now, {&shadow, 1}))
          << "trace " << trace << " step " << step << ": " << to_text(rule.rate) << " burst " << rule.burst
          << " admitted " << cost << ", and " << to_text(largest.rate) << " alone would not have";
    }
  }
  EXPECT_GT(admitted, 2000);
  EXPECT_GT(rejected, 1000);
}

/// Names the counter as a configuration does.
Rule named(std::string_view rate, std::string_view algorithm, std::uint32_t version = 1) {
  Rule rule = make_rule(rate, 0, "read", algorithm);
  rule.version = version;
  limit::name_rule(rule, false, limit::PeriodInKey::no);
  return rule;
}

// Two gateways have two configurations of one limit, as in every rolling deployment.
TEST_P(OneCounter, IsNotOverwrittenByAnotherConfigurationOfItsLimit) {
  const Rule here = named("10/hour", GetParam()->name);
  for (const auto* other : limit::algorithms()) {
    for (const char* rate : {"10/hour", "20/minute"}) {
      for (const std::uint32_t version : {1U, 2U}) {
        const Rule there = named(rate, other->name, version);
        SCOPED_TRACE(std::string(rate) + ' ' + std::string(other->name) + " version " + std::to_string(version));
        SetUp();
        const auto used = static_cast<std::int64_t>(here.burst);
        ASSERT_TRUE(ask(here, used, kStart).allowed);
        for (int turn = 0; turn < 5; ++turn) {
          ask(there, 1, kStart);
          EXPECT_FALSE(ask(here, 1, kStart).allowed);
        }
        EXPECT_FALSE(ask(here, 1, kStart + 90s).allowed && !is_bucket()) << "its window is not over";
      }
    }
  }
}

TEST_P(OneCounter, OfALargerSizeIsNotOverwrittenAtTheLongestDebtOfASmallerOne) {
  if (!is_bucket()) return;  // the other algorithms store no time
  const Rule fast = size("1000/second", 1000);
  const Rule slow = size("1/day", 1);
  ask(fast, 1'000'000'000, kStart,
      How::debt);  // eleven and a half days at one rate, and far more than a hundred years at the other
  ask(slow, 1, kStart, How::debt);
  const auto left = ask(fast, 1, kStart + 1s);
  EXPECT_EQ(left.reset_after, 1'000'000s - 1s);
}

TEST_P(OneCounter, BeginsAnewWithAnotherVersion) {
  const Rule before = named("10/hour", GetParam()->name);
  const Rule after = named("10/hour", GetParam()->name, 2);
  ASSERT_TRUE(ask(before, static_cast<std::int64_t>(before.burst), kStart).allowed);
  EXPECT_FALSE(ask(before, 1, kStart).allowed);
  EXPECT_TRUE(ask(after, 1, kStart).allowed);
}

INSTANTIATE_TEST_SUITE_P(All, OneCounter, testing::ValuesIn(limit::algorithms().begin(), limit::algorithms().end()),
                         [](const auto& instance) { return std::string(instance.param->name); });

}  // namespace
}  // namespace headgate::test
