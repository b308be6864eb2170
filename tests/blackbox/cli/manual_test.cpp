// Manual pages: of every command, with every option that its help has.

#include "blackbox/harness/process.hpp"
#include "support/folder.hpp"

#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>

namespace headgate::test {
namespace {

std::set<std::string> found(const std::string& text, const std::string& pattern) {
  const std::regex wanted(pattern, std::regex::multiline);
  std::set<std::string> out;
  for (std::sregex_iterator match(text.begin(), text.end(), wanted), end; match != end; ++match)
    out.insert((*match)[1].str());
  return out;
}

std::string without_escapes(const std::string& roff) { return std::regex_replace(roff, std::regex(R"(\\-)"), "-"); }

class ManualPages : public Folder {
 protected:
  std::string page(const std::string& command) const {
    return without_escapes(content(path("headgate-" + command + ".1")));
  }
};

TEST_F(ManualPages, HaveEveryOptionThatHelpHas) {
  ASSERT_EQ(run_headgate({"man", "--to", path("")}).code, 0);
  const auto commands = found(run_headgate({"--help"}).out, "^  ([a-z][a-z-]*) {3,}");
  ASSERT_GT(commands.size(), 20U);
  for (const auto& command : commands) {
    const auto text = page(command);
    EXPECT_EQ(text.rfind(".TH HEADGATE-", 0), 0U) << command;
    for (const auto& option : found(run_headgate({command, "--help"}).out, "^  [^ ]*(--[a-z-]+)"))
      EXPECT_NE(text.find(option), std::string::npos) << command << " " << option;
  }
  EXPECT_NE(page("run").find("SIGUSR2"), std::string::npos);
  EXPECT_NE(page("keys").find(".SS headgate keys new"), std::string::npos)
      << "what is below a command stands in its page";
  EXPECT_EQ(page("run"), without_escapes(run_headgate({"man", "run"}).out));
}

TEST_F(ManualPages, ListAllCommandsInTheFirst) {
  const auto first = without_escapes(run_headgate({"man"}).out);
  for (const auto& command : found(run_headgate({"--help"}).out, "^  ([a-z][a-z-]*) {3,}"))
    EXPECT_NE(first.find("headgate-" + command + "(1)"), std::string::npos) << command;
  EXPECT_EQ(first.find("…"), std::string::npos) << "roff has a name for what is not ASCII";
}

TEST_F(ManualPages, AreOfNoCommandThatIsNotThere) {
  const auto ran = run_headgate({"man", "nothing"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.err, "headgate: there is no command \"nothing\"; see headgate --help\n");
  EXPECT_EQ(run_headgate({"man", "run", "--to", "/tmp"}).code, 2);
  EXPECT_EQ(run_headgate({"man", "--to", "/dev/null/pages"}).code, 1);
}

}  // namespace
}  // namespace headgate::test
