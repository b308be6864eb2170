#include "headgate/http/date.hpp"

#include <gtest/gtest.h>

namespace headgate::http {
namespace {

using namespace std::chrono_literals;

constexpr Instant at(std::chrono::year_month_day day, Duration time = {}) { return std::chrono::sys_days(day) + time; }

TEST(HttpDate, AllThreeFormsAreRead) {
  const auto moment = at(1994y / 11 / 6, 8h + 49min + 37s);
  for (const char* text :
       {"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"})
    EXPECT_EQ(read_http_date(text), moment) << text;
  EXPECT_EQ(read_http_date("Wed Nov 16 08:49:37 1994"), at(1994y / 11 / 16, 8h + 49min + 37s));
  EXPECT_EQ(read_http_date("Saturday, 31-Dec-69 00:00:00 GMT"), at(2069y / 12 / 31));
  EXPECT_EQ(read_http_date("Thursday, 01-Jan-70 00:00:00 GMT"), at(1970y / 1 / 1));
  EXPECT_EQ(http_date(moment), "Sun, 06 Nov 1994 08:49:37 GMT");
}

TEST(HttpDate, IsEmptyForTextThatIsNotADate) {
  for (const char* text :
       {"", "Sunday", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nov 94 08:49:37 GMT",
        "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:60:37 GMT",
        "Sun, 06 Nov 1994 08-49-37 GMT", "Sun, 06 Nov 1994 +8:49:37 GMT", "Noday, 06-Nov-94 08:49:37 GMT",
        "Sunday, 06-Nov-1994 08:49:37 GMT", "Sunday, 06 Nov 94 08:49:37 GMT", "Sun Nov 06 08:49:37 1994 GMT",
        "Sun Nov  6 08:49:37 94  ", "Sun nov  6 08:49:37 1994", "784111777"})
    EXPECT_EQ(read_http_date(text), std::nullopt) << text;
}

}  // namespace
}  // namespace headgate::http
