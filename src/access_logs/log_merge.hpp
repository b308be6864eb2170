#pragma once
// Merges several logs in the order in which their lines were written.

#include "log_source.hpp"

#include <memory>
#include <queue>
#include <utility>

namespace headgate::access_logs {

/// A log of which only the first lines were read so far.
struct PendingLog {
  std::string file;
  const LineFormat* format = nullptr;
  LineReader* reader = nullptr;
  Instant written{};                ///< time of its first request
  std::optional<LogInput> input{};  ///< the open input of a log that cannot be opened again, such as a pipe
  std::string looked{};             ///< bytes that were already read from `input`
  std::uint64_t bytes = 0;          ///< size in bytes; 0 if unknown
};

/// The merge. Opens a log only when its first request is due, so that logs of consecutive times are not all open
/// together. One thread.
class LogMerge {
 public:
  /// The readers that `logs` refer to must outlive this object. The logs are in the order of their first requests.
  LogMerge(std::vector<PendingLog> logs, RequestBlocks& pool, ReadCounts& counts, std::size_t unread_kept);

  /// Returns the log whose last read request is the next one in the merge; null if there are no more.
  LogSource* next();
  std::uint64_t bytes_read() const noexcept;
  std::size_t open_logs() const noexcept { return open_.size(); }

 private:
  void open(PendingLog& log, std::size_t number);
  void put_back();
  static bool later(const std::unique_ptr<LogSource>& a, const std::unique_ptr<LogSource>& b) noexcept;

  std::vector<PendingLog> logs_;
  std::size_t pending_ = 0;  ///< index of the first log that was not opened yet
  RequestBlocks& pool_;
  ReadCounts& counts_;
  std::size_t unread_kept_;
  std::vector<std::unique_ptr<LogSource>> open_;  ///< the open logs, as a heap: the first one has the next request
  bool given_ = false;                            ///< whether next() has returned the request of the first log
  std::uint64_t closed_bytes_ = 0;
};

}  // namespace headgate::access_logs
