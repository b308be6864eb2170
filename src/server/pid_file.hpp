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

  /// Writes the id and a line end in one step, so every reader finds a whole number. Returns the error as a sentence
  /// without a full stop. A file with anything but a number in it is an error, and is left alone.
  std::optional<std::string> write();

 private:
  const std::string path_;
  std::string written_;
};

}  // namespace headgate::server
