#pragma once
// Notices that a file has changed: also when another file takes its name, or when a symbolic link on its way points
// elsewhere, as editors and Kubernetes do it.

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <sys/stat.h>

#include <functional>
#include <optional>
#include <string>

namespace headgate::server {

/// Looks twice a second: inotify sees no change of a network file system, and would need a watch for each link on the
/// way. A file that is still being written is left for the next look. Main thread only, which runs the loop.
class FileWatch {
 public:
  /// Calls `changed` for changes since now, after start().
  FileWatch(boost::asio::io_context& loop, std::string path, std::function<void()> changed);
  void start() { arm(); }
  void stop();

 private:
  void arm();
  void look();

  boost::asio::steady_timer timer_;
  const std::string path_;
  const std::function<void()> changed_;
  std::optional<struct stat> known_;  ///< what was told last
  std::optional<struct stat> seen_;   ///< at the last look
};

}  // namespace headgate::server
