#pragma once
// A gateway that the test replaces by new processes of the same program.

#include "blackbox/harness/reloaded.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>

#include <csignal>
#include <regex>
#include <string>
#include <thread>
#include <vector>

namespace headgate::test {

/// The destructor ends all processes; the test fails if one does not exit with 0.
class Upgraded {
 public:
  explicit Upgraded(const Json& changes) : gateway(changes), all_{gateway.process().pid()} {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // so that the test can wait for those whose parent has ended
  }
  ~Upgraded() {
    for (const auto pid : all_) {
      // One that was replaced may be about to end; at that point SIGTERM would kill it.
      const bool first = pid == gateway.process().pid();
      const auto until = std::chrono::steady_clock::now() + kPatience;
      int code = -1;
      const auto gone = [&] { return first ? !gateway.process().runs() : (code = wait(pid, Milliseconds(0))) >= 0; };
      while (pid != all_.back() && !gone() && std::chrono::steady_clock::now() < until)
        std::this_thread::sleep_for(Milliseconds(5));
      if (first) continue;  // the gateway ends it; a second SIGTERM would break its drain off
      if (code < 0) ::kill(pid, SIGTERM);
      if (code < 0) code = wait(pid, kPatience);
      EXPECT_EQ(code, 0) << "process " << pid;
      if (code < 0) ::kill(pid, SIGKILL);
    }
  }

  /// Tells the newest process to start another. False if that does not serve in time.
  bool upgrade() {
    if (!gateway.tells("\"upgraded\"", [this] { ::kill(all_.back(), SIGUSR2); })) return false;
    static const std::regex line(R"re("upgraded"[^\n]*"pid":(\d+))re");
    const auto text = gateway.process().err();
    pid_t next = 0;
    for (std::sregex_iterator match(text.begin(), text.end(), line), end; match != end; ++match)
      next = static_cast<pid_t>(std::stol((*match)[1].str()));
    all_.push_back(next);
    return next > 0;
  }
  const std::vector<pid_t>& processes() const { return all_; }

  Reloaded gateway;

 private:
  /// Its exit code; -1 if it still runs then.
  static int wait(pid_t pid, Milliseconds within) {
    const auto until = std::chrono::steady_clock::now() + within;
    int status = 0;
    while (::waitpid(pid, &status, WNOHANG) != pid) {
      if (std::chrono::steady_clock::now() >= until) return -1;
      std::this_thread::sleep_for(Milliseconds(5));
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  std::vector<pid_t> all_;  // the oldest first
};

}  // namespace headgate::test
