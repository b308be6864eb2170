#pragma once
// Relative paths in a configuration begin at the file they stand in, wherever headgate is started.

#include "document.hpp"
#include "table.hpp"

#include <string>

namespace headgate::config {

/// `path` as it is reached from the working directory; absolute paths, and all where `directory` is "", stay as they
/// are.
std::string resolved(const std::string& path, const std::string& directory);

/// Resolves the text of every node that `section` says is a path. `written` stays, for messages.
void resolve_paths(Node& node, const Section& section, const std::string& directory);

}  // namespace headgate::config
