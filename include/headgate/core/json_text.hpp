#pragma once
// Text as the inside of a JSON string, for the few answers and log lines that are written piece by piece.

#include <string>
#include <string_view>

namespace headgate {

/// Appends `text` escaped. Bytes beyond ASCII are escaped one by one: what a caller sent need not be UTF-8, what we
/// write must be.
void append_json_text(std::string& out, std::string_view text);

}  // namespace headgate
