#pragma once
// ${ENV}, ${ENV:-default} and ${file:PATH} inside string values: replaced after parsing, so that no value changes the
// structure.

#include "document.hpp"
#include "report.hpp"

#include <optional>
#include <string>

namespace headgate::config {

/// Replaces all of them; `$${` stands for a literal "${". Reports what cannot be replaced, naming the variable or file,
/// never a value, and leaves such a string `broken`.
/// Relative paths begin at `directory`.
void replace_placeholders(Document& document, const std::string& directory, Report& report);

struct FileText {
  std::optional<std::string> text;
  std::string why_not;  ///< in words, without the path; where there is no text
};

/// A text file (UTF-8) of at most so many bytes.
inline constexpr std::size_t kSmallFile = 1024UL * 1024;
FileText read_text_file(const std::string& path, std::size_t largest = kSmallFile);

}  // namespace headgate::config
