#include "house/includes.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace headgate::test {
namespace {

namespace fs = std::filesystem;

/// Returns the target of an include line, or "" if it is another line.
std::string included(const std::string& line) {
  auto at = line.find_first_not_of(" \t");
  if (at == std::string::npos || line[at] != '#') return "";
  at = line.find_first_not_of(" \t", at + 1);
  if (at == std::string::npos || line.compare(at, 7, "include") != 0) return "";
  const auto open = line.find_first_of("<\"", at + 7);
  if (open == std::string::npos) return "";
  const auto close = line.find_first_of(">\"", open + 1);
  return close == std::string::npos ? "" : line.substr(open + 1, close - open - 1);
}

std::vector<Include> read_includes() {
  std::vector<Include> all;
  for (const auto& file : source_files({"include", "src"})) {
    std::ifstream in(project_root() / file);
    std::string line;
    for (std::size_t number = 1; std::getline(in, line); ++number) {
      std::string target = included(line);
      if (!target.empty()) all.push_back({file.string(), number, module_of(file), std::move(target)});
    }
  }
  return all;
}

}  // namespace

fs::path project_root() { return HEADGATE_SOURCE_DIR; }

std::vector<fs::path> source_files(const std::vector<std::string>& folders) {
  std::vector<fs::path> files;
  for (const auto& folder : folders) {
    if (!fs::exists(project_root() / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(project_root() / folder)) {
      const auto extension = entry.path().extension();
      if (entry.is_regular_file() && (extension == ".cpp" || extension == ".hpp" || extension == ".ipp")) {
        files.push_back(entry.path().lexically_relative(project_root()));
      }
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

const std::vector<Include>& all_includes() {
  static const std::vector<Include> all = read_includes();
  return all;
}

std::string module_of(const fs::path& file) {
  std::vector<std::string> parts;
  for (const auto& part : file) parts.push_back(part.string());
  const std::size_t depth = parts[0] == "include" ? 2 : 1;
  if (parts.size() == depth + 1) return file.stem().string();
  return parts.at(depth);
}

std::size_t line_count(const fs::path& file) {
  std::ifstream in(project_root() / file);
  return static_cast<std::size_t>(std::count(std::istreambuf_iterator<char>(in), {}, '\n'));
}

std::string content(const fs::path& file) {
  std::ifstream in(project_root() / file);
  return {std::istreambuf_iterator<char>(in), {}};
}

bool first_line(const fs::path& file, std::string& line) {
  std::ifstream in(project_root() / file);
  return static_cast<bool>(std::getline(in, line));
}

}  // namespace headgate::test
