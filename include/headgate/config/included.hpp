#pragma once
// Which files an entry of "include" names.

#include <string>
#include <string_view>
#include <vector>

namespace headgate::config {

/// Whether the last segment of `path` has a '*', so that it stands for any number of files.
bool is_pattern(std::string_view path);

struct IncludedNames {
  std::vector<std::string> files;  ///< sorted by name; of a path without '*' only itself, whether it is there or not
  std::string why_not;             ///< why the directory of a pattern cannot be read; else empty
};

/// '*' stands for any characters of a name, but for no name that begins with a dot. Directories are left out.
IncludedNames files_for(const std::string& path);

}  // namespace headgate::config
