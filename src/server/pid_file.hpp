#pragma once
// The file that tells other programs the number of this process.

#include <optional>
#include <string>
#include <utility>

namespace headgate::server {

/// Main thread only; each call waits for the disk. The destructor removes the file, unless another process has written
/// its own number meanwhile: the one of an upgrade.
class PidFile {
 public:
  explicit PidFile(std::string path) : path_(std::move(path)) {}  ///< empty: there is none
  PidFile(const PidFile&) = delete;
  PidFile& operator=(const PidFile&) = delete;
  ~PidFile();

  /// Writes the number and a line end, in one step; whoever reads the file finds a whole number. Returns the error as a
  /// sentence without a dot, also for a file with anything but a number in it, which is left alone.
  std::optional<std::string> write();

 private:
  const std::string path_;
  std::string written_;
};

}  // namespace headgate::server
