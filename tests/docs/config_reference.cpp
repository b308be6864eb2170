// Writes the pages and schemas that the tables of the code describe. A page keeps its text outside the marks.
//   config_reference ROOT
// ROOT is the folder of the sources.

#include "support/observe_tables.hpp"

#include "headgate/config/load.hpp"
#include "headgate/config/policy_tests.hpp"
#include "headgate/gateway/steps.hpp"
#include "headgate/translate/known.hpp"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

namespace {

constexpr const char* kBegin = "<!-- generated: begin -->\n";
constexpr const char* kEnd = "<!-- generated: end -->";

bool write(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) std::fprintf(stderr, "cannot write %s\n", path.c_str());
  return static_cast<bool>(file);
}

/// The page with `reference` between its marks; empty where it has none.
std::string with_reference(std::string page, const std::string& reference) {
  const auto begin = page.find(kBegin);
  const auto end = page.find(kEnd);
  if (begin == std::string::npos || end == std::string::npos || end < begin) return "";
  const auto from = begin + std::string(kBegin).size();
  return page.replace(from, end - from, reference);
}

bool write_part(const std::string& path, const std::string& part) {
  std::ifstream file(path, std::ios::binary);
  const std::string page = with_reference({std::istreambuf_iterator<char>(file), {}}, part);
  if (!page.empty()) return write(path, page);
  std::fprintf(stderr, "%s has no place for its table\n", path.c_str());
  return false;
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) {
    std::fprintf(stderr, "usage: config_reference ROOT\n");
    return 2;
  }
  const std::string root = std::string(words[1]) + '/';
  namespace config = headgate::config;
  const bool written = write(root + "conf/headgate.schema.json", config::schema()) &&
                       write(root + "conf/headgate.test.schema.json", config::policy_tests_schema()) &&
                       write_part(root + "docs/configuration.md", config::reference()) &&
                       write_part(root + "docs/policy_tests.md", config::policy_tests_reference()) &&
                       write_part(root + "docs/advice.md", config::advice_table()) &&
                       write_part(root + "docs/architecture.md", headgate::gateway::steps_in_words()) &&
                       write_part(root + "docs/metrics.md", headgate::test::metrics_in_words()) &&
                       write_part(root + "docs/logs.md", headgate::test::access_fields_in_words()) &&
                       write_part(root + "docs/imports.md", headgate::translate::import_tables());
  return written ? 0 : 1;
}
