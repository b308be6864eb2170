#pragma once
// Replaces a file in one step: a reader at the same time, or after a power failure, finds either the whole old file or
// the whole new one. Also creates files that must not exist yet. The functions wait for the disk, so never call them on
// a worker. Used by cli, server and services.

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
  /// Takes the lock. Waits at most two seconds while another process holds it, then returns the error as a sentence
  /// without a dot. The lock has no effect if the file cannot be opened or locked, as on some network file systems.
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

/// Replaces the content of `path` with `text`, through symbolic links. Keeps mode and owner; a new file gets the mode
/// `if_new`, whatever the umask is. Returns the error as a sentence without a dot; the file is then unchanged. If
/// `last_look` is set, it is called when the new content is on the disk. If it returns false, the file is not replaced,
/// and the error is "… has changed meanwhile".
std::optional<std::string> replace_file(const std::string& path, std::string_view text, unsigned if_new = 0600,
                                        const std::function<bool()>& last_look = {});

/// Creates a file with this content and mode (the umask may remove rights). Never touches an existing one. Returns the
/// error as a sentence without a dot.
std::optional<std::string> create_file(const std::string& path, std::string_view text, unsigned mode);

}  // namespace headgate
