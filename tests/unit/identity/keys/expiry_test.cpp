// Until when a key is valid, in all accepted forms.

#include "headgate/identity/expiry.hpp"

#include "headgate/core/moment_text.hpp"

#include <gtest/gtest.h>

namespace headgate::identity {
namespace {

using std::chrono::sys_days;
using std::chrono::year;
using namespace std::chrono_literals;

constexpr Instant kMidnight = sys_days(year(2027) / 1 / 31);

TEST(Expiry, IsAMomentInUtc) {
  EXPECT_EQ(*parse_expiry("2027-01-31T00:00:00Z"), kMidnight);
  EXPECT_EQ(*parse_expiry("2027-01-31T23:59:59Z"), kMidnight + 24h - 1s);
  EXPECT_EQ(*parse_expiry("1970-01-01T00:00:00Z"), Instant{});
}

TEST(Expiry, OfADateIsTheEndOfThatDay) {
  EXPECT_EQ(*parse_expiry("2027-01-31"), kMidnight + 24h);
  EXPECT_EQ(*parse_expiry("2028-02-29"), Instant(sys_days(year(2028) / 3 / 1)));
  EXPECT_EQ(*parse_expiry("2027-12-31"), Instant(sys_days(year(2028) / 1 / 1)));
}

TEST(Expiry, MayHaveAnOffset) {
  EXPECT_EQ(*parse_expiry("2027-01-31T02:30:00+02:30"), kMidnight);
  EXPECT_EQ(*parse_expiry("2027-01-30T16:00:00-08:00"), kMidnight);
  EXPECT_EQ(*parse_expiry("2027-01-31T00:00:00+00:00"), kMidnight);
}

TEST(Expiry, MayHaveAFractionOfWhichMicrosecondsAreKept) {
  EXPECT_EQ(*parse_expiry("2027-01-31T00:00:00.5Z"), kMidnight + 500ms);
  EXPECT_EQ(*parse_expiry("2027-01-31T00:00:00.123456+00:00"), kMidnight + 123456us);
  EXPECT_EQ(*parse_expiry("2027-01-31T00:00:00.123456789Z"), kMidnight + 123456us);
}

TEST(Expiry, IsRefusedInAnyOtherForm) {
  for (const char* text : {"",
                           "2027",
                           "2027-1-31",
                           "27-01-31",
                           "2027-00-10",
                           "2027-13-01",
                           "2027-02-29",
                           "2027-04-31",
                           "2027-01-00",
                           "2027-01-31T",
                           "2027-01-31T00:00Z",
                           "2027-01-31T00:00:00",
                           "2027-01-31 00:00:00Z",
                           "2027-01-31t00:00:00z",
                           "2027-01-31T24:00:00Z",
                           "2027-01-31T00:60:00Z",
                           "2027-01-31T00:00:60Z",
                           "2027-01-31T00:00:00.Z",
                           "2027-01-31T00:00:00.1234567890Z",
                           "2027-01-31T00:00:00+24:00",
                           "2027-01-31T00:00:00+0200",
                           "2027-01-31T00:00:00Z ",
                           " 2027-01-31",
                           "2027-01-31Z",
                           "+027-01-31",
                           "2027/01/31",
                           "31.01.2027",
                           "1800000000",
                           "never"}) {
    const auto read = parse_expiry(text);
    ASSERT_TRUE(read.has_error()) << text;
    EXPECT_NE(read.error().help, "");
  }
}

TEST(Expiry, IsWrittenAsItIsRead) {
  for (const char* text :
       {"2027-01-31T00:00:00Z", "2028-02-29T12:34:56Z", "9999-12-31T23:59:59Z", "1970-01-01T00:00:00Z"})
    EXPECT_EQ(moment_text(*parse_expiry(text)), text);
  EXPECT_EQ(moment_text(*parse_expiry("2027-01-31")), "2027-02-01T00:00:00Z");
}

}  // namespace
}  // namespace headgate::identity
