// Writes what tables tell of themselves: that of the configuration the schema, and the middle of the page that
// describes every key; that of the path a part of the page about the house.
//   config_reference SCHEMA PAGE HOUSE TEST_SCHEMA TEST_PAGE ADVICE
// TEST_… are of files of policy tests, ADVICE is the page about advice.

#include "headgate/config/load.hpp"
#include "headgate/config/policy_tests.hpp"
#include "headgate/gateway/steps.hpp"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

namespace {

constexpr const char* kBegin = "<!-- generated: begin -->\n";
constexpr const char* kEnd = "<!-- generated: end -->";

bool write(const char* path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) std::fprintf(stderr, "cannot write %s\n", path);
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

bool write_part(const char* path, const std::string& part) {
  std::ifstream file(path, std::ios::binary);
  const std::string page = with_reference({std::istreambuf_iterator<char>(file), {}}, part);
  if (!page.empty()) return write(path, page);
  std::fprintf(stderr, "%s has no place for its table\n", path);
  return false;
}

}  // namespace

int main(int count, char** words) {
  if (count != 7) {
    std::fprintf(stderr, "usage: config_reference SCHEMA PAGE HOUSE TEST_SCHEMA TEST_PAGE ADVICE\n");
    return 2;
  }
  const bool written = write(words[1], headgate::config::schema()) &&
                       write_part(words[2], headgate::config::reference()) &&
                       write_part(words[3], headgate::gateway::steps_in_words()) &&
                       write(words[4], headgate::config::policy_tests_schema()) &&
                       write_part(words[5], headgate::config::policy_tests_reference()) &&
                       write_part(words[6], headgate::config::advice_table());
  return written ? 0 : 1;
}
