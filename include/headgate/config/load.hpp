#pragma once
// Turns text into a checked configuration, or into a list of every mistake in it.

#include "headgate/config/config.hpp"
#include "headgate/config/diagnostic.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::config {

/// Whether to report advice (src/config/advice) on settings that are legal but surely not meant. Advice is for people
/// who read a file.
enum class WithAdvice : bool { no, yes };

struct Loaded {
  std::optional<Config> config;         ///< the configuration; empty if there is an error
  std::vector<Diagnostic> diagnostics;  ///< all diagnostics, sorted by position; only errors prevent a configuration
  std::vector<IncludedFile> included;   ///< the files that the main file includes; filled if there are diagnostics
  /// Paths and patterns (files_for) of files whose change may change the result. The main file is left out, and so are
  /// the files that another module watches itself: certificates of listeners, and key files.
  std::vector<std::string> watched;
};

/// Parses and checks `source`: JSON with comments and trailing commas. `${ENV}`, `${ENV:-default}` and `${file:PATH}`
/// are replaced inside string values after parsing. Relative paths start at `directory`, the directory of the file;
/// empty means the working directory. `path` is the path of the file, if there is one. Reads the environment and all
/// files that `source` names or includes. Call it at startup and at a reload, never on a worker.
Loaded load(std::string_view source, const std::string& directory = {}, std::string_view path = {},
            WithAdvice with = WithAdvice::no);

/// Loads a candidate configuration, which decides beside the active one. The key "candidate" is not allowed in it.
Loaded load_candidate(std::string_view source, const std::string& directory = {}, std::string_view path = {});

/// Returns the table of `headgate check`, which says in words what a valid configuration means.
std::string meaning(const Config& config, std::string_view file);

/// Returns the table of meaning() as JSON, for `headgate check --format json`: an object of `file`, `valid`,
/// `diagnostics` (render_json) and `routes`, which is empty if the file is not valid. Each route has `name`,
/// `requests`, `goes_to`, `open_to` (a list of the credentials that a caller must show, or of "anyone" or "nobody") and
/// `under`, in the words of the table.
std::string check_json(const Loaded& loaded, std::string_view file);

/// Returns the description of one limit in the table, without its name: one line, and one more for each tier.
std::string meaning_of(const limit::Limit& limit, const Config& config);

/// Returns the JSON Schema (draft 2020-12) of the configuration, generated from the table that the checker uses.
std::string schema();

/// Returns the tables of docs/configuration.md, generated from the same table as the schema.
std::string reference();

/// Returns the table of docs/advice.md, with one row for each piece of advice.
std::string advice_table();

}  // namespace headgate::config
