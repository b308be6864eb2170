// headgate fmt as a command: which files it writes, and what it says.

#include "cli/commands.hpp"
#include "support/folder.hpp"

#include <gtest/gtest.h>

namespace headgate::cli {
namespace {

struct FmtRan {
  int code = 0;
  std::string out;
  std::string err;
};

FmtRan fmt_of(const FmtOptions& options) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  FmtRan ran{.code = fmt(options), .out = {}, .err = {}};
  ran.out = testing::internal::GetCapturedStdout();
  ran.err = testing::internal::GetCapturedStderr();
  return ran;
}

class Fmt : public headgate::test::Folder {};

constexpr const char* kLaidOut = "{ \"a\": 1 }\n";

TEST_F(Fmt, PrintsAFileAndLeavesItAlone) {
  const auto file = write("a.json", R"({"a":1})");
  const auto ran = fmt_of({.files = {file}});
  EXPECT_EQ(ran.code, kWell);
  EXPECT_EQ(ran.out, kLaidOut);
  EXPECT_EQ(content(file), R"({"a":1})");
}

TEST_F(Fmt, WritesThoseThatChangeAndNamesThem) {
  const auto file = write("a.json", R"({"a":1})");
  const auto good = write("b.json", kLaidOut);
  const auto ran = fmt_of({.files = {file, good}, .write = true});
  EXPECT_EQ(ran.code, kWell);
  EXPECT_EQ(ran.out, file + '\n');
  EXPECT_EQ(content(file), kLaidOut);
  EXPECT_EQ(files(), 2U) << "nothing is left beside them";
}

TEST_F(Fmt, ChecksAndNamesThoseThatWouldChange) {
  const auto file = write("a.json", R"({"a":1})");
  const auto good = write("b.json", kLaidOut);
  const auto ran = fmt_of({.files = {good, file}, .check = true});
  EXPECT_EQ(ran.code, kFailed);
  EXPECT_EQ(ran.out, file + '\n');
  EXPECT_EQ(content(file), R"({"a":1})");
  EXPECT_EQ(fmt_of({.files = {good}, .check = true}).code, kWell);
}

TEST_F(Fmt, RefusesAMistakeWithItsPlaceAndGoesOn) {
  const auto bad = write("a.json", "{\n  \"a\": 1\n  \"b\": 2 }");
  const auto file = write("b.json", R"({"a":1})");
  const auto ran = fmt_of({.files = {bad, file}, .write = true});
  EXPECT_EQ(ran.code, kBadConfiguration);
  EXPECT_NE(ran.err.find(bad + ":3:3: error: expected ',' or '}' before \"b\""), std::string::npos) << ran.err;
  EXPECT_EQ(content(bad), "{\n  \"a\": 1\n  \"b\": 2 }");
  EXPECT_EQ(content(file), kLaidOut);
}

TEST_F(Fmt, NeedsToBeToldWhatToDoWithSeveral) {
  const auto file = write("a.json", "{}");
  EXPECT_EQ(fmt_of({.files = {file, file}}).code, kWrongCommandLine);
  EXPECT_EQ(fmt_of({.files = {"-"}, .write = true}).code, kWrongCommandLine);
  EXPECT_EQ(fmt_of({.files = {path("none.json")}}).code, kBadConfiguration);
}

}  // namespace
}  // namespace headgate::cli
