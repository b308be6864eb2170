// The pages of the documentation lead where they say: links, their anchors, and the tests that they name.

#include "house/includes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <regex>
#include <set>
#include <sstream>

namespace headgate::test {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> pages() {
  std::vector<fs::path> out{"README.md"};
  for (const auto& each : fs::directory_iterator(project_root() / "docs"))
    if (each.path().extension() == ".md") out.push_back(each.path().lexically_relative(project_root()));
  std::sort(out.begin(), out.end());
  return out;
}

/// Of one page: what is no example, and its headings.
struct Page {
  std::string text;
  std::set<std::string> anchors;
};

/// As the hosts of repositories make them: letters, digits, "-" and "_" in lower case, blanks as "-".
std::string anchor_of(const std::string& heading) {
  static const std::regex link(R"(\[([^\]]*)\]\([^)]*\))");
  std::string out;
  for (const char c : std::regex_replace(heading, link, "$1")) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || c == '-' || c == '_')
      out += static_cast<char>(std::tolower(byte));
    else if (c == ' ')
      out += '-';
  }
  return out;
}

Page read(const fs::path& file) {
  Page page;
  std::istringstream lines(content(file));
  std::string line;
  for (bool example = false; std::getline(lines, line);) {
    if (line.starts_with("```")) example = !example;
    if (example) continue;
    page.text += line + '\n';
    if (!line.starts_with('#')) continue;
    const auto anchor = anchor_of(line.substr(std::min(line.size(), line.find_first_not_of("# "))));
    for (int times = 0; !page.anchors.insert(times == 0 ? anchor : anchor + '-' + std::to_string(times)).second;) ++times;
  }
  return page;
}

TEST(Pages, LinkToWhatIsThereAndAreLinkedTo) {
  std::map<fs::path, Page> all;
  for (const auto& file : pages()) all[file] = read(file);
  ASSERT_GT(all.size(), 25U) << "the test has lost sight of the pages";
  std::set<fs::path> linked{"README.md"};
  const std::regex link(R"(\]\(([^)\s]+)\))");
  for (const auto& [file, page] : all) {
    for (std::sregex_iterator each(page.text.begin(), page.text.end(), link), end; each != end; ++each) {
      const std::string target = (*each)[1];
      if (target.find("://") != std::string::npos) continue;
      const auto hash = target.find('#');
      const auto path = target.substr(0, hash);
      const auto to = path.empty() ? file : (file.parent_path() / path).lexically_normal();
      EXPECT_TRUE(fs::exists(project_root() / to)) << file << ": there is no " << target;
      if (to != file) linked.insert(to);
      if (hash == std::string::npos || !all.contains(to)) continue;
      EXPECT_TRUE(all[to].anchors.contains(target.substr(hash + 1))) << file << ": there is no place " << target;
    }
  }
  for (const auto& [file, page] : all) EXPECT_TRUE(linked.contains(file)) << file << " is linked from nowhere";
}

TEST(Pages, NameOnlyTestsThatExist) {
  std::set<std::string> tests;
  const std::regex test(R"((?:^|\n)TEST(?:_F|_P)?\((\w+),\s*(\w+)\))");
  for (const auto& file : source_files({"tests"})) {
    const auto text = content(file);
    for (std::sregex_iterator each(text.begin(), text.end(), test), end; each != end; ++each)
      tests.insert((*each)[1].str() + '.' + (*each)[2].str());
  }
  std::size_t named = 0;
  const std::regex name(R"(`([A-Z]\w+\.[A-Z]\w+)`)");
  for (const auto& file : pages()) {
    const auto text = read(file).text;
    for (std::sregex_iterator each(text.begin(), text.end(), name), end; each != end; ++each, ++named)
      EXPECT_TRUE(tests.contains((*each)[1])) << file << ": there is no test " << (*each)[1];
  }
  EXPECT_GT(named, 40U) << "docs/security.md names the tests that attack each check";
}

TEST(Pages, HaveAnchorsAsHostsMakeThem) {
  EXPECT_EQ(anchor_of("What is left, for callers"), "what-is-left-for-callers");
  EXPECT_EQ(anchor_of("`in_flight` & co"), "in_flight--co");
  EXPECT_EQ(anchor_of("A [link](x.md)"), "a-link");
}

}  // namespace
}  // namespace headgate::test
