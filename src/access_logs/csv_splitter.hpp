#pragma once
// Lines of values with commas, semicolons or tabs between them, whose names the first line has (RFC 4180).

#include "line_reader.hpp"

namespace headgate::access_logs {

/// A value in quotes does not go on in the next line.
class CsvSplitter final : public LineSplitter {
 public:
  /// `header` is the first line; its names become `parts`. The error: it is no such line.
  static Result<std::unique_ptr<LineSplitter>, std::string> make(std::string_view header, LineParts& parts);

  const char* split(char* begin, char* end, LineCells& cells) override;

 private:
  char between_ = ',';
  std::size_t columns_ = 0;
};

}  // namespace headgate::access_logs
