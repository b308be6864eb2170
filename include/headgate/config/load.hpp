#pragma once
// Turns text into a checked configuration, or into a list of every mistake in it.

#include "headgate/config/config.hpp"
#include "headgate/config/diagnostic.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::config {

/// Whether what is legal, and surely not meant, is reported, too (src/config/advice): for people who look at a file.
enum class WithAdvice : bool { no, yes };

struct Loaded {
  std::optional<Config> config;         ///< absent if there is an error
  std::vector<Diagnostic> diagnostics;  ///< all of them, sorted by position; only errors prevent a config
  std::vector<IncludedFile> included;   ///< if there are diagnostics: the files that the main file includes
  /// Paths of files whose change may change the result, and patterns (files_for) of such. Not the main file; not what
  /// is watched by whoever uses it: certificates of listeners, files of keys.
  std::vector<std::string> watched;
};

/// Parses and checks `source`: JSON with comments and trailing commas. `${ENV}`, `${ENV:-default}` and `${file:PATH}`
/// are replaced inside string values after parsing. Relative paths in it begin at `directory`, the directory of the
/// file; "" means the working directory. `path` is the file's own, if it has one. Reads the environment and the files
/// that `source` names, with those that it includes. Call it at start and at reload, never on a worker.
Loaded load(std::string_view source, const std::string& directory = {}, std::string_view path = {},
            WithAdvice with = WithAdvice::no);

/// The same of a configuration that only decides beside the one that serves. It has no key "candidate".
Loaded load_candidate(std::string_view source, const std::string& directory = {}, std::string_view path = {});

/// The table of `headgate check`: what a valid configuration means, in words.
std::string meaning(const Config& config, std::string_view file);

/// The same as JSON, for `headgate check --format json`: an object of `file`, `valid`, `diagnostics` (render_json) and
/// `routes`, which is empty if the file is not valid. Each route has `name`, `requests`, `goes_to`, `open_to` (a list
/// of what a caller must show, or of "anyone" or "nobody") and `under`, in the words of the table.
std::string check_json(const Loaded& loaded, std::string_view file);

/// One limit of it as the table has it, without its name: one line, and one more for each tier.
std::string meaning_of(const limit::Limit& limit, const Config& config);

/// JSON Schema (draft 2020-12) of the configuration, from the same table that the checker uses.
std::string schema();

/// The tables of docs/configuration.md, from the same table.
std::string reference();

/// The table of docs/advice.md: one row a piece of advice.
std::string advice_table();

}  // namespace headgate::config
