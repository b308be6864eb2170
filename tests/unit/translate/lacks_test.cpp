// Tests that a refusal names the key that headgate lacks, and that headgate really lacks it.

#include "headgate/config/load.hpp"
#include "headgate/translate/translate.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

namespace headgate::translate {
namespace {

TEST(Lacks, AreNoKeysOfTheSchema) {
  const auto schema = config::schema();
  for (const auto& each : all_lacks())
    EXPECT_EQ(schema.find('"' + std::string(each.key) + "\":"), std::string::npos)
        << "headgate has \"" << each.key << "\" now: translate what says \"" << each.why << '"';
}

/// Returns whether a remark with such words names no lack: it says what headgate has instead, or what was not
/// understood.
bool names_no_lack(const std::string& why) {
  static const std::regex kOthers(
      "headgate import does not .*|headgate import did not .*|.* has no such .*|.* has no equivalent.*|"
      ".*cannot count by .*|headgate does not know (this code|the code of this bean).*|headgate does not apply it to "
      "a single consumer.*|headgate does not evaluate templates of Kong: the field is removed|"
      "headgate (only compresses with|only considers|only accepts it|only strips|only supports|only uses|does not "
      "answer so|does not name itself|does not retry|gives up|numbers|passes such|accepts no early|takes only|"
      "takes the last).*");
  return std::regex_match(why, kOthers);
}

TEST(Lacks, AreNamedWhereverAnImporterRefusesForOne) {
  const std::regex refusal(
      R"re("(headgate(?:'s)? [^"\\]*\b(?:no|nobody|none|not|nothing|cannot|neither|alone|only|without)\b[^"\\]*))re");
  int found = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(HEADGATE_SOURCE_DIR "/src/translate")) {
    if (file.path().extension() != ".cpp" || file.path().filename() == "lacks.cpp") continue;
    std::ifstream in(file.path());
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    for (std::sregex_iterator at(text.begin(), text.end(), refusal); at != std::sregex_iterator(); ++at) {
      const Remark remark{Matter::lost, {}, {}, (*at)[1].str()};
      if (names_no_lack(remark.why)) continue;
      ++found;
      EXPECT_NE(lacking_key(remark), "") << file.path() << ": " << remark.why << ": add a row to lacks.cpp";
    }
  }
  EXPECT_GE(found, 60);
}

TEST(Lacks, StandInTheRemark) {
  const Remark remark{
      Matter::lost, {"a.conf", 1, 2}, "proxy_cache on", "headgate has no cache: servers get each request"};
  EXPECT_EQ(
      to_text(remark),
      "a.conf:1:2: not translated: proxy_cache on: headgate has no cache: servers get each request (no key \"cache\")");
}

}  // namespace
}  // namespace headgate::translate
