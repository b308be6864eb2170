#pragma once
// The bytes of a log from a file, a pipe or the standard input, decompressed if they are gzip data.

#include "headgate/core/read_file.hpp"
#include "headgate/core/result.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace headgate::access_logs {

/// An open log. One thread.
class LogInput {
 public:
  /// Opens a log; "-" is the standard input. The error is a sentence that names the file.
  static Result<LogInput, std::string> open(const std::string& file);
  LogInput(LogInput&& other) noexcept;
  LogInput& operator=(LogInput&& other) noexcept;
  LogInput(const LogInput&) = delete;
  LogInput& operator=(const LogInput&) = delete;
  ~LogInput();

  /// Reads at most `size` bytes, and waits until there is at least one. Returns 0 at the end of the log, and after a
  /// failure, which failure() then names.
  std::size_t read(char* out, std::size_t size);
  /// Returns a sentence without the name of the file; empty if there was no failure.
  const std::string& failure() const noexcept { return failure_; }
  /// Returns the number of bytes that were read of the file as it is stored, before decompression.
  std::uint64_t bytes_read() const noexcept { return bytes_read_; }
  /// Returns the size of the file as it is stored, in bytes; 0 if it is unknown.
  std::uint64_t bytes_in_all() const noexcept { return bytes_in_all_; }
  /// Returns whether the log can be opened again and then has the same bytes.
  bool regular() const noexcept { return regular_; }
  /// Returns the device and inode; equal for two inputs of the same file.
  std::pair<std::uint64_t, std::uint64_t> identity() const noexcept { return identity_; }

 private:
  struct Unpacking;
  explicit LogInput(InputFile file) noexcept;
  bool fill();
  std::size_t read_plain(char* out, std::size_t size);
  std::size_t unpack(char* out, std::size_t size);

  InputFile file_;
  bool regular_ = false;
  bool begun_ = false;
  std::uint64_t bytes_read_ = 0;
  std::uint64_t bytes_in_all_ = 0;
  std::pair<std::uint64_t, std::uint64_t> identity_{};
  std::string failure_;
  std::string ahead_;  ///< bytes that were read but not returned yet
  std::size_t ahead_at_ = 0;
  std::unique_ptr<Unpacking> unpacking_;  ///< null if it is not compressed
};

}  // namespace headgate::access_logs
