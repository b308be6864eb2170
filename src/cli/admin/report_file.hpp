#pragma once
// A file that is written line by line, over several runs if one is interrupted, and gets its name only when it is
// complete. Used by `headgate usage-report`.

#include "headgate/core/result.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace headgate::cli {

/// The file. Errors are sentences without a full stop.
class ReportFile {
 public:
  /// Whether to continue the file of an earlier run or to start again.
  enum class Begin { resume, anew };

  /// Opens the file `path` with ".part" appended, with mode 0600 and a lock for this process alone. Removes an
  /// incomplete last line.
  static Result<ReportFile, std::string> open(const std::string& path, Begin begin);
  ReportFile(ReportFile&& other) noexcept;
  ReportFile& operator=(ReportFile&&) = delete;
  ~ReportFile();

  /// Returns the last line of the earlier run without its line end; empty if there is none.
  const std::string& last_line() const noexcept { return last_line_; }
  /// Appends whole lines.
  std::optional<std::string> append(std::string_view lines) const;
  /// Gives the file its name without ".part", and replaces an old file of that name. The result survives a power
  /// failure.
  std::optional<std::string> finish() const;

 private:
  explicit ReportFile(const std::string& path) : path_(path), part_(path + ".part") {}
  std::optional<std::string> cut_half_line();

  std::string path_;
  std::string part_;
  std::string last_line_;
  int fd_ = -1;
};

}  // namespace headgate::cli
