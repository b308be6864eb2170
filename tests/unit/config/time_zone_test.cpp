#include "../../../src/config/formats/time_zone.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace headgate::config {
namespace {

using namespace std::chrono;
using limit::Calendar;
using Unit = Calendar::Unit;

Instant utc(int y, unsigned m, unsigned d, hours h = hours(0)) { return sys_days(year(y) / m / d) + h; }

Calendar::Window window(Unit unit, const char* zone, Instant at) {
  const auto calendar = make_calendar(unit, zone);
  EXPECT_TRUE(calendar.has_value()) << zone;
  return calendar.has_value() ? (*calendar)->at(at) : Calendar::Window{};
}

TEST(TimeZone, HasTheDaysThatItsCityHas) {
  const auto day = [](const char* zone, Instant at) { return window(Unit::day, zone, at); };
  using W = Calendar::Window;
  EXPECT_EQ(day("Europe/Vienna", utc(2026, 1, 15, 12h)), (W{utc(2026, 1, 14, 23h), utc(2026, 1, 15, 23h)}));
  EXPECT_EQ(day("Europe/Vienna", utc(2026, 3, 29, 12h)), (W{utc(2026, 3, 28, 23h), utc(2026, 3, 29, 22h)}));
  EXPECT_EQ(day("Europe/Vienna", utc(2026, 10, 25, 12h)), (W{utc(2026, 10, 24, 22h), utc(2026, 10, 25, 23h)}));
  EXPECT_EQ(day("America/New_York", utc(2026, 11, 1, 12h)), (W{utc(2026, 11, 1, 4h), utc(2026, 11, 2, 5h)}));
  EXPECT_EQ(day("Asia/Tokyo", utc(2026, 7, 1, 12h)), (W{utc(2026, 6, 30, 15h), utc(2026, 7, 1, 15h)}));
  EXPECT_EQ(day("Asia/Kolkata", utc(2026, 7, 1, 12h)),
            (W{utc(2026, 6, 30, 18h) + 30min, utc(2026, 7, 1, 18h) + 30min}));
  EXPECT_EQ(day("Australia/Lord_Howe", utc(2026, 10, 4, 2h)),  // half an hour less
            (W{utc(2026, 10, 3, 13h) + 30min, utc(2026, 10, 4, 13h)}));
}

TEST(TimeZone, BeginsTheDayAtOneWhereClocksChangeAtMidnight) {
  using W = Calendar::Window;
  EXPECT_EQ(window(Unit::day, "America/Sao_Paulo", utc(2018, 11, 4, 12h)),
            (W{utc(2018, 11, 4, 3h), utc(2018, 11, 5, 2h)}));
  EXPECT_EQ(window(Unit::day, "Africa/Cairo", utc(2024, 4, 26, 12h)),
            (W{utc(2024, 4, 25, 22h), utc(2024, 4, 26, 21h)}));
  // Goes back from 24:00 to 23:00: Friday is not reached before, and Thursday has 25 hours.
  EXPECT_EQ(window(Unit::day, "Africa/Cairo", utc(2024, 10, 31, 21h)),
            (W{utc(2024, 10, 30, 21h), utc(2024, 10, 31, 22h)}));
}

TEST(TimeZone, HasItsMonths) {
  using W = Calendar::Window;
  EXPECT_EQ(window(Unit::month, "Europe/Vienna", utc(2026, 3, 15)), (W{utc(2026, 2, 28, 23h), utc(2026, 3, 31, 22h)}));
  EXPECT_EQ(window(Unit::month, "America/Los_Angeles", utc(2028, 2, 15)),
            (W{utc(2028, 2, 1, 8h), utc(2028, 3, 1, 8h)}));
  EXPECT_EQ(window(Unit::month, "Pacific/Kiritimati", utc(2026, 6, 15)),
            (W{utc(2026, 5, 31, 10h), utc(2026, 6, 30, 10h)}));
}

TEST(TimeZone, UtcNeedsNoDatabase) {
  EXPECT_EQ(window(Unit::month, "UTC", utc(2026, 6, 15)), (Calendar::Window{utc(2026, 6, 1), utc(2026, 7, 1)}));
}

TEST(TimeZone, KeepsTheNameThatWasWritten) {
  EXPECT_EQ((*make_calendar(Unit::day, "Europe/Vienna"))->zone(), "Europe/Vienna");
  EXPECT_EQ((*make_calendar(Unit::month, "Europe/Vienna"))->unit(), Unit::month);
}

TEST(TimeZone, ThatDoesNotExistNamesTheNearest) {
  const auto refusal = [](const std::string& zone) {
    const auto made = make_calendar(Unit::day, zone);
    return made.has_value() ? "accepted" : made.error().message + " | " + made.error().help;
  };
  const std::string form = "a name of the tz database, as in \"Europe/Vienna\", or \"UTC\"";
  EXPECT_EQ(refusal("Europe/Viena"),
            "\"Europe/Viena\" is not a time zone | did you mean \"Europe/Vienna\"?  It is " + form);
  EXPECT_EQ(refusal("vienna"), "\"vienna\" is not a time zone | did you mean \"Europe/Vienna\"?  It is " + form);
  EXPECT_EQ(refusal("utc"), "\"utc\" is not a time zone | did you mean \"UTC\"?  It is " + form);
  EXPECT_EQ(refusal("somewhere over the rainbow"), "\"somewhere over the rainbow\" is not a time zone | write " + form);
}

TEST(TimeZone, IsANameAndNeverAPath) {
  for (const char* wrong : {"", "/etc/passwd", "../zoneinfo/Europe/Vienna", "Europe/../Europe/Vienna", "Europe",
                            "/usr/share/zoneinfo/Europe/Vienna", "posixrules\n", "tzdata.zi", "leap-seconds.list"})
    EXPECT_TRUE(make_calendar(Unit::day, wrong).has_error()) << wrong;
}

}  // namespace
}  // namespace headgate::config
