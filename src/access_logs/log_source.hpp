#pragma once
// Reads a log line by line, and returns its requests in the order in which they were written.

#include "first_look.hpp"

namespace headgate::access_logs {

/// The source. One thread. `pool`, `counts` and the constructor's other arguments outlive the source; the requests that
/// it has read may outlive the source.
class LogSource {
 public:
  /// Maximum length of a line in bytes; a longer one is unreadable.
  static constexpr std::size_t kLongest = std::size_t{64} * 1024;

  /// `looked` are bytes that were already read from `input`.
  LogSource(std::string file, std::size_t number, LogInput input, std::string looked, LineReader& reader, bool header,
            RequestBlocks& pool, ReadCounts& counts, std::size_t unread_kept);
  LogSource(const LogSource&) = delete;
  LogSource& operator=(const LogSource&) = delete;
  ~LogSource();

  /// Reads the next request, which block() and index() identify; false if there are no more.
  bool read();
  RequestBlock& block() const noexcept { return *block_; }
  std::uint32_t index() const noexcept { return static_cast<std::uint32_t>(block_->requests.size()) - 1; }
  /// Returns the time at which the last request was written, or that of an earlier request if it is later. So the times
  /// of a log never decrease.
  Instant written() const noexcept { return written_; }
  std::size_t number() const noexcept { return number_; }
  std::uint64_t bytes_read() const noexcept { return input_.bytes_read(); }

 private:
  bool fill();
  void renew_block();
  bool take_line(char* begin, char* end);
  void unread(const char* why);

  std::string file_;
  std::size_t number_;
  LogInput input_;
  std::string looked_;
  std::size_t looked_at_ = 0;
  LineReader& reader_;
  bool header_;
  std::string header_line_;
  RequestBlocks& pool_;
  ReadCounts& counts_;
  std::size_t unread_kept_;

  RequestBlock* block_;
  std::size_t at_ = 0;      ///< start of the next line in the block
  std::size_t filled_ = 0;  ///< number of bytes in the block
  std::uint64_t line_ = 0;
  bool too_long_ = false;  ///< whether the line at at_ is too long and its start was dropped
  bool ended_ = false;
  Instant written_{};
};

}  // namespace headgate::access_logs
