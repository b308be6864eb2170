#include "counter.hpp"
#include "support/rules.hpp"

#include "headgate/limit/algorithm.hpp"
#include "headgate/limit/calendar.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <random>
#include <vector>

namespace headgate::limit {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::Counter;
using test::kStart;

Rule leaky(std::string_view rate, std::uint64_t burst = 0, Duration wait = Duration(0)) {
  return test::make_rule(rate, burst, "plan", "leaky_bucket", wait);
}

/// Of a request of cost 1, rounded down.
Duration spacing_of(const Rule& rule) { return rule.rate.period / static_cast<std::int64_t>(rule.rate.count); }

const char* const kLeakyRates[] = {
    "1/day", "7/second",    "3/second", "1000000/second", "999983/second", "300/5m",           "5/100ms",
    "100/s", "1000003/day", "13/30d",   "1000000000/s",   "1000/31d",      "10000000000000/s", "9999999999971/366d"};

TEST(LeakyBucket, RejectsRequestsThatComeTooEarly) {
  std::mt19937_64 random(1);
  for (const char* rate : kLeakyRates) {
    Counter bucket(leaky(rate));
    ASSERT_EQ(bucket.rule().burst, 1U);
    const Duration spacing = spacing_of(bucket.rule());
    Instant now = kStart;
    Instant last = kStart - std::chrono::hours(24 * 366);
    for (int step = 0; step < 1000; ++step) {
      now += Duration(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(spacing.count() + 2)));
      const Decision decision = bucket.take(1, now);
      ASSERT_EQ(decision.delay, Duration(0));
      if (now - last < spacing) {
        ASSERT_FALSE(decision.allowed) << rate << " step " << step;
      } else if (now - last > spacing) {
        ASSERT_TRUE(decision.allowed) << rate << " step " << step;
      }
      if (decision.allowed) last = now;
    }
  }
}

TEST(LeakyBucket, NeverAdmitsMoreThanTheBurstAndWhatLeaksInAnyInterval) {
  std::mt19937_64 random(2);
  for (const char* rate : {"7/second", "3/second", "300/5m", "5/100ms", "1000003/day", "13/30d"})
    for (const std::uint64_t burst : {1, 4, 25}) {
      Counter bucket(leaky(rate, burst));
      const Duration spacing = spacing_of(bucket.rule());
      std::vector<Instant> admitted;
      Instant now = kStart;
      for (int step = 0; step < 600; ++step) {
        // Floods and pauses.
        now +=
            step % 50 == 0
                ? spacing * 10
                : Duration(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(spacing.count() + 2))) / 3;
        if (bucket.take(1, now).allowed) admitted.push_back(now);
      }
      const Rate& r = bucket.rule().rate;
      for (std::size_t from = 0; from < admitted.size(); ++from)
        for (std::size_t to = from; to < admitted.size(); ++to) {
          const auto leaked = static_cast<std::uint64_t>((admitted[to] - admitted[from]).count()) * r.count /
                              static_cast<std::uint64_t>(r.period.count());
          ASSERT_LE(to - from + 1, burst + leaked) << rate << " burst " << burst;
        }
      ASSERT_GT(admitted.size(), 50U);
    }
}

TEST(LeakyBucket, AllowsExactlyAtTheEndOfTheReportedWait) {
  std::mt19937_64 random(3);
  int rejections = 0;
  for (const char* rate : kLeakyRates)
    for (const std::uint64_t burst : {1, 2, 9, 50})
      for (const Duration wait : {Duration(0), Duration(1), Duration(milliseconds(700)), Duration(seconds(60))}) {
        Counter bucket(leaky(rate, burst, wait));
        ASSERT_FALSE(bucket.rule().algorithm->check(bucket.rule()));
        Instant now = kStart;
        for (int step = 0; step < 200; ++step) {
          const auto cost = static_cast<std::int64_t>(1 + random() % burst);
          const Decision decision = bucket.take(cost, now);
          if (decision.allowed) continue;
          ++rejections;
          ASSERT_GT(decision.retry_after, Duration(0));
          ASSERT_FALSE(bucket.take(cost, now + decision.retry_after - Duration(1)).allowed) << rate << ' ' << burst;
          now += decision.retry_after;
          ASSERT_TRUE(bucket.take(cost, now).allowed) << rate << ' ' << burst << ' ' << wait.count();
        }
      }
  EXPECT_GT(rejections, 10'000);
}

TEST(LeakyBucket, ReportsWhatReallyRemains) {
  std::mt19937_64 random(4);
  for (const char* rate : kLeakyRates)
    for (const Duration wait : {Duration(0), Duration(milliseconds(700)), Duration(seconds(60))}) {
      Counter bucket(leaky(rate, 20, wait));
      Instant now = kStart;
      for (int step = 0; step < 100; ++step) {
        now += Duration(static_cast<std::int64_t>(
            random() % static_cast<std::uint64_t>(bucket.rule().rate.period.count() / 7 + 1)));
        const Decision look = bucket.take(0, now);
        ASSERT_LE(look.remaining, look.limit);
        std::uint64_t taken = 0;
        while (taken < look.remaining && random() % 8 != 0) {
          ++taken;
          ASSERT_TRUE(bucket.take(1, now).allowed) << rate << " wait " << wait.count();
        }
        if (taken == look.remaining) {
          ASSERT_FALSE(bucket.take(1, now).allowed) << rate << " wait " << wait.count();
        }
      }
    }
}

TEST(LeakyBucket, IsAsIfNeverUsedExactlyAtTheReportedReset) {
  for (const char* rate : kLeakyRates)
    for (const Duration wait : {Duration(0), Duration(seconds(60))}) {
      Counter bucket(leaky(rate, 10, wait));
      const Decision used = bucket.take(7, kStart);
      EXPECT_EQ(bucket.take(0, kStart + used.reset_after).reset_after, Duration(0)) << rate;
      EXPECT_EQ(bucket.take(0, kStart + used.reset_after).remaining, used.limit) << rate;
      EXPECT_GT(bucket.take(0, kStart + used.reset_after - Duration(1)).reset_after, Duration(0)) << rate;
    }
}

/// The moments at which allowed requests leave, if they come in bursts with pauses.
std::vector<Instant> departures(Counter& queue, int arrivals) {
  std::mt19937_64 random(5);
  std::vector<Instant> left;
  const auto spacing = static_cast<std::uint64_t>(spacing_of(queue.rule()).count());
  Instant now = kStart;
  for (int at_once = 0; arrivals > 0; --arrivals) {
    if (at_once-- == 0) {
      at_once = static_cast<int>(random() % 20);
      now += Duration(static_cast<std::int64_t>(random() % (15 * spacing + 2)));
    }
    const Decision decision = queue.take(1, now);
    if (!decision.allowed) continue;
    EXPECT_LE(decision.delay, queue.rule().wait);
    left.push_back(now + decision.delay);
  }
  return left;
}

TEST(LeakyBucketAsAQueue, LetsRequestsLeaveEvenlySpacedAndNoneTooLate) {
  for (const char* rate : {"1/second", "7/second", "3/second", "999/second", "300/5m", "5/100ms", "100000/second"}) {
    Counter queue(leaky(rate, 0, seconds(2)));
    const Duration spacing = spacing_of(queue.rule());
    const auto left = departures(queue, 1000);
    ASSERT_GT(left.size(), 100U) << rate;
    int back_to_back = 0;
    for (std::size_t i = 1; i < left.size(); ++i) {
      ASSERT_GE(left[i] - left[i - 1], spacing) << rate << ' ' << i;
      back_to_back += left[i] - left[i - 1] <= spacing + Duration(1) ? 1 : 0;
    }
    EXPECT_GT(back_to_back, 50) << rate << ": it must not hold back more than it has to";
  }
}

TEST(LeakyBucketAsAQueue, DoesNotDriftIfARequestTakesNoWholeNumberOfMicroseconds) {
  Counter queue(leaky("7/second", 8, seconds(60)));
  for (int i = 0; i < 8; ++i) {
    const Decision decision = queue.take(1, kStart);
    ASSERT_TRUE(decision.allowed);
    EXPECT_EQ(decision.delay, Duration((i * 1'000'000 + 6) / 7));
  }
  EXPECT_EQ(queue.take(1, kStart + seconds(1)).delay, Duration(142'858));
}

TEST(LeakyBucketAsAQueue, HoldsAsManyAsLeakWithinTheWaitAndOneMore) {
  EXPECT_EQ(leaky("10/second", 0, milliseconds(300)).burst, 4U);
  EXPECT_EQ(leaky("10/second", 0, milliseconds(399)).burst, 4U);
  EXPECT_EQ(leaky("1/day", 0, seconds(60)).burst, 1U);
  EXPECT_EQ(leaky("1000000/second", 0, seconds(60)).burst, 60'000'001U);
}

TEST(LeakyBucketAsAQueue, GivesALargeCostItsShareOfTime) {
  Counter queue(leaky("10/second", 0, seconds(2)));
  EXPECT_EQ(queue.take(5, kStart).delay, Duration(0));
  EXPECT_EQ(queue.take(1, kStart).delay, milliseconds(500));
  EXPECT_EQ(queue.take(3, kStart).delay, milliseconds(600));
  EXPECT_EQ(queue.take(1, kStart).delay, milliseconds(900));
  EXPECT_EQ(queue.take(0, kStart).delay, Duration(0));
  EXPECT_EQ(queue.take(-10, kStart).reset_after, Duration(0));
}

TEST(LeakyBucket, ChargesWhatFitsAndNoMore) {
  for (const Duration wait : {Duration(0), Duration(seconds(60))}) {
    Counter bucket(leaky("1/second", 3, wait));
    EXPECT_EQ(bucket.charge(2, kStart).reset_after, seconds(2));
    EXPECT_EQ(bucket.charge(2, kStart).reset_after, seconds(3));
    EXPECT_EQ(bucket.charge(1'000'000, kStart).reset_after, seconds(3));
    EXPECT_EQ(bucket.take(1, kStart).retry_after, seconds(1));
    EXPECT_TRUE(bucket.take(1, kStart + seconds(1)).allowed);
  }
}

TEST(LeakyBucket, RefusesAnInvalidReply) {
  for (const Duration wait : {Duration(0), Duration(seconds(60))}) {
    const Rule rule = leaky("7/second", 14, wait);
    const auto decision = [&rule](std::int64_t whole, std::int64_t part, std::int64_t until = 0) {
      const std::array words = {whole, part, until};
      return rule.algorithm->decision(rule, 1, CommitMode::none, words).has_value();
    };
    EXPECT_TRUE(decision(0, 0));
    EXPECT_TRUE(decision(2'000'000, 0));
    EXPECT_FALSE(decision(2'000'000, 1));
    EXPECT_TRUE(decision(-1, 0)) << "in debt";
    EXPECT_FALSE(decision(-3'155'760'060'000'000, 0)) << "a hundred years of it";
    EXPECT_FALSE(decision(0, 7));
    EXPECT_FALSE(decision(0, 0, -1)) << "a wait that is over";
    EXPECT_FALSE(decision(std::numeric_limits<std::int64_t>::max(), 0));
  }
}

TEST(LeakyBucketCheck, AcceptsEveryRateAUserMayReasonablyWrite) {
  for (const char* rate :
       {"1/day", "1000000/second", "1/100ms", "1000000000/s", "10000000000000/366d", "5/366d", "1/30d", "1/31d"})
    for (const Duration wait : {Duration(0), Duration(1), Duration(seconds(60))}) {
      const Rule rule = leaky(rate, 0, wait);
      EXPECT_FALSE(rule.algorithm->check(rule)) << rate << ' ' << wait.count();
    }
}

TEST(LeakyBucketCheck, RefusesWhatIsNotEvenAndVeryLongWaits) {
  Rule rule = leaky("5/minute");
  rule.wait = seconds(61);
  EXPECT_TRUE(rule.algorithm->check(rule));
  rule = leaky("10000000000000/1us", 0, seconds(60));
  EXPECT_TRUE(rule.algorithm->check(rule)) << "a queue with more requests than a field can tell";
  rule = leaky("5/minute");
  rule.calendar = std::make_shared<Calendar>(Calendar::Unit::day, "UTC", std::vector{ZoneOffset{}});
  EXPECT_TRUE(rule.algorithm->check(rule));
  rule = leaky("5/minute");
  rule.rate.month = true;
  const auto fault = rule.algorithm->check(rule);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->help, R"(write "5/30d", or "algorithm": "fixed_window")");
}

TEST(LeakyBucketMeaning, DescribesSpacingAndQueue) {
  const auto meaning = [](const Rule& rule) { return rule.algorithm->meaning(rule, " requests"); };
  EXPECT_EQ(meaning(leaky("5/second")), "5 requests a second, evenly spaced");
  EXPECT_EQ(meaning(leaky("5/second", 3)), "5 requests a second, evenly spaced once 3 have come at once");
  EXPECT_EQ(meaning(leaky("10/second", 20, seconds(2))),
            "10 requests a second, evenly spaced, up to 20 queued for at most 2s");
  EXPECT_FALSE(find_algorithm("leaky_bucket")->leasable);
}

}  // namespace
}  // namespace headgate::limit
