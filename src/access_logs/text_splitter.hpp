#pragma once
// Lines whose parts stand between fixed texts, as nginx's log_format describes them.

#include "line_reader.hpp"

namespace headgate::access_logs {

/// A part in quotes may have a quote that no escape marks, and one without quotes a blank behind a comma, as lists
/// have.
class TextSplitter final : public LineSplitter {
 public:
  /// Adds to `parts` the variables of format.layout. The error is a sentence that says what is wrong with it.
  static Result<std::unique_ptr<LineSplitter>, std::string> make(const LineFormat& format, LineParts& parts);

  const char* split(char* begin, char* end, LineCells& cells) override;

 private:
  struct Piece {
    std::string behind;  ///< the text behind a part; empty: it is the last one
    bool quoted = false;
    bool list = false;  ///< whether it may have blanks between its members
  };
  static char* end_of(const Piece& piece, char* at, char* end) noexcept;

  std::string before_;         ///< the text before the first part
  std::vector<Piece> pieces_;  ///< one for each part
};

}  // namespace headgate::access_logs
