#include "support/rules.hpp"
#include "support/traffic.hpp"
#include "unit/limit/counter.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

namespace headgate::limit {
namespace {

using namespace std::chrono_literals;
using test::Counter;
using test::kStart;

Rule log_rule(std::string_view rate) { return test::make_rule(rate, 0, "plan", "sliding_log"); }

TEST(SlidingLog, AdmitsExactlyItsCountInAnyPeriod) {
  std::mt19937_64 random(1);
  for (const char* rate : {"1/second", "5/second", "60/minute", "7/100ms", "300/5m"}) {
    Counter counter(log_rule(rate));
    const Duration period = counter.rule().rate.period;
    const auto count = counter.rule().rate.count;
    std::vector<Instant> admitted;
    Instant now = kStart;
    int rejected = 0;
    for (int step = 0; step < 1500; ++step) {
      const auto gap = static_cast<std::uint64_t>(period.count()) / count;
      now += Duration(static_cast<std::int64_t>(random() % 3 == 0 ? 0 : random() % (gap + 1)));
      std::size_t within = 0;  // counted again each time from all requests
      for (const Instant at : admitted) within += at > now - period ? 1 : 0;
      const auto cost = static_cast<std::int64_t>(1 + random() % 2);
      const bool allowed = counter.take(cost, now).allowed;
      ASSERT_EQ(allowed, within + static_cast<std::size_t>(cost) <= count) << rate << " step " << step;
      if (allowed) admitted.insert(admitted.end(), static_cast<std::size_t>(cost), now);
      rejected += allowed ? 0 : 1;
    }
    EXPECT_GT(rejected, 50) << rate;
    for (std::size_t i = 0; i + count < admitted.size(); ++i)
      ASSERT_GE(admitted[i + count] - admitted[i], period) << rate;
  }
}

TEST(SlidingLog, AllowsExactlyAtTheEndOfTheReportedWait) {
  std::mt19937_64 random(2);
  int waits = 0;
  for (const char* rate : {"1/second", "5/second", "60/minute", "1000/100ms"}) {
    Counter counter(log_rule(rate));
    const auto count = counter.rule().rate.count;
    Instant now = kStart;
    for (int step = 0; step < 1000; ++step) {
      now += Duration(static_cast<std::int64_t>(random() % (counter.rule().rate.period.count() / 4)));
      const auto cost = static_cast<std::int64_t>(1 + random() % count);
      const Decision decision = counter.take(cost, now);
      if (decision.allowed) continue;
      ++waits;
      ASSERT_FALSE(counter.take(cost, now + decision.retry_after - 1us).allowed) << rate;
      now += decision.retry_after;
      ASSERT_TRUE(counter.take(cost, now).allowed) << rate;
    }
  }
  EXPECT_GT(waits, 500);
}

TEST(SlidingLog, IsAsIfNeverUsedExactlyAtTheReportedReset) {
  Counter counter(log_rule("5/second"));
  counter.take(2, kStart);
  const Instant later = kStart + 300ms;
  counter.take(2, later);
  const Decision left = counter.take(-2, later);
  EXPECT_EQ(left.reset_after, 700ms);
  EXPECT_GT(counter.take(0, later + left.reset_after - 1us).reset_after, Duration(0));
  EXPECT_EQ(counter.take(0, later + left.reset_after).reset_after, Duration(0));
  EXPECT_EQ(counter.take(0, later + left.reset_after).remaining, 5U);
}

TEST(SlidingLog, KeepsNoMoreThanASixteenthBeyondItsCount) {
  for (const char* rate : {"1/second", "10/second", "1000/second", "10000/second"}) {
    const Rule rule = log_rule(rate);
    State state;
    std::mt19937_64 random(3);
    Instant now = kStart;
    const std::size_t most = rule.rate.count + rule.rate.count / 16 + 1;
    for (int step = 0; step < 25'000; ++step) {
      now += Duration(static_cast<std::int64_t>(random() % (2 * 1'000'000 / rule.rate.count)));
      test::admit(state, rule, now);
      if (random() % 8 == 0) {  // many are taken and given back
        const Outcome outcome = rule.algorithm->peek(state, rule, -1, now);
        rule.algorithm->commit(state, rule, -1, CommitMode::take, now, outcome);
      }
      if (state.log != nullptr) {
        ASSERT_LE(state.log->capacity(), std::max<std::size_t>(most, 4)) << rate;
      }
    }
  }
}

TEST(SlidingLog, FreesItsMemoryAfterAllIsGivenBack) {
  const Rule rule = log_rule("100/second");
  State state;
  test::admit(state, rule, kStart);
  ASSERT_NE(state.log, nullptr);
  rule.algorithm->commit(state, rule, -1, CommitMode::take, kStart, rule.algorithm->peek(state, rule, -1, kStart));
  EXPECT_EQ(state.log, nullptr);
}

TEST(SlidingLog, StaysWithinItsNumbersForTheLargestCosts) {
  Counter counter(log_rule("10000/366d"));
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(counter.take(kMax, kStart).retry_after, kNever);
  EXPECT_EQ(counter.charge(kMax, kStart).remaining, 0U);
  EXPECT_EQ(counter.charge(kMax, kStart + 1s).remaining, 0U);
  EXPECT_EQ(counter.take(-kMax, kStart + 1s).remaining, 10'000U);
}

TEST(SlidingLog, RefusesAnInvalidReply) {
  const Rule rule = log_rule("7/minute");
  const auto decision = [&rule](std::int64_t used, std::int64_t wait, std::int64_t reset) {
    const std::array words = {used, wait, reset};
    return rule.algorithm->decision(rule, 1, CommitMode::none, words).has_value();
  };
  EXPECT_TRUE(decision(0, 0, 0));
  EXPECT_TRUE(decision(10'000, 60'000'000, 60'000'000));
  EXPECT_FALSE(decision(-1, 0, 0));
  EXPECT_TRUE(decision(10'001, 0, 1)) << "in debt";
  EXPECT_FALSE(decision(20'000'000'000'000, 0, 1));
  EXPECT_FALSE(decision(1, 0, 0));
  EXPECT_FALSE(decision(0, 0, 1));
  EXPECT_FALSE(decision(1, -1, 1));
  EXPECT_FALSE(decision(1, 60'000'001, 1));
  EXPECT_FALSE(decision(1, 0, 60'000'001));
}

TEST(SlidingLog, DescribesItself) {
  const Rule rule = log_rule("60/minute");
  EXPECT_EQ(rule.algorithm->meaning(rule, " requests"), "at most 60 requests in any minute, exactly");
}

TEST(SlidingLogCheck, RefusesATooLongLogAndSaysItsSize) {
  const auto fault_of = [](const Rule& rule) {
    const auto fault = rule.algorithm->check(rule);
    return fault ? fault->message + " | " + fault->help : "accepted";
  };
  EXPECT_EQ(fault_of(log_rule("10000/minute")), "accepted");
  EXPECT_EQ(fault_of(log_rule("50000/hour")),
            "a sliding_log remembers each request: 50000/hour would take 400kB a key | write at most 10000 requests a "
            "period, or use sliding_window, which takes the same few bytes for any count");
  Rule rule = log_rule("5/minute");
  rule.wait = 1s;
  EXPECT_EQ(fault_of(rule),
            "a sliding_log cannot make a request wait | leave \"wait\" out, or use token_bucket or leaky_bucket");
}

}  // namespace
}  // namespace headgate::limit
