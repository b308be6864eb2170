#pragma once
// Splits lines whose parts are separated by fixed texts, as described by nginx's log_format.

#include "line_reader.hpp"

namespace headgate::access_logs {

/// The splitter. A part in quotes may contain a quote that is not escaped. A part without quotes may contain a blank
/// after a comma, as in lists.
class TextSplitter final : public LineSplitter {
 public:
  /// Adds the variables of format.layout to `parts`. The error is a sentence about the layout.
  static Result<std::unique_ptr<LineSplitter>, std::string> make(const LineFormat& format, LineParts& parts);

  const char* split(char* begin, char* end, LineCells& cells) override;

 private:
  struct Piece {
    std::string behind;  ///< the text that follows the part; empty for the last part
    bool quoted = false;
    bool list = false;  ///< whether the part may have blanks between its members
  };
  static char* end_of(const Piece& piece, char* at, char* end) noexcept;

  std::string before_;         ///< the text before the first part
  std::vector<Piece> pieces_;  ///< one piece for each part
};

}  // namespace headgate::access_logs
