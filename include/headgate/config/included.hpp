#pragma once
// The files that an entry of "include" names.

#include <string>
#include <string_view>
#include <vector>

namespace headgate::config {

/// Returns whether the last segment of `path` contains '*', so that the path stands for any number of files.
bool is_pattern(std::string_view path);

struct IncludedNames {
  /// sorted by name; a path without '*' gives only itself, even if the file does not exist
  std::vector<std::string> files;
  std::string why_not;  ///< reason why the directory of a pattern cannot be read; empty if it can be read
};

/// Returns the files that `path` names. '*' stands for any characters of a name, but does not match names that begin
/// with a dot. Directories are left out.
IncludedNames files_for(const std::string& path);

}  // namespace headgate::config
