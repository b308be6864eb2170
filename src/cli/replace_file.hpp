#pragma once
// A file changed in one step, so that who reads it meanwhile, and who reads it after a power cut, finds the old or the
// new one whole. Used by `headgate keys new --file`.

#include <optional>
#include <string>
#include <string_view>

namespace headgate::cli {

/// Held while a file is read, changed and replaced; whoever takes the one of the same directory waits. Where the
/// directory cannot be locked (some network file systems) there is no such order.
class DirectoryLock {
 public:
  explicit DirectoryLock(const std::string& file);
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;
  ~DirectoryLock();

 private:
  int fd_ = -1;
};

/// Puts `text` in the place of what `path` holds, through symbolic links: with the mode and the owner that it had, or
/// as 0600. What went wrong, as a sentence without a dot; then the file is as it was.
std::optional<std::string> replace_file(const std::string& path, std::string_view text);

}  // namespace headgate::cli
