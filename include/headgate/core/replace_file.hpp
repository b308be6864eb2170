#pragma once
// Replaces a file in one step. Whoever reads it at the same time or after a power cut finds the whole old file or the
// whole new one. And makes files that must not be there yet. All of it waits for the disk: never on a worker.

#include "headgate/core/result.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace headgate {

/// A lock on a file, or on its directory if there is no file yet. Hold it while you read, change and replace the file.
class FileLock {
 public:
  /// Waits at most two seconds while another process holds the lock, then returns the error as a sentence without a
  /// dot. The lock has no effect if the file cannot be opened or locked, as on some network file systems.
  static Result<FileLock, std::string> take(const std::string& file);
  FileLock(FileLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileLock& operator=(FileLock&& other) noexcept;
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

 private:
  explicit FileLock(int fd) noexcept : fd_(fd) {}

  int fd_ = -1;
};

/// Replaces the content of `path` with `text`, through symbolic links. Keeps mode and owner; a new file gets the
/// mode `if_new`, whatever the umask is. Returns the error as a sentence without a dot; the file is then unchanged.
/// `last_look`, if it is set, is asked just before, when the new content is on the disk: false leaves the file as it
/// is, with the error "… has changed meanwhile".
std::optional<std::string> replace_file(const std::string& path, std::string_view text, unsigned if_new = 0600,
                                        const std::function<bool()>& last_look = {});

/// Makes a file with this content and mode (the umask may take rights away). Never touches one that exists. Returns the
/// error as a sentence without a dot.
std::optional<std::string> create_file(const std::string& path, std::string_view text, unsigned mode);

}  // namespace headgate
