// A refusal to translate names the key that headgate lacks, and it does lack it.

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

TEST(Lacks, AreNamedWhereverAnImporterRefusesForOne) {
  const std::regex refusal(
      R"re("((headgate (has no|knows no|reads no|serves no|sets no|adds no|does not change) )[^"\\]*))re");
  int found = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(HEADGATE_SOURCE_DIR "/src/translate")) {
    if (file.path().extension() != ".cpp" || file.path().filename() == "lacks.cpp") continue;
    std::ifstream in(file.path());
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    for (std::sregex_iterator at(text.begin(), text.end(), refusal); at != std::sregex_iterator(); ++at) {
      const Remark remark{Matter::lost, {}, {}, (*at)[1].str()};
      if (remark.why.find("has no such") != std::string::npos) continue;  // what it has of this kind is said
      if (remark.why.ends_with(' ')) continue;                            // the key follows in quotes
      ++found;
      EXPECT_NE(lacking_key(remark), "") << file.path() << ": " << remark.why << ": add a row to lacks.cpp";
    }
  }
  EXPECT_GE(found, 10);
}

TEST(Lacks, StandInTheRemark) {
  const Remark remark{
      Matter::lost, {"a.conf", 1, 2}, "proxy_cache on", "headgate has no cache: servers get each request"};
  EXPECT_EQ(to_text(remark),
            "a.conf:1:2: not translated: proxy_cache on: headgate has no cache: servers get each request (no key "
            "\"cache\")");
}

}  // namespace
}  // namespace headgate::translate
