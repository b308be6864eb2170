#pragma once
// Files the tests of config read.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace headgate::config {

inline std::filesystem::path source_path(const std::string& relative) {
  return std::filesystem::path(HEADGATE_SOURCE_DIR) / relative;
}

inline std::string content(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

/// Sorted; of the files that end in `extension`.
inline std::vector<std::filesystem::path> files_in(const std::string& relative, const std::string& extension) {
  std::vector<std::filesystem::path> out;
  for (const auto& each : std::filesystem::directory_iterator(source_path(relative))) {
    if (each.path().extension() == extension) out.push_back(each.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

/// The minimal file, all examples, and all recipes.
inline std::vector<std::filesystem::path> shipped_configurations() {
  auto out = files_in("conf/examples", ".json");
  for (const auto& recipe : files_in("conf/examples/recipes", ".json")) out.push_back(recipe);
  std::erase_if(out, [](const auto& path) { return path.stem().extension() == ".test"; });
  for (const char* other : {"conf/headgate.json", "conf/demo/local.json", "conf/demo/compose.json"})
    out.push_back(source_path(other));
  return out;
}

}  // namespace headgate::config
