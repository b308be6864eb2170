#pragma once
// A proxy as a child process on its own core, and what the kernel says it used.

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace headgate::bench {

/// A child and its children. The destructor ends them with SIGTERM, and with SIGKILL after two seconds.
class Process {
 public:
  /// Runs `command` pinned to `core` (below 0: not pinned). Its output goes to `log`. Throws std::system_error on
  /// failure.
  Process(const std::vector<std::string>& command, int core, const std::string& log);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Ends it and its children with SIGTERM and waits. False if they have not ended in time.
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
/// A port of 127.0.0.1 that is free now.
std::uint16_t free_port();
/// Waits at most five seconds until 127.0.0.1:`port` accepts. False if it does not, or if `process` has ended.
bool wait_for_port(std::uint16_t port, const Process& process);

/// Moves this process into its own network namespace, where no connection tracking adds to the cost. False if that is
/// not allowed.
bool enter_own_network();

/// The first line of the output of `command`; empty if it could not run.
std::string first_line_of(const std::string& command);

}  // namespace headgate::bench
