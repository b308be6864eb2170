#pragma once
// Relative paths in a configuration begin at the directory of the file, not at the working directory.

#include "config/table.hpp"
#include "document.hpp"

#include <string>
#include <vector>

namespace headgate::config {

/// `path` relative to the working directory. Absolute paths stay as they are; if `directory` is "", all paths do.
std::string resolved(const std::string& path, const std::string& directory);

/// Resolves the texts in `member`, a member of `section`, that are paths. `written` stays, for messages. Adds them to
/// `named`, if it is not null.
void resolve_path(Node& member, const Section& section, const std::string& directory, std::vector<std::string>* named);

}  // namespace headgate::config
