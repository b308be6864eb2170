#pragma once
// Finds the project's source files and their includes, for the tests in this folder.

#include <filesystem>
#include <string>
#include <vector>

namespace headgate::test {

/// An `#include` line.
struct Include {
  std::string file;  ///< like "src/limit/key_table.cpp"
  std::size_t line = 0;
  std::string module;  ///< the module of the file, like "limit"; "main" for src/main.cpp
  std::string target;  ///< like "headgate/core/time.hpp" or "boost/asio/post.hpp"
};

/// Returns all C++ files below these folders of the project, relative to its root, sorted.
std::vector<std::filesystem::path> source_files(const std::vector<std::string>& folders);
/// Returns all includes in include/ and src/.
const std::vector<Include>& all_includes();
/// Returns the module of a file: "http" for "src/http/h1/x.cpp" and "include/headgate/http/h1.hpp".
std::string module_of(const std::filesystem::path& file);
/// Returns the number of lines of a file.
std::size_t line_count(const std::filesystem::path& file);
/// Returns false if the file is empty or cannot be read.
bool first_line(const std::filesystem::path& file, std::string& line);
std::string content(const std::filesystem::path& file);
std::filesystem::path project_root();

}  // namespace headgate::test
