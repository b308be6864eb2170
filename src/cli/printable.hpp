#pragma once
// What others wrote, callers first of all, as a terminal may see it: nothing of it acts on the terminal, turns the
// direction of a line, or stands there unseen.

#include <cstdint>
#include <string>
#include <string_view>

namespace headgate::cli {

/// Control characters as "\x1b", broken UTF-8 as "\xff", and the bytes of characters without a shape of their own
/// (U+202E, U+200B, …) the same.
std::string printable(std::string_view text);

/// JSON that says the same: such characters, which stand only in its strings, are spelled as escapes ("\u202e").
/// Line breaks and tabs between its values stay.
std::string printable_json(std::string_view json);

/// "1 key", "3 keys": a count, and its word in the singular or with an "s".
std::string how_many_of(std::uint64_t count, std::string_view one);

}  // namespace headgate::cli
