#pragma once
// `headgate fmt`: one layout for JSON with comments.

#include "headgate/config/diagnostic.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::config {

/// A text in the layout, or why it has none.
struct LaidOut {
  std::optional<std::string> text;   ///< absent if there are mistakes
  std::vector<Diagnostic> mistakes;  ///< what is no JSON, and keys that stand twice
};

/// `source` with the same values and comments, in the layout of docs/configuration.md: lines of at most 120 columns
/// where that is possible, two columns a level, and the line breaks, blank lines and aligned columns that its author
/// has chosen. Laid out once more it stays as it is. `source` is JSON with comments and trailing commas, of at most 64
/// MiB and 64 levels; it need not be a configuration. Any thread.
LaidOut lay_out(std::string_view source);

}  // namespace headgate::config
