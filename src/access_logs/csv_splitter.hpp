#pragma once
// Splits lines of values separated by commas, semicolons or tabs, whose names are in the first line (RFC 4180).

#include "line_reader.hpp"

namespace headgate::access_logs {

/// The splitter of CSV. A value in quotes must end on its line.
class CsvSplitter final : public LineSplitter {
 public:
  /// Creates the splitter. `header` is the first line, whose names become `parts`. Fails if it is not such a line.
  static Result<std::unique_ptr<LineSplitter>, std::string> make(std::string_view header, LineParts& parts);

  const char* split(char* begin, char* end, LineCells& cells) override;

 private:
  char between_ = ',';
  std::size_t columns_ = 0;
};

}  // namespace headgate::access_logs
