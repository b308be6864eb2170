#pragma once
// Guesses the meaning of a text that is not a valid rate. Used by literals and config.

#include <string>
#include <string_view>

namespace headgate {

/// Returns what to write instead of `text`: `write "30/minute" (a count, a slash, …)`. Understands "0.5/second",
/// "1,000/hour", "1k/s", "-5" and "10r/s".
std::string rate_help(std::string_view text);

}  // namespace headgate
