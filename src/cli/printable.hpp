#pragma once
// Makes text from others, above all from callers, safe for a terminal: nothing in the result acts on the terminal,
// changes the direction of a line, or stays invisible.

#include <cstdint>
#include <string>
#include <string_view>

namespace headgate::cli {

/// Returns the text in a visible form: control characters as "\x1b", invalid UTF-8 as "\xff", and invisible characters
/// (U+202E, U+200B, …) as their bytes in the same form.
std::string printable(std::string_view text);

/// Returns the same JSON with escapes ("\u202e") for the characters that printable() replaces. Such characters can only
/// be in strings, except for the line breaks and tabs between values, which are kept.
std::string printable_json(std::string_view json);

/// Returns "1 key" or "3 keys": a count with its noun in the singular, or with an "s".
std::string how_many_of(std::uint64_t count, std::string_view one);

}  // namespace headgate::cli
