#pragma once
// Escapes text for JSON strings, for the answers and log lines that are written in pieces. Used by most modules.

#include "headgate/core/text_cursor.hpp"

#include <string>
#include <string_view>

namespace headgate {

/// Maximum number of bytes that escaping makes of one byte.
inline constexpr std::size_t kMaxJsonBytes = 6;

/// Writes `text` escaped, so that the result is UTF-8 and printable on one line, whatever `text` contains. Invalid
/// UTF-8 is escaped byte by byte, as U+0080 to U+00FF. Characters that would act on a terminal, on the line or on the
/// direction of the text after them are escaped, too.
void write_json_text(TextCursor& out, std::string_view text) noexcept;
void append_json_text(std::string& out, std::string_view text);

}  // namespace headgate
