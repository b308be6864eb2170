#pragma once
// Prints a draft as a commented headgate file.

#include "draft.hpp"

#include <string>

namespace headgate::translate {

/// An entry on one line, as it stands in the file.
std::string on_one_line(const DraftEntry& entry);

/// `heading` is a line of comment at the top.
std::string write(const Draft& draft, const std::string& heading);

}  // namespace headgate::translate
