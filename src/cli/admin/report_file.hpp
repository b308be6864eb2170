#pragma once
// A file that is written line by line, over several runs if one is interrupted, and has its name only when it is whole.
// Used by `headgate usage-report`.

#include "headgate/core/result.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace headgate::cli {

/// Errors are sentences without a dot.
class ReportFile {
 public:
  /// Whether to continue what an earlier run left, or to begin again.
  enum class Begin { resume, anew };

  /// Opens `path` with ".part" behind it, mode 0600, for this process alone; what follows the last whole line is cut
  /// off.
  static Result<ReportFile, std::string> open(const std::string& path, Begin begin);
  ReportFile(ReportFile&& other) noexcept;
  ReportFile& operator=(ReportFile&&) = delete;
  ~ReportFile();

  /// The last line of the earlier run without its end; empty: there is none.
  const std::string& last_line() const noexcept { return last_line_; }
  /// Appends whole lines.
  std::optional<std::string> append(std::string_view lines) const;
  /// Gives the file its name, in place of an old one. It survives a power cut then.
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
