#pragma once
// Text for the inside of a JSON string, for the few answers and log lines that are written in pieces.

#include "headgate/core/text_cursor.hpp"

#include <string>
#include <string_view>

namespace headgate {

/// The maximum of bytes that one byte of a text becomes.
inline constexpr std::size_t kMaxJsonBytes = 6;

/// Writes `text` escaped. Non-ASCII bytes are escaped one by one: a caller's text may be invalid UTF-8, but the output
/// must be valid.
void write_json_text(TextCursor& out, std::string_view text) noexcept;
void append_json_text(std::string& out, std::string_view text);

}  // namespace headgate
