#pragma once
// The layout of JSON with comments that `headgate fmt` writes.

#include "headgate/config/diagnostic.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::config {

/// A text in the layout, or the mistakes that prevent it.
struct LaidOut {
  std::optional<std::string> text;   ///< the text in the new layout; empty if there are mistakes
  std::vector<Diagnostic> mistakes;  ///< syntax errors and duplicate keys
};

/// Returns `source` with the same values and comments, in the layout of docs/configuration.md: lines of at most 120
/// columns where possible, and two columns per level. The line breaks, blank lines and aligned columns that the author
/// has chosen are kept. A text in the layout stays unchanged. `source` is JSON with comments and trailing commas, of at
/// most 64 MiB and 64 levels; it need not be a configuration. Callable from any thread.
LaidOut lay_out(std::string_view source);

}  // namespace headgate::config
