#pragma once
// Turns JSON with comments into JSON in which every value keeps its place.

#include <cstddef>
#include <optional>
#include <string>

namespace headgate::usage {

/// Replaces comments and trailing commas with blanks. Returns the offset of a comment that does not end; empty if there
/// is none.
std::optional<std::size_t> blank_comments(std::string& json);

}  // namespace headgate::usage
