#pragma once
// Logs as the arrivals of a simulation: read, merged and put in order of the moments at which requests began.

#include "headgate/access_logs/read_options.hpp"
#include "headgate/core/result.hpp"
#include "headgate/engine/simulation.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::access_logs {

/// How far reading has come.
struct ReadProgress {
  std::uint64_t read = 0;  ///< bytes of the files, compressed as they are
  std::uint64_t all = 0;   ///< of all files; 0: not known, as of a pipe
};

/// A file and the format of its lines.
struct OpenedLog {
  std::string file;
  std::string format;  ///< its name, "custom" for a description, "" for a file without a line
};

/// One thread. Memory is bounded by ReadOptions::window_lines, and by 24 MiB of lines that wait, with about four times
/// as much of what was read of them. A file that is open takes 1 MiB: those that overlap in time are.
class LogArrivals final : public engine::Arrivals {
 public:
  /// Finds format and time of each file. The error is a sentence that names the file, and says what helps.
  static Result<std::unique_ptr<LogArrivals>, std::string> open(const ReadOptions& options);
  ~LogArrivals() override;

  /// The next request. What it points to, its fields among it, is valid until the next call.
  /// An arrival that is late (ReadCounts::late) has its own moment, which is before that of the one before it.
  const engine::RequestArrival* next() override;

  /// Of the arrival that next() returned: what its line has under ReadOptions::values[index], without quotes and
  /// escapes; empty if there is no such thing or it is "-". Valid as long as that.
  std::string_view value(std::size_t index) const noexcept;
  /// Of the same: whether its answer is assumed to be 200 as the log has a refusal (ReadCounts::assumed_ok).
  bool assumed_ok() const noexcept;

  /// In the order of their times. All of them are known after open().
  const std::vector<OpenedLog>& logs() const noexcept;
  /// Until now; complete when next() has returned null.
  const ReadCounts& counts() const noexcept;
  ReadProgress progress() const noexcept;

 private:
  struct Parts;
  explicit LogArrivals(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace headgate::access_logs
