#pragma once
// A proxy as a child process on a core of its own, and what the kernel says it used.

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace headgate::bench {

/// A child and its children. Ended by SIGTERM (SIGKILL after two seconds) when this goes.
class Process {
 public:
  /// Runs `command` pinned to `core`, or to none below 0; its output goes to `log`. Throws std::system_error where it
  /// cannot.
  Process(const std::vector<std::string>& command, int core, const std::string& log);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Asks it and its children to end, and waits until it has; false where it has not in time.
  bool end(std::chrono::milliseconds at_most);
  bool running() const;
  /// Time on a CPU, user and system, of all its threads and children since they started.
  std::chrono::nanoseconds cpu_time() const;
  /// Memory in use now (resident set), of it and its children, in bytes.
  std::uint64_t resident() const;

 private:
  static constexpr pid_t kEnded = -1;
  std::vector<pid_t> family() const;
  pid_t pid_;
};

/// This thread, and what it starts from now on, runs on `core` only.
void pin_to(int core);
/// A port of 127.0.0.1 that was free a moment ago.
std::uint16_t free_port();
/// Waits until 127.0.0.1:`port` accepts, at most five seconds; false where it did not, or where `process` ended.
bool wait_for_port(std::uint16_t port, const Process& process);

/// Moves this process into a network namespace of its own, where no connection tracking adds to the cost; false where
/// not allowed.
bool enter_own_network();

/// The first line that `command` prints on stdout or stderr; empty where it could not run.
std::string first_line_of(const std::string& command);

}  // namespace headgate::bench
