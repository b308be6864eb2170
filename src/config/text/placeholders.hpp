#pragma once
// Replaces ${ENV}, ${ENV:-default} and ${file:PATH} inside string values. This happens after parsing, so no value can
// change the structure of the file.

#include "document.hpp"
#include "report.hpp"

#include <optional>
#include <string>
#include <vector>

namespace headgate::config {

/// Replaces all placeholders; `$${` stands for a literal "${". Reports each one that cannot be replaced, and sets its
/// string to `broken`. A report names the variable or the file, but never a value. Relative paths start at `directory`.
/// Adds the files of placeholders to `named`.
void replace_placeholders(Document& document, const std::string& directory, Report& report,
                          std::vector<std::string>& named);

struct FileText {
  std::optional<std::string> text;
  std::string why_not;  ///< why there is no text, in words and without the path
};

inline constexpr std::size_t kSmallFile = 1024UL * 1024;
/// Reads a file of at most `largest` bytes.
FileText read_file(const std::string& path, std::size_t largest = kSmallFile);
/// Reads a UTF-8 text file of at most `largest` bytes.
FileText read_text_file(const std::string& path, std::size_t largest = kSmallFile);

}  // namespace headgate::config
