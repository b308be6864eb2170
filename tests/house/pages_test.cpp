// The links of the documentation lead to pages and headings that exist, and the tests that it names exist.

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
  std::vector<fs::path> out{"README.md", "tests/load/README.md"};
  for (const auto& each : fs::directory_iterator(project_root() / "docs"))
    if (each.path().extension() == ".md") out.push_back(each.path().lexically_relative(project_root()));
  std::sort(out.begin(), out.end());
  return out;
}

/// The text of a page without its examples, and the anchors of its headings.
struct Page {
  std::string text;
  std::set<std::string> anchors;
};

/// Returns the parts of `text` between each `before` and the next `after`.
std::vector<std::string> between(const std::string& text, std::string_view before, char after) {
  std::vector<std::string> out;
  for (auto at = text.find(before); at != std::string::npos; at = text.find(before, at)) {
    at += before.size();
    const auto end = text.find(after, at);
    if (end == std::string::npos) break;
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

/// Returns the anchor of a heading as repository hosts make it: letters, digits, "-" and "_" in lower case, with "-"
/// for each space.
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
    for (int times = 0; !page.anchors.insert(times == 0 ? anchor : anchor + '-' + std::to_string(times)).second;)
      ++times;
  }
  return page;
}

TEST(Pages, LinkToWhatIsThereAndAreLinkedTo) {
  std::map<fs::path, Page> all;
  for (const auto& file : pages()) all[file] = read(file);
  ASSERT_GT(all.size(), 25U) << "the test has lost sight of the pages";
  std::set<fs::path> linked{"README.md"};
  for (const auto& [file, page] : all) {
    for (const auto& target : between(page.text, "](", ')')) {
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

/// Returns "Suite.Name" of every test.
std::set<std::string> tests_of_the_project() {
  std::set<std::string> out;
  const std::regex test(R"(TEST(?:_F|_P)?\((\w+),\s*(\w+)\).*)");
  for (const auto& file : source_files({"tests"})) {
    std::istringstream lines(content(file));
    std::smatch found;
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("TEST") && std::regex_match(line, found, test))
        out.insert(found[1].str() + '.' + found[2].str());
  }
  return out;
}

TEST(Pages, NameOnlyTestsThatExist) {
  const auto tests = tests_of_the_project();
  const std::regex name(R"([A-Z]\w+\.[A-Z]\w+)");
  std::size_t named = 0;
  for (const auto& file : pages()) {
    const auto text = read(file).text;
    for (const auto& code : between(text, "`", '`')) {
      if (code.size() > 200 || !std::regex_match(code, name)) continue;
      ++named;
      EXPECT_TRUE(tests.contains(code)) << file << ": there is no test " << code;
    }
  }
  EXPECT_GT(named, 40U) << "docs/security.md names the tests that attack each check";
}

/// Pages named without a link, and by messages: "(docs/not_here.md)".
TEST(Pages, NameOnlyPagesThatExist) {
  const std::regex in_page(R"(`([a-z_/-]+\.md)`)"), in_source(R"(\b(docs/[\w-]+\.md)\b)");
  std::map<fs::path, std::set<std::string>> named;
  const auto collect = [&](const fs::path& file, const std::regex& page) {
    const auto text = content(file);
    if (text.find(".md") == std::string::npos) return;
    for (std::sregex_iterator match(text.begin(), text.end(), page), end; match != end; ++match)
      named[file].insert((*match)[1]);
  };
  for (const auto& file : pages()) collect(file, in_page);
  for (const auto& file : source_files({"include", "src", "tests"})) collect(file, in_source);
  for (const auto* file : {"conf/headgate.schema.json", "conf/alerts.yml", "dev"}) collect(file, in_source);
  EXPECT_GT(named.size(), 20U) << "the test has lost sight of the pages";
  for (const auto& [file, names] : named)
    for (const auto& name : names)
      EXPECT_TRUE(fs::exists(project_root() / name) || fs::exists(project_root() / file.parent_path() / name))
          << file << ": there is no page " << name;
}

TEST(Pages, NameOnlyCommandsOfDev) {
  const std::regex in_usage(R"(^\./dev ([a-z0-9]+))", std::regex::multiline), in_page(R"(\./dev ([a-z0-9]+))");
  const auto words = [](const std::string& text, const std::regex& command) {
    std::set<std::string> out;
    for (std::sregex_iterator match(text.begin(), text.end(), command), end; match != end; ++match)
      out.insert((*match)[1]);
    return out;
  };
  const auto known = words(content("dev"), in_usage);
  EXPECT_GT(known.size(), 10U);
  auto all = pages();
  all.emplace_back("CONTRIBUTING.md");
  for (const auto& file : all)
    for (const auto& word : words(content(file), in_page))
      EXPECT_TRUE(known.contains(word)) << file << ": there is no ./dev " << word;
}

TEST(Pages, HaveAnchorsAsHostsMakeThem) {
  EXPECT_EQ(anchor_of("What is left, for callers"), "what-is-left-for-callers");
  EXPECT_EQ(anchor_of("`in_flight` & co"), "in_flight--co");
  EXPECT_EQ(anchor_of("A [link](x.md)"), "a-link");
}

}  // namespace
}  // namespace headgate::test
