#include "support/rules.hpp"
#include "unit/limit/counter.hpp"

#include "headgate/limit/calendar.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace headgate::limit {
namespace {

using namespace std::chrono_literals;
using test::Counter;
using test::kStart;

Rule fixed_rule(std::string_view rate) { return test::make_rule(rate, 0, "plan", "fixed_window"); }

Rule calendar_window(std::string_view rate, Calendar::Unit unit) {
  Rule rule = fixed_rule(rate);
  rule.calendar =
      std::make_shared<const Calendar>(unit, "Europe/Vienna", std::vector<ZoneOffset>{{Instant{}, Duration(1h)}});
  return rule;
}

TEST(FixedWindow, AdmitsItsCountInEachWindowAndNoMore) {
  std::mt19937_64 random(1);
  for (const char* rate : {"5/minute", "7/second", "3/100ms", "100/day", "1/13s"}) {
    Counter counter(fixed_rule(rate));
    const Duration period = counter.rule().rate.period;
    Instant now = kStart;
    std::uint64_t admitted = 0;
    std::int64_t current = now.time_since_epoch() / period;
    for (int step = 0; step < 5000; ++step) {
      now += Duration(static_cast<std::int64_t>(random() % (period.count() / 3 + 1)));
      if (now.time_since_epoch() / period != current) {
        current = now.time_since_epoch() / period;
        admitted = 0;
      }
      while (random() % 4 != 0) {
        const bool allowed = counter.take(1, now).allowed;
        ASSERT_EQ(allowed, admitted < counter.rule().rate.count) << rate;
        admitted += allowed ? 1 : 0;
      }
    }
  }
}

TEST(FixedWindow, AllowsExactlyAtTheEndOfTheReportedWait) {
  for (const Rule& rule : {fixed_rule("5/minute"), fixed_rule("5/day"), calendar_window("5/day", Calendar::Unit::day),
                           calendar_window("5/month", Calendar::Unit::month)}) {
    Counter counter(rule);
    ASSERT_FALSE(rule.algorithm->check(rule));
    ASSERT_TRUE(counter.take(3, kStart).allowed);
    const Decision rejected = counter.take(3, kStart);
    ASSERT_FALSE(rejected.allowed);
    EXPECT_EQ(rejected.reset_after, rejected.retry_after);
    EXPECT_FALSE(counter.take(3, kStart + rejected.retry_after - 1us).allowed);
    EXPECT_TRUE(counter.take(3, kStart + rejected.retry_after).allowed);
  }
}

TEST(FixedWindow, StaysWithinItsNumbersForTheLargestCosts) {
  Counter counter(fixed_rule("10000000000000/day"));
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(counter.take(kMax, kStart).retry_after, kNever);
  EXPECT_EQ(counter.charge(kMax, kStart).remaining, 0U);
  EXPECT_EQ(counter.take(-kMax, kStart).remaining, 10'000'000'000'000U);
  EXPECT_EQ(counter.take(std::numeric_limits<std::int64_t>::min(), kStart).remaining, 10'000'000'000'000U);
}

TEST(FixedWindow, RefusesAnInvalidReply) {
  const Rule rule = fixed_rule("7/minute");
  const auto decision = [&rule](std::int64_t used, std::int64_t left, std::int64_t owed = 0) {
    const std::array words = {used, left, owed};
    return rule.algorithm->decision(rule, 1, CommitMode::none, words).has_value();
  };
  EXPECT_TRUE(decision(0, 1));
  EXPECT_TRUE(decision(10'000'000'000'000, 60'000'000));  // valid, because the count was larger before
  EXPECT_FALSE(decision(-1, 1));
  EXPECT_FALSE(decision(10'000'000'000'001, 1));
  EXPECT_FALSE(decision(0, 0));
  EXPECT_FALSE(decision(0, 60'000'001));
  EXPECT_TRUE(decision(0, 1, 10'000'000'000'000));
  EXPECT_FALSE(decision(0, 1, -1));
  EXPECT_FALSE(decision(0, 1, 10'000'000'000'001));
}

TEST(FixedWindow, DescribesItself) {
  const auto meaning = [](const Rule& rule) { return rule.algorithm->meaning(rule, " requests"); };
  EXPECT_EQ(meaning(fixed_rule("100/minute")), "at most 100 requests a minute, anew on the clock");
  EXPECT_EQ(meaning(fixed_rule("100/5m")), "at most 100 requests every 5m, anew on the clock");
  EXPECT_EQ(meaning(calendar_window("200000/month", Calendar::Unit::month)),
            "at most 200000 requests a month, anew with each month in Europe/Vienna");
  EXPECT_EQ(meaning(calendar_window("1000/day", Calendar::Unit::day)),
            "at most 1000 requests a day, anew with each day in Europe/Vienna");
}

std::string fault_of(const Rule& rule) {
  const auto fault = rule.algorithm->check(rule);
  return fault ? fault->message + " | " + fault->help : "accepted";
}

TEST(FixedWindowCheck, RefusesOptionsThatAWindowLacks) {
  Rule rule = fixed_rule("100/minute");
  EXPECT_EQ(fault_of(rule), "accepted");
  rule.burst = 50;
  EXPECT_EQ(
      fault_of(rule),
      "a fixed_window allows all of its 100 requests at once | leave \"burst\" out, or write a larger one: the part "
      "above the rate refills over later windows");
  rule = fixed_rule("1/31d");
  rule.burst = 2000;
  EXPECT_EQ(
      fault_of(rule),
      "a burst of 2000 would take more than a hundred years to come back | write a smaller one, or a larger rate");
  rule = fixed_rule("100/minute");
  rule.wait = 1s;
  EXPECT_EQ(fault_of(rule),
            "a fixed_window cannot make a request wait | leave \"wait\" out, or use token_bucket or leaky_bucket");
}

TEST(FixedWindowCheck, RefusesACalendarOfAnotherPeriod) {
  EXPECT_EQ(fault_of(calendar_window("5/day", Calendar::Unit::day)), "accepted");
  EXPECT_EQ(fault_of(calendar_window("5/24h", Calendar::Unit::day)), "accepted");
  EXPECT_EQ(fault_of(calendar_window("5/month", Calendar::Unit::month)), "accepted");
  EXPECT_EQ(
      fault_of(calendar_window("5/minute", Calendar::Unit::day)),
      "the days of Europe/Vienna do not match the period of 5/minute | write \"5/day\", or leave the time zone out");
  EXPECT_EQ(
      fault_of(calendar_window("5/31d", Calendar::Unit::month)),
      "the months of Europe/Vienna do not match the period of 5/31d | write \"5/month\", or leave the time zone out");
  EXPECT_NE(fault_of(calendar_window("5/month", Calendar::Unit::day)), "accepted");
  EXPECT_EQ(fault_of(fixed_rule("5/month")),
            "a month has no length without a calendar | give the limit a time zone, as in "
            "\"UTC\", or write \"5/30d\"");
}

}  // namespace
}  // namespace headgate::limit
