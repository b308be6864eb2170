#pragma once
// Several logs as one, in the order in which their lines were written.

#include "log_source.hpp"

#include <memory>
#include <queue>
#include <utility>

namespace headgate::access_logs {

/// A log that has been looked at.
struct PendingLog {
  std::string file;
  const LineFormat* format = nullptr;
  LineReader* reader = nullptr;
  Instant written{};                ///< of its first request
  std::optional<LogInput> input{};  ///< of one that cannot be opened again
  std::string looked{};             ///< the bytes that were read of it
  std::uint64_t bytes = 0;          ///< 0: not known
};

/// Opens a log when its first request has its turn, so that logs that follow each other are not open together. One
/// thread.
class LogMerge {
 public:
  /// What `logs` name outlives it. They are in the order of their first requests.
  LogMerge(std::vector<PendingLog> logs, RequestBlocks& pool, ReadCounts& counts, std::size_t unread_kept);

  /// The log that has the next request, and has read it; null: there are no more.
  LogSource* next();
  std::uint64_t bytes_read() const noexcept;
  std::size_t open_logs() const noexcept { return open_.size(); }

 private:
  void open(PendingLog& log, std::size_t number);
  void put_back();
  static bool later(const std::unique_ptr<LogSource>& a, const std::unique_ptr<LogSource>& b) noexcept;

  std::vector<PendingLog> logs_;
  std::size_t pending_ = 0;  ///< the first of them that was not opened
  RequestBlocks& pool_;
  ReadCounts& counts_;
  std::size_t unread_kept_;
  std::vector<std::unique_ptr<LogSource>> open_;  ///< a heap; the first one has its turn
  bool given_ = false;                            ///< the request of the first one
  std::uint64_t closed_bytes_ = 0;
};

}  // namespace headgate::access_logs
