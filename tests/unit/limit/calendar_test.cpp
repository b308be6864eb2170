#include "headgate/limit/calendar.hpp"

#include "support/utc.hpp"

#include <gtest/gtest.h>

#include <random>

namespace headgate::limit {
namespace {

using namespace std::chrono;
using CalendarUnit = Calendar::Unit;
using test::utc;

/// The two changes of 2026 in Vienna, with its offsets.
Calendar vienna(CalendarUnit unit) {
  return {unit,
          "Europe/Vienna",
          {{utc(2000, 1, 1), hours(1)},
           {utc(2026, 3, 29, 1h), hours(2)},
           {utc(2026, 10, 25, 1h), hours(1)},
           {utc(2027, 3, 28, 1h), hours(2)}}};
}

TEST(Calendar, HasDaysOf24Hours) {
  const auto day = vienna(CalendarUnit::day).at(utc(2026, 1, 15, 12h));
  EXPECT_EQ(day, (Calendar::Window{utc(2026, 1, 14, 23h), utc(2026, 1, 15, 23h)}));
}

TEST(Calendar, HasADayOf23HoursAndOneOf25WhereClocksChange) {
  const auto spring = vienna(CalendarUnit::day).at(utc(2026, 3, 29, 12h));
  EXPECT_EQ(spring, (Calendar::Window{utc(2026, 3, 28, 23h), utc(2026, 3, 29, 22h)}));
  const auto autumn = vienna(CalendarUnit::day).at(utc(2026, 10, 25, 12h));
  EXPECT_EQ(autumn, (Calendar::Window{utc(2026, 10, 24, 22h), utc(2026, 10, 25, 23h)}));
}

TEST(Calendar, HasMonthsOf28To31DaysAndAnHourMoreOrLess) {
  const Calendar months = vienna(CalendarUnit::month);
  const auto length = [&](Instant at) { return months.at(at).end - months.at(at).start; };
  EXPECT_EQ(length(utc(2026, 2, 10)), days(28));
  EXPECT_EQ(length(utc(2024, 2, 10)), days(29));
  EXPECT_EQ(length(utc(2026, 3, 10)), days(31) - 1h);
  EXPECT_EQ(length(utc(2026, 4, 10)), days(30));
  EXPECT_EQ(length(utc(2026, 10, 10)), days(31) + 1h);
  EXPECT_EQ(months.at(utc(2026, 12, 10)), (Calendar::Window{utc(2026, 11, 30, 23h), utc(2026, 12, 31, 23h)}));
}

TEST(Calendar, BeginsAWindowAtItsStartAndNotAMicrosecondEarlier) {
  for (const CalendarUnit unit : {CalendarUnit::day, CalendarUnit::month}) {
    const Calendar calendar = vienna(unit);
    const auto window = calendar.at(utc(2026, 10, 25, 12h));
    EXPECT_EQ(calendar.at(window.start), window);
    EXPECT_EQ(calendar.at(window.end - Duration(1)), window);
    EXPECT_EQ(calendar.at(window.end).start, window.end);
    EXPECT_EQ(calendar.at(window.start - Duration(1)).end, window.start);
  }
}

TEST(Calendar, KnowsLeapYears) {
  const Calendar utc_days(CalendarUnit::day, "UTC", {{Instant{}, Duration(0)}});
  EXPECT_EQ(utc_days.at(utc(2028, 2, 29, 5h)), (Calendar::Window{utc(2028, 2, 29), utc(2028, 3, 1)}));
  const Calendar utc_months(CalendarUnit::month, "UTC", {{Instant{}, Duration(0)}});
  EXPECT_EQ(utc_months.at(utc(2028, 2, 29, 5h)), (Calendar::Window{utc(2028, 2, 1), utc(2028, 3, 1)}));
  EXPECT_EQ(utc_months.at(utc(2100, 2, 28, 5h)), (Calendar::Window{utc(2100, 2, 1), utc(2100, 3, 1)}));
  EXPECT_EQ(utc_months.at(utc(2100, 2, 1)).end - utc_months.at(utc(2100, 2, 1)).start, days(28));
}

TEST(Calendar, BeginsADayWhenClocksJumpOverItsMidnight) {
  // São Paulo, 2018-11-04: from 00:00 to 01:00.
  const Calendar days(CalendarUnit::day, "America/Sao_Paulo",
                      {{utc(2018, 2, 18, 2h), -3h}, {utc(2018, 11, 4, 3h), -2h}});
  EXPECT_EQ(days.at(utc(2018, 11, 4, 12h)), (Calendar::Window{utc(2018, 11, 4, 3h), utc(2018, 11, 5, 2h)}));
  EXPECT_EQ(days.at(utc(2018, 11, 4, 2h)), (Calendar::Window{utc(2018, 11, 3, 3h), utc(2018, 11, 4, 3h)}));
}

TEST(Calendar, BeginsADayOnceWhenClocksGoBackOverItsMidnight) {
  // St. John's, 2010-11-07: at 00:01 back to 23:01 of the day before.
  const Instant change = utc(2010, 11, 7, 2h, 31min);
  const Calendar days(CalendarUnit::day, "America/St_Johns",
                      {{utc(2010, 3, 14, 3h, 31min), -(2h + 30min)}, {change, -(3h + 30min)}});
  const Calendar::Window sunday{utc(2010, 11, 7, 2h, 30min), utc(2010, 11, 8, 3h, 30min)};
  EXPECT_EQ(days.at(change - 30s), sunday);
  EXPECT_EQ(days.at(change), sunday);
  EXPECT_EQ(days.at(change + 58min), sunday);  // shows 23:59 of Saturday for the second time
  EXPECT_EQ(days.at(change + 61min), sunday);
  EXPECT_EQ(days.at(change - 90s).end, sunday.start);
}

TEST(Calendar, LeavesOutADayThatDidNotExist) {
  // Apia had no 2011-12-30: it changed sides of the date line.
  const Calendar days(CalendarUnit::day, "Pacific/Apia",
                      {{utc(2011, 9, 24, 14h), -10h}, {utc(2011, 12, 30, 10h), 14h}});
  EXPECT_EQ(days.at(utc(2011, 12, 30, 9h)), (Calendar::Window{utc(2011, 12, 29, 10h), utc(2011, 12, 30, 10h)}));
  EXPECT_EQ(days.at(utc(2011, 12, 30, 10h)), (Calendar::Window{utc(2011, 12, 30, 10h), utc(2011, 12, 31, 10h)}));
}

TEST(Calendar, PutsEachMomentIntoExactlyOneWindow) {
  std::mt19937_64 random(1);
  for (int zone = 0; zone < 60; ++zone) {
    std::vector<ZoneOffset> offsets;
    Instant from = utc(2020, 1, 1);
    for (int i = 0; i < 20; ++i) {
      offsets.push_back({from, minutes(static_cast<int>(random() % 1600) - 780)});
      from += minutes(1 + random() % 300'000);
    }
    const Calendar calendar(zone % 2 == 0 ? CalendarUnit::day : CalendarUnit::month, "Test/Random", offsets);
    Instant at = utc(2019, 12, 1);
    while (at < from + days(40)) {
      const auto window = calendar.at(at);
      ASSERT_LE(window.start, at);
      ASSERT_LT(at, window.end);
      ASSERT_EQ(calendar.at(window.end - Duration(1)), window);
      ASSERT_EQ(calendar.at(window.end).start, window.end);
      at = window.end + minutes(random() % 3000);
    }
  }
}

}  // namespace
}  // namespace headgate::limit
