// How long a server asks to wait.

#include "headgate/http/date.hpp"

#include <gtest/gtest.h>

namespace headgate::http {
namespace {

using namespace std::chrono_literals;

TEST(RetryAfter, IsReadInSecondsOrAsADate) {
  const Instant now = std::chrono::sys_days(std::chrono::year(1994) / 11 / 6) + 8h + 49min + 30s;
  EXPECT_EQ(read_retry_after("120", now, 5min), 120s);
  EXPECT_EQ(read_retry_after(" 0 ", now, 5min), 0s);
  EXPECT_EQ(read_retry_after("99999999999999999999999999", now, 5min), 5min);
  EXPECT_EQ(read_retry_after("Sun, 06 Nov 1994 08:49:37 GMT", now, 5min), 7s);
  EXPECT_EQ(read_retry_after("Sunday, 06-Nov-94 08:49:37 GMT", now, 5min), 7s);
  EXPECT_EQ(read_retry_after("Sun, 06 Nov 1994 08:49:00 GMT", now, 5min), 0s) << "it is over";
  EXPECT_EQ(read_retry_after("Fri, 31 Dec 9999 23:59:59 GMT", now, 5min), 5min);
  for (const char* text : {"", "-1", "1.5", "soon", "1e3", "0x10", "Sun, 06 Nov 1994 08:49:37 CET",
                           "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994"})
    EXPECT_FALSE(read_retry_after(text, now, 5min)) << text;
}

}  // namespace
}  // namespace headgate::http
