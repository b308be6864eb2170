#pragma once
// The bytes of a log: of a file, a pipe or the standard input, unpacked if they are compressed by gzip.

#include "headgate/core/read_file.hpp"
#include "headgate/core/result.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace headgate::access_logs {

/// One thread.
class LogInput {
 public:
  /// "-" is the standard input. The error is a sentence that names the file.
  static Result<LogInput, std::string> open(const std::string& file);
  LogInput(LogInput&& other) noexcept;
  LogInput& operator=(LogInput&& other) noexcept;
  LogInput(const LogInput&) = delete;
  LogInput& operator=(const LogInput&) = delete;
  ~LogInput();

  /// Reads at most `size` bytes, and waits for one of them. 0: there are no more, or failure() says why.
  std::size_t read(char* out, std::size_t size);
  /// A sentence without the name of the file; empty: it has ended as it should.
  const std::string& failure() const noexcept { return failure_; }
  /// Of the file as it is stored.
  std::uint64_t bytes_read() const noexcept { return bytes_read_; }
  /// 0: not known.
  std::uint64_t bytes_in_all() const noexcept { return bytes_in_all_; }
  /// Returns whether it can be opened once more and has the same bytes then.
  bool regular() const noexcept { return regular_; }
  /// Two of one file have the same.
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
  std::string ahead_;  ///< bytes that were read and not given yet
  std::size_t ahead_at_ = 0;
  std::unique_ptr<Unpacking> unpacking_;  ///< null: it is not compressed
};

}  // namespace headgate::access_logs
