#pragma once
// Replaces ${ENV}, ${ENV:-default} and ${file:PATH} inside string values, after parsing. So no value can change the
// structure.

#include "document.hpp"
#include "report.hpp"

#include <optional>
#include <string>
#include <vector>

namespace headgate::config {

/// Replaces all placeholders; `$${` stands for a literal "${". Reports those that cannot be replaced, and sets such a
/// string to `broken`. A report names the variable or the file, never a value.
/// Relative paths begin at `directory`. Adds the files that were asked for to `named`.
void replace_placeholders(Document& document, const std::string& directory, Report& report,
                          std::vector<std::string>& named);

struct FileText {
  std::optional<std::string> text;
  std::string why_not;  ///< the reason in words, without the path, if there is no text
};

inline constexpr std::size_t kSmallFile = 1024UL * 1024;
/// Reads a file of at most `largest` bytes.
FileText read_file(const std::string& path, std::size_t largest = kSmallFile);
/// Reads a UTF-8 text file of at most `largest` bytes.
FileText read_text_file(const std::string& path, std::size_t largest = kSmallFile);

}  // namespace headgate::config
