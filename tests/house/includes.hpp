#pragma once
// What the project's source files include, for the tests that keep the house in order.

#include <filesystem>
#include <string>
#include <vector>

namespace headgate::test {

/// One `#include` line.
struct Include {
  std::string file;  ///< "src/limit/key_table.cpp"
  std::size_t line = 0;
  std::string module;  ///< the file's: "limit"; "main" for src/main.cpp
  std::string target;  ///< "headgate/core/time.hpp", "boost/asio/post.hpp"
};

/// All C++ files below `folders` of the project, relative to its root, sorted.
std::vector<std::filesystem::path> source_files(const std::vector<std::string>& folders);
/// All includes in include/ and src/.
const std::vector<Include>& all_includes();
/// "src/http/h1/x.cpp" and "include/headgate/http/h1.hpp" are of "http".
std::string module_of(const std::filesystem::path& file);
/// How many lines a file has.
std::size_t line_count(const std::filesystem::path& file);
/// False where the file is empty or unreadable.
bool first_line(const std::filesystem::path& file, std::string& line);
std::string content(const std::filesystem::path& file);
std::filesystem::path project_root();

}  // namespace headgate::test
