// What headgate load says where there is none or one of something.
#include "cli/load/load_output.hpp"
#include "cli/printable.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace headgate::cli {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::Not;

struct LoadText : testing::Test {
  void answered(std::uint64_t count) {
    report.figures.callers.sent = count;
    report.figures.callers.allowed = count;
    for (std::uint64_t i = 0; i < count; ++i) {
      report.figures.callers.whole.add(milliseconds(5));
      report.figures.callers.from_sending.add(milliseconds(5));
    }
  }
  std::string text() const { return load_text(options, report, false, 200); }
  load::LoadOptions options;
  load::LoadReport report;
};

TEST_F(LoadText, ClaimsNothingOfRequestsThatWereNotSent) {
  EXPECT_THAT(text(), HasSubstr("On time: no request was due.\n"));
  EXPECT_THAT(text(), Not(HasSubstr("Times: ")));
  EXPECT_THAT(text(), HasSubstr("Answers: none.\n"));
}

TEST_F(LoadText, CountsOneAsOne) {
  answered(1);
  report.figures.kept = 1;
  EXPECT_THAT(text(), HasSubstr("Promises: 1 of 1 was kept: "));
  report.late_self = 1;
  EXPECT_THAT(text(), HasSubstr("On time: 1 of 1 request was sent more than 10 ms late"));
  report.figures.broken = 1;
  EXPECT_THAT(text(), HasSubstr("Promises: 1 of 2 were kept: "));
  EXPECT_THAT(text(), HasSubstr("  The other was rejected again, because "));
  options.timetable.rate = 1;
  options.timetable.callers = 1;
  EXPECT_THAT(load_intention(options), HasSubstr(": 1 request a second from 1 caller for "));
}

TEST(HowMany, IsOneOrSeveral) {
  EXPECT_EQ(how_many_of(0, "key"), "0 keys");
  EXPECT_EQ(how_many_of(1, "other connection"), "1 other connection");
  EXPECT_EQ(how_many_of(20, "gateway"), "20 gateways");
}

TEST_F(LoadText, CountsSeveral) {
  answered(7);
  report.figures.kept = 2;
  report.figures.broken = 3;
  report.late_connections = 2;
  EXPECT_THAT(text(), HasSubstr("Promises: 2 of 5 were kept: "));
  EXPECT_THAT(text(), HasSubstr("  The others were rejected again, because "));
  EXPECT_THAT(text(), HasSubstr("On time: 2 of 7 requests were sent more than 10 ms late"));
  EXPECT_THAT(text(), HasSubstr("Times: from the moment"));
}

}  // namespace
}  // namespace headgate::cli
