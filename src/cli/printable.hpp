#pragma once
// Makes text from others, above all from callers, safe for a terminal: nothing in it acts on the terminal, changes the
// direction of a line, or stays invisible.

#include <cstdint>
#include <string>
#include <string_view>

namespace headgate::cli {

/// Returns the text with control characters as "\x1b", invalid UTF-8 as "\xff", and the bytes of invisible characters
/// (U+202E, U+200B, …) in the same form.
std::string printable(std::string_view text);

/// Returns equivalent JSON in which the characters that printable() replaces, which occur only in strings, are written
/// as escapes ("\u202e"). Line breaks and tabs between values are kept.
std::string printable_json(std::string_view json);

/// Returns "1 key" or "3 keys": a count with its noun in the singular, or with an "s".
std::string how_many_of(std::uint64_t count, std::string_view one);

}  // namespace headgate::cli
