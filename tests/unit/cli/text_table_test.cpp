// Tables for people, and texts from elsewhere as a terminal may see them.

#include "../../../src/cli/text_table.hpp"

#include "../../../src/cli/printable.hpp"

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

TEST(TextTable, PaintsOnlyIfColoursAreWanted) {
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

TEST(TextTable, LetsNoKeyTurnALineOrHideInIt) {
  EXPECT_EQ(printable("a\xE2\x80\xAEz"), "a\\xe2\\x80\\xaez") << "U+202E turns what follows";
  EXPECT_EQ(printable("a\xE2\x81\xA6z"), "a\\xe2\\x81\\xa6z") << "U+2066";
  EXPECT_EQ(printable("a\xE2\x80\x8Bz"), "a\\xe2\\x80\\x8bz") << "U+200B is not seen";
  EXPECT_EQ(printable("a\xEF\xBB\xBFz"), "a\\xef\\xbb\\xbfz") << "U+FEFF";
  EXPECT_EQ(printable("a\xE2\x80\xA8z"), "a\\xe2\\x80\\xa8z") << "U+2028 breaks lines";
  EXPECT_EQ(printable("\xF3\xA0\x81\x81"), "\\xf3\\xa0\\x81\\x81") << "U+E0041, a tag";
  EXPECT_EQ(printable("\xD7\x90\xE6\xBC\xA2\xF0\x9F\x98\x80"), "\xD7\x90\xE6\xBC\xA2\xF0\x9F\x98\x80");
}

TEST(TextTable, SpellsTheSameCharactersOfJsonAsEscapes) {
  EXPECT_EQ(printable_json("{ \"key\": \"a\xE2\x80\xAE\xC2\x9Bz\",\n\t\"n\": \"M\xC3\xBCller\" }\n"),
            "{ \"key\": \"a\\u202e\\u009bz\",\n\t\"n\": \"M\xC3\xBCller\" }\n");
  EXPECT_EQ(printable_json("\"\xF3\xA0\x81\x81\""), "\"\\udb40\\udc41\"") << "two units of UTF-16";
  EXPECT_EQ(printable_json("\"\xFF\""), "\"\\ufffd\"");
}

}  // namespace
}  // namespace headgate::cli
