#pragma once
// Notices that files have changed: also when another file takes the name of one, when a symbolic link on its way points
// elsewhere, as editors and Kubernetes do it, or when a directory has a file more or less.

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

/// Looks twice a second: inotify sees no change of a network file system, and would need a watch for each link on the
/// way. It looks less often at so many files that a look takes long. While one of the files is still being written, all
/// are left for the next look. Main thread only, which runs the loop.
class FileWatch final : public services::Service {
 public:
  /// Watches the files at these paths, and those that fit a pattern (config::files_for), without directories. Nothing
  /// is told while the first is not there. Calls `changed` for changes since now, after start().
  FileWatch(Clock& clock, std::vector<std::string> paths, std::function<void()> changed);
  /// Watches these from now on. A file counts as changed if it has changed after `read`, when whoever asks began to
  /// read them.
  void watch(std::vector<std::string> paths, std::chrono::system_clock::time_point read);
  const std::vector<std::string>& paths() const noexcept { return paths_; }
  void start() override { arm(Duration(0)); }
  void stop() override { stopped_ = true, alarm_.reset(); }

 private:
  /// Those that are there.
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
  States known_;  ///< what was told last
  States seen_;   ///< at the last look
};

}  // namespace headgate::server
