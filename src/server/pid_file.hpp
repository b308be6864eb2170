#pragma once
// The file with the process id, for other programs.

#include <optional>
#include <string>
#include <utility>

namespace headgate::server {

/// Main thread only; each call waits for the disk. The destructor removes the file, unless another process has written
/// its own id meanwhile, as in an upgrade.
class PidFile {
 public:
  explicit PidFile(std::string path) : path_(std::move(path)) {}  ///< An empty path means that there is no file.
  PidFile(const PidFile&) = delete;
  PidFile& operator=(const PidFile&) = delete;
  ~PidFile();

  /// Writes the id and a line end in one step, so that other programs never read a partial number. Returns the error as
  /// a sentence without a full stop. A file that contains anything but a number is an error, and is not changed.
  std::optional<std::string> write();

 private:
  const std::string path_;
  std::string written_;
};

}  // namespace headgate::server
