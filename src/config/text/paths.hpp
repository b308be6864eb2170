#pragma once
// Relative paths in a configuration start at the directory of the file, not at the working directory.

#include "config/table.hpp"
#include "document.hpp"

#include <string>
#include <vector>

namespace headgate::config {

/// Returns `path` relative to the working directory. Absolute paths stay unchanged, and so do all paths if `directory`
/// is empty.
std::string resolved(const std::string& path, const std::string& directory);

/// Resolves the paths in `member`, a member of `section`. `written` keeps the original text for messages. Adds the
/// paths to `named` unless it is null.
void resolve_path(Node& member, const Section& section, const std::string& directory, std::vector<std::string>* named);

}  // namespace headgate::config
