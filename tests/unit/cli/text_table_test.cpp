// Tables for people, and texts from elsewhere as a terminal may see them.

#include "../../../src/cli/text_table.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

namespace headgate::cli {
namespace {

TEST(TextTable, AlignsTextToTheLeftAndNumbersToTheRight) {
  TextTable table({"limit", "used"});
  table.row({"per-ip", "7"});
  table.row({"x", "1200"});
  EXPECT_EQ(table.text(false),
            "limit   used\n"
            "per-ip     7\n"
            "x       1200\n");
}

TEST(TextTable, CutsItsWidestColumnWhenALineIsTooLong) {
  TextTable table({"key", "state"});
  table.row({std::string(200, 'k'), "in"});
  const auto text = table.text(false);
  const auto line = text.substr(text.find('\n') + 1);
  EXPECT_EQ(line, std::string(92, 'k') + "\xE2\x80\xA6  in\n");
}

TEST(TextTable, CutsNothingForAPipeOrAFile) {
  if (::isatty(STDOUT_FILENO) == 1) GTEST_SKIP() << "stdout is a terminal";
  TextTable table({"key", "state"});
  table.row({std::string(200, 'k'), "in"});
  const auto text = table.text(false, stdout_width());
  EXPECT_EQ(text.substr(text.find('\n') + 1), std::string(200, 'k') + "  in\n");
}

TEST(TextTable, CountsCharactersAndNotBytes) {
  TextTable table({"key", "state"});
  table.row({"M\xC3\xBCller", "in"});
  table.row({"Miller", "out"});
  EXPECT_EQ(table.text(false), "key     state\nM\xC3\xBCller  in\nMiller  out\n");
}

TEST(TextTable, PaintsOnlyWhereColoursAreWanted) {
  TextTable table({"state"});
  table.row({{"out", Paint::bad}});
  EXPECT_EQ(table.text(false), "state\nout\n");
  EXPECT_EQ(table.text(true), "\x1b[2mstate\x1b[0m\n\x1b[31mout\x1b[0m\n");
}

TEST(TextTable, LetsNoKeyWriteToTheTerminal) {
  EXPECT_EQ(printable("\x1b[2J"), "\\x1b[2J");
  EXPECT_EQ(printable("a\nb"), "a\\x0ab");
  EXPECT_EQ(printable("\xC2\x9B"), "\\xc2\\x9b") << "a control character of two bytes";
  EXPECT_EQ(printable("\xFFz"), "\\xffz");
  EXPECT_EQ(printable("M\xC3\xBCller"), "M\xC3\xBCller");
}

}  // namespace
}  // namespace headgate::cli
