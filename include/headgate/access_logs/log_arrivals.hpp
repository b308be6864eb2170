#pragma once
// Reads logs as arrivals of a simulation: merged, and sorted by the start of each request. Used by cli and server.

#include "headgate/access_logs/read_options.hpp"
#include "headgate/core/result.hpp"
#include "headgate/engine/simulation.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::access_logs {

/// The progress of reading.
struct ReadProgress {
  std::uint64_t read = 0;  ///< bytes read from the files, which may be compressed
  std::uint64_t all = 0;   ///< total bytes of all files; 0 if unknown, as for a pipe
};

/// A file and the format of its lines.
struct OpenedLog {
  std::string file;
  std::string format;  ///< name of the format; "custom" if the user described the format, "" if the file has no line
};

/// The arrivals of some logs. One thread. Memory is bounded by ReadOptions::window_lines, and by 24 MiB of waiting
/// lines plus about four times as much for their parsed content. An open file takes 1 MiB; files that overlap in time
/// are open together.
class LogArrivals final : public engine::Arrivals {
 public:
  /// Opens the files, and detects the format and time of each. The error is a sentence that names the file and says
  /// what to do.
  static Result<std::unique_ptr<LogArrivals>, std::string> open(const ReadOptions& options);
  ~LogArrivals() override;

  /// Returns the next request. The arrival and everything it refers to are valid until the next call. A late arrival
  /// (ReadCounts::late) keeps its own time, which is before the time of the previous arrival.
  const engine::RequestArrival* next() override;

  /// Returns the value that the line of the last arrival has for ReadOptions::values[index], without quotes and
  /// escapes; empty if the line has no such value or "-". Valid until the next arrival.
  std::string_view value(std::size_t index) const noexcept;
  /// Returns whether the answer of the last arrival is assumed to be 200, because the log has a refusal
  /// (ReadCounts::assumed_ok).
  bool assumed_ok() const noexcept;

  /// Returns the logs in the order of their times. They are complete after open().
  const std::vector<OpenedLog>& logs() const noexcept;
  /// Returns the counts so far; complete once next() has returned null.
  const ReadCounts& counts() const noexcept;
  ReadProgress progress() const noexcept;

 private:
  struct Parts;
  explicit LogArrivals(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace headgate::access_logs
