#pragma once
// Writes a JSON Schema from a table of keys.

#include "table.hpp"

#include <string>
#include <string_view>

namespace headgate::config {

/// Whether texts of the file may contain placeholders, which an editor cannot check.
enum class Placeholders : bool { none, anywhere };

/// Returns the JSON Schema (draft 2020-12) of a file whose top level is `root`.
std::string schema_of(const Section& root, std::string_view title, std::string_view description,
                      Placeholders placeholders);

/// Returns the sections of a file whose top level is `root`, as Markdown.
std::string reference_of(const Section& root);

}  // namespace headgate::config
