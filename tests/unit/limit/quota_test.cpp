// Percentages of a quota: each is reached once in a period, and never before so much is used.

#include "headgate/limit/quota.hpp"

#include "support/rules.hpp"
#include "unit/limit/counter.hpp"

#include "headgate/limit/notice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace headgate::limit {
namespace {

using namespace std::chrono_literals;
using std::chrono::sys_days;
using std::chrono::year;
using test::Counter;
using test::kStart;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::array<unsigned, 2> kUsual{80, 100};

Rule quota(std::string_view rate) { return test::make_rule(rate, 0, "plan", "fixed_window"); }

Rule by_calendar(std::string_view rate, Calendar::Unit unit) {
  Rule rule = quota(rate);
  rule.calendar =
      std::make_shared<const Calendar>(unit, "Europe/Vienna",
                                       std::vector<ZoneOffset>{{Instant{}, Duration(1h)},
                                                               {sys_days(year(2026) / 3 / 29) + 1h, Duration(2h)},
                                                               {sys_days(year(2026) / 10 / 25) + 1h, Duration(1h)}});
  return rule;
}

Decision left(std::uint64_t of, std::uint64_t remaining) {
  return {.allowed = true, .limit = of, .remaining = remaining, .reset_after = 1s};
}

TEST(Quota, IsReachedFromThePermitOnThatUsesSoMuch) {
  const auto bits = [](std::uint64_t used) { return reached(kUsual, *quota_use(left(1000, 1000 - used), true)); };
  EXPECT_EQ(bits(0), 0b00);
  EXPECT_EQ(bits(799), 0b00);
  EXPECT_EQ(bits(800), 0b01);
  EXPECT_EQ(bits(999), 0b01);
  EXPECT_EQ(bits(1000), 0b11);
}

TEST(Quota, RoundsAPercentageOfASmallSizeUp) {
  const auto bits = [](std::uint64_t used) { return reached(kUsual, *quota_use(left(7, 7 - used), true)); };
  EXPECT_EQ(bits(5), 0b00) << "71 %";
  EXPECT_EQ(bits(6), 0b01) << "86 %";
  EXPECT_EQ(bits(7), 0b11);
}

TEST(Quota, IsReachedAsAWholeByARequestThatDoesNotFit) {
  const Decision rejected{.allowed = false, .limit = 100, .remaining = 7, .retry_after = 1s};
  const auto use = quota_use(rejected, false);
  ASSERT_TRUE(use);
  EXPECT_EQ(use->used, 93U);
  EXPECT_TRUE(use->rejected);
  EXPECT_EQ(reached(kUsual, *use), 0b11);
  EXPECT_EQ(reached(std::array<unsigned, 2>{95, 99}, *use), 0) << "nobody asked for 100 %";
}

TEST(Quota, IsNotReachedByWhatTakesNothing) {
  EXPECT_FALSE(quota_use(left(100, 0), false));
  EXPECT_FALSE(quota_use({.allowed = false, .limit = 100, .remaining = 100, .retry_after = kNever}, false))
      << "a cost above the whole size says nothing of what was used";
}

TEST(Quota, CountsTheWholeSizeInDebt) {
  const auto use = quota_use({.allowed = false, .limit = 100, .remaining = 0, .retry_after = 1h}, false);
  ASSERT_TRUE(use);
  EXPECT_EQ(use->used, 100U);
}

// What a gateway does with every decision, beside a model that knows what is used.
TEST(Quota, ReachesEachPercentageOnceInAPeriodAndNeverTooEarly) {
  std::mt19937_64 random(7);
  const auto below = [&random](std::int64_t most) { return static_cast<std::int64_t>(random() % most); };
  for (int round = 0; round < 300; ++round) {
    const auto size = 1 + below(round % 3 == 0 ? 5 : 2000);
    const Rule rule = quota(std::to_string(size) + "/hour");
    Counter counter(rule);
    std::vector<unsigned> percents;
    for (unsigned percent = 1 + static_cast<unsigned>(below(60)); percent <= 100 && percents.size() < kMaxNotifyAt;
         percent += 1 + static_cast<unsigned>(below(40)))
      percents.push_back(percent);
    std::map<Instant, std::set<unsigned>> told;
    std::map<Instant, std::int64_t> used;
    std::map<Instant, std::set<unsigned>> due;
    Instant now = kStart;
    for (int step = 0; step < 400; ++step) {
      now += Duration(below(Duration(90s).count()));
      const auto period = Calendar::Window{now - now.time_since_epoch() % 1h, {}}.start;
      const auto cost = below(4) == 0 ? -below(size) - 1 : below(size / 5 + 2);
      const auto before = used[period];
      const auto decision = counter.take(cost, now);
      const bool fits = cost <= size - before;
      ASSERT_EQ(decision.allowed, cost <= 0 || fits);
      if (decision.allowed) used[period] = std::max<std::int64_t>(before + cost, 0);
      const auto use = quota_use(decision, decision.allowed && cost > 0);
      if (!use) continue;
      ASSERT_EQ(use->used, static_cast<std::uint64_t>(used[period]));
      ASSERT_EQ(period_of(rule, now, decision.reset_after).start, period);
      const auto bits = reached(percents, *use);
      for (std::size_t i = 0; i < percents.size(); ++i) {
        const bool enough = used[period] * 100 >= size * percents[i] || (use->rejected && percents[i] == 100);
        ASSERT_EQ((bits >> i & 1) != 0, enough) << used[period] << " of " << size << " at " << percents[i];
        if (enough) due[period].insert(percents[i]);
        if ((bits >> i & 1) != 0) told[period].insert(percents[i]);
      }
    }
    ASSERT_EQ(told, due);
  }
}

TEST(QuotaPeriod, IsThatOfTheClockThatDecided) {
  const Rule rule = quota("100/minute");
  const Instant begin = kStart - kStart.time_since_epoch() % 1min;
  const Calendar::Window here{begin, begin + 1min};
  // The clock of Redis is ahead by ten seconds, and has begun the next minute already.
  EXPECT_EQ(period_of(rule, begin + 55s, Duration(55s)), (Calendar::Window{here.end, here.end + 1min}));
  // It is behind by ten seconds.
  EXPECT_EQ(period_of(rule, here.end + 5s, Duration(5s)), here);
  EXPECT_EQ(period_of(rule, begin + 10s, Duration(50s)), here);
  EXPECT_EQ(period_of(rule, begin + 10s, Duration(0)), here) << "never used";
  EXPECT_EQ(period_of(rule, begin + 10s, Duration(50min)), here) << "a debt says nothing of this period";
}

TEST(QuotaPeriod, IsADayOrAMonthOfTheCalendar) {
  const Rule days = by_calendar("100/day", Calendar::Unit::day);
  const Rule months = by_calendar("100/month", Calendar::Unit::month);
  for (const Instant moment :
       {kStart, Instant(sys_days(year(2026) / 10 / 25) + 12h), Instant(sys_days(year(2026) / 3 / 29) + 30min)}) {
    for (const Rule* rule : {&days, &months}) {
      const auto window = rule->calendar->at(moment);
      EXPECT_EQ(period_of(*rule, moment, window.end - moment), window);
      EXPECT_EQ(period_of(*rule, moment, window.end - moment + 5min), window) << "clocks that differ";
      EXPECT_EQ(period_of(*rule, window.start, window.end - window.start), window);
      EXPECT_EQ(period_of(*rule, window.end - 1us, Duration(1us)), window);
    }
  }
}

TEST(NoticeInbox, GivesWhatWasPutInItsOrderAndWakes) {
  NoticeInbox inbox(2);
  int woken = 0;
  inbox.use([&] { ++woken; });
  const auto notice = [](unsigned percent) {
    Notice out;
    out.percent = percent;
    return out;
  };
  for (const unsigned percent : {80U, 100U}) EXPECT_TRUE(inbox.put(notice(percent)));
  EXPECT_FALSE(inbox.put(notice(50))) << "it is bounded";
  EXPECT_EQ(inbox.dropped(), 1U);
  EXPECT_EQ(woken, 2);
  const auto taken = inbox.take();
  ASSERT_EQ(taken.size(), 2U);
  EXPECT_EQ(taken[0].percent, 80U);
  EXPECT_EQ(taken[1].percent, 100U);
  EXPECT_THAT(inbox.take(), IsEmpty());
  EXPECT_TRUE(inbox.put(notice(50))) << "there is room again";
}

}  // namespace
}  // namespace headgate::limit
