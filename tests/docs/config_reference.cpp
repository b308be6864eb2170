// Writes what the configuration's table tells of itself: the schema, and the middle of the page that describes every
// key.
//   config_reference SCHEMA PAGE

#include "headgate/config/load.hpp"

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

}  // namespace

int main(int count, char** words) {
  if (count != 3) {
    std::fprintf(stderr, "usage: config_reference SCHEMA PAGE\n");
    return 2;
  }
  std::ifstream file(words[2], std::ios::binary);
  const std::string page = with_reference({std::istreambuf_iterator<char>(file), {}}, headgate::config::reference());
  if (page.empty()) {
    std::fprintf(stderr, "%s has no place for the reference\n", words[2]);
    return 1;
  }
  return write(words[1], headgate::config::schema()) && write(words[2], page) ? 0 : 1;
}
