#pragma once
// Notices changes of files. It is also a change if another file gets the name of a watched one, as with editors, or if
// a symbolic link on its path points elsewhere, as in Kubernetes. For a pattern, a file that is added to or removed
// from a directory is a change, too.

#include "headgate/core/clock.hpp"
#include "headgate/services/service.hpp"

#include <sys/stat.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace headgate::server {

/// Checks twice a second, because inotify sees no change on a network file system and would need a watch for each link
/// on the path. If checks take long because there are many files, they become less frequent. While one of the files is
/// still being written, all changes wait for the next check. Main thread only; this thread runs the loop.
class FileWatch final : public services::Service {
 public:
  /// Watches the files at these paths, and those that match a pattern (config::files_for), except directories. Reports
  /// nothing while the first file is missing. After start(), calls `changed` for all changes since the construction.
  FileWatch(Clock& clock, std::vector<std::string> paths, std::function<void()> changed);
  /// Watches these files from now on. A file counts as changed if it has changed after `read`, the moment at which the
  /// caller began to read them.
  void watch(std::vector<std::string> paths, std::chrono::system_clock::time_point read);
  const std::vector<std::string>& paths() const noexcept { return paths_; }
  void start() override { arm(Duration(0)); }
  void stop() override { stopped_ = true, alarm_.reset(); }

 private:
  /// The existing files.
  using States = std::map<std::string, struct stat>;
  static States states_of(const std::vector<std::string>& paths);
  static bool same(const States& a, const States& b);

  void arm(Duration took);
  void look();

  Clock& clock_;
  std::unique_ptr<Alarm> alarm_;
  bool stopped_ = false;
  std::vector<std::string> paths_;
  const std::function<void()> changed_;
  States known_;  ///< the state at the last report
  States seen_;   ///< the state at the last check
};

}  // namespace headgate::server
