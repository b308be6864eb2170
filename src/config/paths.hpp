#pragma once
// Relative paths in a configuration begin at the directory of the file, not at the working directory.

#include "document.hpp"
#include "table.hpp"

#include <string>

namespace headgate::config {

/// `path` relative to the working directory. Absolute paths stay as they are; if `directory` is "", all paths do.
std::string resolved(const std::string& path, const std::string& directory);

/// Resolves the text of every node that `section` says is a path. `written` stays, for messages.
void resolve_paths(Node& node, const Section& section, const std::string& directory);

}  // namespace headgate::config
