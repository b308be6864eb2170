#include "counter.hpp"
#include "support/rules.hpp"

#include "headgate/limit/algorithm.hpp"
#include "headgate/limit/calendar.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <random>

namespace headgate::limit {
namespace {

using std::chrono::seconds;
using test::Counter;
using test::kStart;
using test::make_rule;

const char* const kBucketRates[] = {"1/day",
                                    "7/second",
                                    "3/second",
                                    "1000000/second",
                                    "999983/second",
                                    "300/5m",
                                    "5/100ms",
                                    "1000003/day",
                                    "13/30d",
                                    "1000000000/1s",
                                    "1000000000/366d",
                                    "999999937/100ms",
                                    "1/366d",
                                    "10000000000000/1s",
                                    "9999999999971/366d",
                                    "10000000000000/day"};

TEST(TokenBucket, GrantsExactlyTheBurstAndTheRefill) {
  // After a time t, a caller that always tries has got exactly burst + floor(t * rate), whatever the steps.
  std::mt19937_64 random(1);
  for (const char* rate : kBucketRates) {
    Counter bucket(make_rule(rate, 50));
    const Rate& r = bucket.rule().rate;
    Instant now = kStart;
    std::uint64_t granted = bucket.take(50, now).allowed ? 50 : 0;
    for (int step = 0; step < 2000; ++step) {
      const auto token = static_cast<std::uint64_t>(r.period.count()) / r.count;
      now += Duration(random() % (2 * token + 2));
      // Never more than it holds, even after a long step.
      while (bucket.take(1, now).allowed) ++granted;
      const auto elapsed = static_cast<std::uint64_t>((now - kStart).count());
      const long double gained = static_cast<long double>(elapsed) * r.count / r.period.count();
      if (token > 0) {
        ASSERT_EQ(granted, 50 + static_cast<std::uint64_t>(gained)) << rate << " step " << step;
      } else {
        ASSERT_LE(granted, 50 + static_cast<std::uint64_t>(gained)) << rate << " step " << step;
      }
    }
  }
}

TEST(TokenBucket, AllowsExactlyAtTheEndOfTheReportedWait) {
  std::mt19937_64 random(2);
  int waits = 0;
  for (const char* rate : kBucketRates)
    for (const std::uint64_t burst : {1, 2, 9, 50}) {
      Counter bucket(make_rule(rate, burst));
      if (bucket.rule().algorithm->check(bucket.rule())) continue;
      Instant now = kStart;
      for (int step = 0; step < 300; ++step) {
        const auto cost = static_cast<std::int64_t>(1 + random() % burst);
        const Decision decision = bucket.take(cost, now);
        if (decision.allowed) continue;
        ++waits;
        ASSERT_GT(decision.retry_after, Duration(0));
        ASSERT_FALSE(bucket.take(cost, now + decision.retry_after - Duration(1)).allowed) << rate << ' ' << burst;
        now += decision.retry_after;
        ASSERT_TRUE(bucket.take(cost, now).allowed) << rate << ' ' << burst;
      }
    }
  EXPECT_GT(waits, 5000);
}

TEST(TokenBucket, IsAsIfNeverUsedExactlyAtTheReportedReset) {
  for (const char* rate : kBucketRates) {
    Counter bucket(make_rule(rate, 10));
    if (bucket.rule().algorithm->check(bucket.rule())) continue;
    const Decision used = bucket.take(7, kStart);
    EXPECT_EQ(bucket.take(0, kStart + used.reset_after).reset_after, Duration(0)) << rate;
    EXPECT_EQ(bucket.take(0, kStart + used.reset_after).remaining, 10U) << rate;
    EXPECT_GT(bucket.take(0, kStart + used.reset_after - Duration(1)).reset_after, Duration(0)) << rate;
  }
}

TEST(TokenBucket, ReportsWhatReallyRemains) {
  std::mt19937_64 random(3);
  for (const char* rate : kBucketRates) {
    Counter bucket(make_rule(rate, 20));
    Instant now = kStart;
    for (int step = 0; step < 200; ++step) {
      now += Duration(random() % (bucket.rule().rate.period.count() / 7 + 1));
      const auto remaining = static_cast<std::int64_t>(bucket.take(0, now).remaining);
      ASSERT_FALSE(bucket.take(remaining + 1, now).allowed) << rate;
      if (remaining == 0) continue;
      ASSERT_TRUE(bucket.take(1 + static_cast<std::int64_t>(random() % remaining), now).allowed) << rate;
    }
  }
}

TEST(TokenBucket, StaysWithinItsNumbersForTheLargestCosts) {
  Counter bucket(make_rule("1/day", 30'000));
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(bucket.take(kMax, kStart).retry_after, kNever);
  EXPECT_TRUE(bucket.take(30'000, kStart).allowed);
  EXPECT_EQ(bucket.take(-kMax, kStart).remaining, 30'000U);
}

TEST(TokenBucket, ChargesWhatIsLeftAndNeverGoesIntoDebt) {
  std::mt19937_64 random(4);
  for (const char* rate : kBucketRates) {
    Counter bucket(make_rule(rate, 20));
    Instant now = kStart;
    for (int step = 0; step < 200; ++step) {
      now += Duration(random() % (bucket.rule().rate.period.count() / 7 + 1));
      const auto before = static_cast<std::int64_t>(bucket.take(0, now).remaining);
      const auto cost = static_cast<std::int64_t>(1 + random() % 40);
      const Decision charged = bucket.charge(cost, now);
      ASSERT_EQ(static_cast<std::int64_t>(charged.remaining), std::max<std::int64_t>(before - cost, 0)) << rate;
      if (cost <= before) continue;
      const Duration empty(bucket.take(0, now).reset_after);
      ASSERT_EQ(charged.reset_after, empty) << rate;
      ASSERT_LE(bucket.take(20, now).retry_after, empty) << rate << ": more was taken than there was";
    }
  }
}

Rule waiting_rule(std::string_view rate, std::uint64_t burst, Duration wait) {
  return make_rule(rate, burst, "plan", "token_bucket", wait);
}

TEST(TokenBucketWithAWait, DelaysUntilThePermitsAreThere) {
  // A request that waits as told leaves no earlier than a bucket without a wait would allow it.
  std::mt19937_64 random(5);
  for (const char* rate : kBucketRates)
    for (const Duration wait : {Duration(1), Duration(400'000), Duration(seconds(60))}) {
      Counter held(waiting_rule(rate, 5, wait));
      const auto token = held.rule().rate.period.count() / static_cast<std::int64_t>(held.rule().rate.count);
      // A delay is rounded up to a microsecond; so small a bucket overflows in that time.
      if (token == 0 || held.rule().algorithm->check(held.rule())) continue;
      Counter plain(make_rule(rate, 5));
      Instant now = kStart;
      for (int step = 0; step < 500; ++step) {
        now += Duration(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(token + 2)));
        const auto cost = static_cast<std::int64_t>(1 + random() % 3);
        const Decision decision = held.take(cost, now);
        if (!decision.allowed) continue;
        ASSERT_GE(decision.delay, Duration(0));
        ASSERT_LE(decision.delay, wait);
        if (decision.delay > Duration(0)) {
          ASSERT_EQ(decision.remaining, 0U);
          ASSERT_FALSE(plain.take(cost, now + decision.delay - Duration(1)).allowed) << rate << ": held back too long";
        }
        ASSERT_TRUE(plain.take(cost, now + decision.delay).allowed) << rate << " step " << step;
        now += decision.delay / 2;
      }
    }
}

TEST(TokenBucketWithAWait, AllowsExactlyAtTheEndOfTheReportedWait) {
  std::mt19937_64 random(6);
  int rejections = 0;
  for (const char* rate : kBucketRates)
    for (const std::uint64_t burst : {1, 3, 20}) {
      Counter bucket(waiting_rule(rate, burst, Duration(700'000)));
      if (bucket.rule().algorithm->check(bucket.rule())) continue;
      Instant now = kStart;
      for (int step = 0; step < 300; ++step) {
        const auto cost = static_cast<std::int64_t>(1 + random() % burst);
        const Decision decision = bucket.take(cost, now);
        if (decision.allowed) continue;
        ++rejections;
        ASSERT_GT(decision.retry_after, Duration(0));
        ASSERT_FALSE(bucket.take(cost, now + decision.retry_after - Duration(1)).allowed) << rate << ' ' << burst;
        now += decision.retry_after;
        ASSERT_TRUE(bucket.take(cost, now).allowed) << rate << ' ' << burst;
      }
    }
  EXPECT_GT(rejections, 500);
}

TEST(TokenBucketWithAWait, ChargesNoMoreThanTheCost) {
  Counter bucket(waiting_rule("1/second", 2, seconds(60)));
  EXPECT_EQ(bucket.charge(10, kStart).reset_after, seconds(10));
  EXPECT_EQ(bucket.charge(1'000'000, kStart).reset_after, seconds(62));
  EXPECT_EQ(bucket.take(-10, kStart).reset_after, seconds(52));
}

TEST(TokenBucket, RefusesAnInvalidReply) {
  const Rule rule = make_rule("7/second", 14);
  const auto decision = [&rule](std::int64_t whole, std::int64_t part, std::int64_t until = 0) {
    const std::array words = {whole, part, until};
    return rule.algorithm->decision(rule, 1, CommitMode::none, words).has_value();
  };
  EXPECT_TRUE(decision(0, 0));
  EXPECT_TRUE(decision(2'000'000, 0));
  EXPECT_TRUE(decision(1'999'999, 6));
  EXPECT_FALSE(decision(2'000'000, 1));
  EXPECT_TRUE(decision(-1, 0)) << "in debt";
  EXPECT_FALSE(decision(-3'155'760'060'000'000, 0)) << "a hundred years of it";
  EXPECT_FALSE(decision(0, -1));
  EXPECT_FALSE(decision(0, 7));
  EXPECT_FALSE(decision(0, 0, -1)) << "a wait that is over";
  EXPECT_FALSE(decision(std::numeric_limits<std::int64_t>::max(), 0));
}

TEST(TokenBucketCheck, AcceptsWhatAUserMayReasonablyWrite) {
  for (const char* rate : {"1/day", "1000000/second", "1/100ms", "10000000000000/s", "5/366d", "1/30d"}) {
    const Rule rule = make_rule(rate);
    EXPECT_FALSE(rule.algorithm->check(rule)) << rate;
  }
  const Rule rule = make_rule("10/minute", 1'000'000);
  EXPECT_FALSE(rule.algorithm->check(rule));
}

TEST(TokenBucketCheck, RefusesABurstOfNothing) {
  Rule rule = make_rule("5/minute");
  rule.burst = 0;
  const auto fault = rule.algorithm->check(rule);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->message, "a burst of 0 never allows a request");
  EXPECT_EQ(fault->help, "write a burst of at least 1");
}

TEST(TokenBucketCheck, RefusesABucketThatNeverFillsAndNamesTheLargestAllowed) {
  Rule rule = make_rule("1/day", 1'000'000);
  const auto fault = rule.algorithm->check(rule);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->message, "a bucket of 1000000 takes over a hundred years to fill at 1/day");
  EXPECT_EQ(fault->help, "lower the burst to at most 36525, or raise the rate");
  rule.burst = 36'525;
  EXPECT_FALSE(rule.algorithm->check(rule));
  rule.burst = 36'526;
  EXPECT_TRUE(rule.algorithm->check(rule));
}

TEST(TokenBucketCheck, RefusesABurstThatNoHeaderCanTell) {
  Rule rule = make_rule("1000000000/100ms", 1'000'000'000'000'000);
  const auto fault = rule.algorithm->check(rule);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->message, "a burst of 1000000000000000 is too large for a RateLimit field");
  EXPECT_EQ(fault->help, "write at most 999999999999999");
}

TEST(TokenBucketCheck, RefusesARateThatNoLiteralCanWrite) {
  for (const Rate rate : {Rate{0, Duration(1)}, Rate{1, Duration(0)}, Rate{10'000'000'000'001, Duration(1)},
                          Rate{1, std::chrono::hours(24 * 367)}}) {
    Rule rule = make_rule("1/day");
    rule.rate = rate;
    EXPECT_TRUE(rule.algorithm->check(rule));
  }
}

TEST(TokenBucketCheck, RefusesWhatIsNotEvenAndSaysWhatIs) {
  Rule rule = make_rule("1000/day");
  rule.rate = {.count = 1000, .period = std::chrono::hours(24 * 31), .month = true};
  auto fault = rule.algorithm->check(rule);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->message, "a bucket refills evenly, and calendar months have different lengths");
  EXPECT_EQ(fault->help, R"(write "1000/30d", or "algorithm": "fixed_window")");
  rule = make_rule("1000/day");
  rule.calendar = std::make_shared<Calendar>(Calendar::Unit::day, "UTC", std::vector{ZoneOffset{}});
  fault = rule.algorithm->check(rule);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->message, "a bucket refills evenly and never starts anew, so it has no calendar");
  EXPECT_EQ(fault->help, R"(leave the calendar out, or write "algorithm": "fixed_window")");
}

TEST(TokenBucketCheck, RefusesAVeryLongWait) {
  Rule rule = waiting_rule("5/minute", 5, seconds(60));
  EXPECT_FALSE(rule.algorithm->check(rule));
  rule.wait += Duration(1'000'000);
  const auto fault = rule.algorithm->check(rule);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->message, "a wait of 61s is longer than clients wait for an answer");
  EXPECT_EQ(fault->help, R"(write at most "1m")");
  rule.wait = Duration(-1);
  EXPECT_TRUE(rule.algorithm->check(rule));
}

TEST(TokenBucketMeaning, DescribesTheAverageTheBurstAndTheWait) {
  const auto meaning = [](const Rule& rule, std::string_view noun) { return rule.algorithm->meaning(rule, noun); };
  EXPECT_EQ(meaning(make_rule("100/minute"), " requests"), "100 requests a minute on average, 100 at once");
  EXPECT_EQ(meaning(make_rule("300/5m", 20), ""), "300 every 5m on average, 20 at once");
  EXPECT_EQ(meaning(waiting_rule("5/second", 1, seconds(2)), " requests"),
            "5 requests a second on average, 1 at once, held back up to 2s for a permit");
}

TEST(Algorithms, AreFoundByTheNameUsersWrite) {
  ASSERT_NE(find_algorithm("token_bucket"), nullptr);
  EXPECT_EQ(find_algorithm("token_bucket")->name, "token_bucket");
  EXPECT_TRUE(find_algorithm("token_bucket")->leasable);
  EXPECT_EQ(find_algorithm("Token_Bucket"), nullptr);
  EXPECT_EQ(find_algorithm(""), nullptr);
}

}  // namespace
}  // namespace headgate::limit
