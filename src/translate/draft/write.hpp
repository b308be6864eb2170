#pragma once
// Prints a draft as a headgate file with comments.

#include "draft.hpp"

#include <string>

namespace headgate::translate {

/// Returns an entry on one line, as the file has it.
std::string on_one_line(const DraftEntry& entry);

/// `heading` becomes the comment in the first line.
std::string write(const Draft& draft, const std::string& heading);

}  // namespace headgate::translate
