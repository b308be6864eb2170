#pragma once
// Reads the lines of one format. A splitter finds the parts of a line, and a draft makes a request of them by their
// meanings.

#include "line_parts.hpp"
#include "request_draft.hpp"

#include "headgate/access_logs/line_format.hpp"
#include "headgate/access_logs/read_options.hpp"
#include "headgate/core/result.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::access_logs {

/// Splits lines of one format. One thread.
class LineSplitter {
 public:
  virtual ~LineSplitter() = default;
  /// Splits a line, and replaces its escapes in place. Returns null, or why it cannot be split.
  virtual const char* split(char* begin, char* end, LineCells& cells) = 0;
};

/// The reader of a log's lines. One thread.
class LineReader {
 public:
  enum class Outcome : std::uint8_t { request, no_request, untold_call, unread };

  /// Creates a reader for a file whose first line is `first`. `values` are ReadOptions::values. The error is a
  /// sentence.
  static Result<std::unique_ptr<LineReader>, std::string> make(const LineFormat& format, std::string_view first,
                                                               const std::vector<std::string>& values);

  /// Reads the line [begin, end) of `block`, whose escapes are replaced. If the line has a request, adds it to the
  /// block.
  Outcome read(char* begin, char* end, RequestBlock& block, MissingParts& missing);
  /// Returns why the last line was unreadable.
  const char* why() const noexcept { return why_; }
  /// Returns how many parts of the last line had a used value.
  std::size_t told() const noexcept { return told_; }
  /// Returns whether the last line had more text after its last part.
  bool rest() const noexcept { return cells_.rest; }
  /// Returns the names of all parts, as in the log.
  std::vector<std::string> names() const;
  /// Returns for each element of `values` whether lines of this format may have it.
  const std::vector<bool>& values_known() const noexcept { return values_known_; }

 private:
  LineReader(const LineFormat& format, std::unique_ptr<LineParts> parts, std::unique_ptr<LineSplitter> splitter,
             const std::vector<std::string>& values);
  void know_parts();

  const LineFormat& format_;
  std::unique_ptr<LineParts> parts_;
  std::unique_ptr<LineSplitter> splitter_;
  std::vector<int> value_parts_;
  std::vector<bool> values_known_;
  LineCells cells_;
  LogMoments moments_;
  const char* why_ = nullptr;
  std::size_t told_ = 0;
  std::size_t parts_known_ = 0;
  /// the parts that have a meaning, each with a pointer to its value in the line
  std::vector<std::pair<const LineParts::Part*, const std::string_view*>> used_;
  bool has_path_ = false;
  MissingParts never_;  ///< facts that these parts never contain
};

}  // namespace headgate::access_logs
