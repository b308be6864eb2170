#include "support/rules.hpp"
#include "support/traffic.hpp"
#include "unit/limit/counter.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace headgate::limit {
namespace {

using namespace std::chrono_literals;
using test::Counter;
using test::kStart;

Rule sliding_rule(std::string_view rate) { return test::make_rule(rate, 0, "plan", "sliding_window"); }

const char* const kWindowRates[] = {
    "10/second",          "7/minute",          "1/3s", "1000000/second", "3/100ms",      "999983/day",
    "1000000000/31d",     "1000000000/366d",   "5/7h", "2/1us",          "1000000000/s", "10000000000000/minute",
    "9999999999971/366d", "10000000000000/7us"};

TEST(SlidingWindow, AllowsExactlyAtTheEndOfTheReportedWait) {
  std::mt19937_64 random(1);
  int waits = 0;
  for (const char* rate : kWindowRates) {
    Counter counter(sliding_rule(rate));
    const auto count = static_cast<std::int64_t>(counter.rule().rate.count);
    const auto period = counter.rule().rate.period.count();
    Instant now = kStart;
    for (int step = 0; step < 2000; ++step) {
      now += Duration(static_cast<std::int64_t>(random() % (static_cast<std::uint64_t>(period) / 2 + 1)));
      const auto cost = 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(count));
      const Decision decision = counter.take(cost, now);
      if (decision.allowed) continue;
      ++waits;
      ASSERT_GT(decision.retry_after, Duration(0));
      ASSERT_LE(decision.retry_after, Duration(2 * period));
      ASSERT_FALSE(counter.take(cost, now + decision.retry_after - 1us).allowed) << rate << " step " << step;
      now += decision.retry_after;
      ASSERT_TRUE(counter.take(cost, now).allowed) << rate << " step " << step;
    }
  }
  EXPECT_GT(waits, 5000);
}

TEST(SlidingWindow, IsAsIfNeverUsedExactlyAtTheReportedReset) {
  for (const char* rate : kWindowRates) {
    Counter counter(sliding_rule(rate));
    const Decision used = counter.take(1, kStart);
    EXPECT_GT(counter.take(0, kStart + used.reset_after - 1us).reset_after, Duration(0)) << rate;
    EXPECT_EQ(counter.take(0, kStart + used.reset_after).reset_after, Duration(0)) << rate;
    EXPECT_EQ(counter.take(0, kStart + used.reset_after).remaining, counter.rule().rate.count) << rate;
  }
}

TEST(SlidingWindow, ReportsWhatReallyRemains) {
  std::mt19937_64 random(2);
  for (const char* rate : kWindowRates) {
    Counter counter(sliding_rule(rate));
    Instant now = kStart;
    for (int step = 0; step < 300; ++step) {
      now += Duration(static_cast<std::int64_t>(
          random() % (static_cast<std::uint64_t>(counter.rule().rate.period.count()) / 5 + 1)));
      const auto remaining = static_cast<std::int64_t>(counter.take(0, now).remaining);
      ASSERT_FALSE(counter.take(remaining + 1, now).allowed) << rate;
      if (remaining > 0) {
        ASSERT_TRUE(counter.take(1 + static_cast<std::int64_t>(random() % remaining), now).allowed) << rate;
      }
    }
  }
}

TEST(SlidingWindow, IsAtMostFivePercentOffTheExactLogOnUniformTraffic) {
  const auto log = [](std::string_view rate) { return test::make_rule(rate, 0, "plan", "sliding_log"); };
  for (const double load : {0.5, 0.9, 1.0, 1.1, 2.0, 5.0}) {
    const auto traffic = test::uniform_traffic(10 * load, 30min, 7);
    const auto result = test::compare(sliding_rule("600/minute"), log("600/minute"), traffic, kStart);
    EXPECT_GT(result.exact, 5'000U);
    EXPECT_LE(result.admitted_error(), 0.05) << load;
    EXPECT_LE(result.mean_error(), 0.05) << load;
  }
}

TEST(SlidingWindow, PassesNoTwoBurstsAroundABoundary) {
  const Instant boundary{Duration(kStart.time_since_epoch() / 1min * 1min) + 1min};
  Counter fixed(test::make_rule("100/minute", 0, "plan", "fixed_window"));
  Counter sliding(sliding_rule("100/minute"));
  for (Counter* counter : {&fixed, &sliding}) EXPECT_TRUE(counter->take(100, boundary - 1s).allowed);
  EXPECT_EQ(fixed.take(0, boundary + 1s).remaining, 100U);
  EXPECT_EQ(sliding.take(0, boundary + 1s).remaining, 1U);
}

TEST(SlidingWindow, StaysWithinItsNumbersForTheLargestCosts) {
  Counter counter(sliding_rule("10000000000000/366d"));
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(counter.take(kMax, kStart).retry_after, kNever);
  EXPECT_EQ(counter.charge(kMax, kStart).remaining, 0U);
  EXPECT_EQ(counter.charge(kMax, kStart + 366 * 24h).remaining, 0U);
  EXPECT_EQ(counter.take(-kMax, kStart + 366 * 24h).remaining, 10'000'000'000'000U);
}

TEST(SlidingWindow, RefusesAnInvalidReply) {
  const Rule rule = sliding_rule("7/minute");
  const auto decision = [&rule](std::int64_t current, std::int64_t previous, std::int64_t elapsed,
                                std::int64_t owed = 0) {
    const std::array words = {current, previous, elapsed, owed};
    return rule.algorithm->decision(rule, 1, CommitMode::none, words).has_value();
  };
  EXPECT_TRUE(decision(0, 0, 0));
  EXPECT_TRUE(decision(10'000'000'000'000, 10'000'000'000'000, 59'999'999));
  EXPECT_FALSE(decision(-1, 0, 0));
  EXPECT_FALSE(decision(0, -1, 0));
  EXPECT_FALSE(decision(0, 0, -1));
  EXPECT_FALSE(decision(10'000'000'000'001, 0, 0));
  EXPECT_FALSE(decision(0, 10'000'000'000'001, 0));
  EXPECT_FALSE(decision(0, 0, 60'000'000));
  EXPECT_TRUE(decision(0, 0, 0, 10'000'000'000'000));
  EXPECT_FALSE(decision(0, 0, 0, -1));
  EXPECT_FALSE(decision(0, 0, 0, 10'000'000'000'001));
}

TEST(SlidingWindow, DescribesItself) {
  const auto meaning = [](const Rule& rule) { return rule.algorithm->meaning(rule, " requests"); };
  EXPECT_EQ(meaning(sliding_rule("100/minute")), "at most 100 requests in any minute, estimated from two counters");
  EXPECT_EQ(meaning(sliding_rule("100/5m")), "at most 100 requests in any 5m, estimated from two counters");
  EXPECT_EQ(meaning(sliding_rule("100/hour")), "at most 100 requests in any hour, estimated from two counters");
}

TEST(SlidingWindowCheck, RefusesOptionsThatAWindowLacks) {
  const auto fault_of = [](const Rule& rule) {
    const auto fault = rule.algorithm->check(rule);
    return fault ? fault->message + " | " + fault->help : "accepted";
  };
  for (const char* rate : kWindowRates) EXPECT_EQ(fault_of(sliding_rule(rate)), "accepted");
  EXPECT_EQ(fault_of(sliding_rule("100/month")),
            "a sliding_window does not count by calendar months | write \"100/30d\", or use fixed_window");
  Rule rule = sliding_rule("100/minute");
  rule.burst = 101;
  EXPECT_EQ(fault_of(rule),
            "a sliding_window has no burst: 100 may come at once | leave \"burst\" out, or use token_bucket");
}

}  // namespace
}  // namespace headgate::limit
