#pragma once
// From text to a checked configuration or to every mistake in it.

#include "headgate/config/config.hpp"
#include "headgate/config/diagnostic.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::config {

struct Loaded {
  std::optional<Config> config;         ///< absent where there is an error
  std::vector<Diagnostic> diagnostics;  ///< all of them, sorted by position; warnings do not stand in the way
};

/// Parses and checks `source` (JSON with comments and trailing commas; `${ENV}`, `${ENV:-default}` and `${file:PATH}`
/// replaced inside string values after parsing). Relative paths in it begin at `directory`, which is that of the file;
/// "" is the working directory. Reads the environment and the files it names; call at start and reload, never on a
/// worker.
Loaded load(std::string_view source, const std::string& directory = {});

/// What a valid configuration means, in words: the table of `headgate check`.
std::string meaning(const Config& config, std::string_view file);

/// JSON Schema (draft 2020-12) of the configuration, from the same table the checker walks.
std::string schema();

/// The tables of docs/configuration.md, from the same table.
std::string reference();

}  // namespace headgate::config
