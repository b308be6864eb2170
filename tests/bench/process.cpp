#include "process.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <thread>

namespace headgate::bench {

namespace {

using namespace std::chrono_literals;

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

std::string proc(pid_t pid, const char* file) { return "/proc/" + std::to_string(pid) + "/" + file; }

bool write_file(const char* path, const std::string& text) {
  return static_cast<bool>(std::ofstream(path) << text << std::flush);
}

/// Brings up `lo` of a fresh namespace.
bool raise_loopback() {
  const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  ifreq request{};
  request.ifr_name[0] = 'l';
  request.ifr_name[1] = 'o';
  request.ifr_flags = IFF_UP;
  const bool done = ioctl(fd, SIOCSIFFLAGS, &request) == 0;
  close(fd);
  return done;
}

}  // namespace

Process::Process(const std::vector<std::string>& command, int core, const std::string& log) : pid_(kEnded) {
  std::vector<char*> arguments;
  for (const auto& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const int output = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (output < 0) fail(log.c_str());
  pid_ = fork();
  if (pid_ < 0) fail("fork");
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (core >= 0) pin_to(core);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  close(output);
}

Process::~Process() {
  if (pid_ == kEnded || end(2s)) return;
  for (auto pid : family()) kill(pid, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

bool Process::end(std::chrono::milliseconds at_most) {
  for (auto pid : family()) kill(pid, SIGTERM);
  for (const auto until = std::chrono::steady_clock::now() + at_most; std::chrono::steady_clock::now() < until;) {
    if (waitpid(pid_, nullptr, WNOHANG) == pid_) {
      pid_ = kEnded;
      return true;
    }
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

bool Process::running() const {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0;
}

std::vector<pid_t> Process::family() const {
  std::vector<pid_t> pids{pid_};
  for (std::size_t i = 0; i < pids.size(); ++i) {
    std::ifstream children(proc(pids[i], "task/") + std::to_string(pids[i]) + "/children");
    for (pid_t child; children >> child;) pids.push_back(child);
  }
  return pids;
}

std::chrono::nanoseconds Process::cpu_time() const {
  // schedstat counts nanoseconds; the ticks of stat are a hundredth of a second, too coarse for a round.
  std::chrono::nanoseconds sum{0};
  for (auto pid : family()) {
    std::error_code gone;
    for (const auto& task : std::filesystem::directory_iterator(proc(pid, "task"), gone)) {
      std::int64_t nanoseconds = 0;
      std::ifstream(task.path() / "schedstat") >> nanoseconds;
      sum += std::chrono::nanoseconds(nanoseconds);
    }
  }
  return sum;
}

std::uint64_t Process::resident() const {
  std::uint64_t pages = 0;
  for (auto pid : family()) {
    std::uint64_t total = 0;
    std::uint64_t resident = 0;
    std::ifstream(proc(pid, "statm")) >> total >> resident;
    pages += resident;
  }
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

void pin_to(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<unsigned>(core), &set);
  sched_setaffinity(0, sizeof set, &set);
}

std::uint16_t free_port() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (bind(fd, reinterpret_cast<sockaddr*>(&address), size) != 0) fail("bind");
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  close(fd);
  return ntohs(address.sin_port);
}

bool wait_for_port(std::uint16_t port, const Process& process) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  for (int i = 0; i < 250 && process.running(); ++i) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool accepted = connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    close(fd);
    if (accepted) return true;
    std::this_thread::sleep_for(20ms);
  }
  return false;
}

bool enter_own_network() {
  if (unshare(CLONE_NEWNET) == 0) return raise_loopback();
  const auto uid = std::to_string(getuid());
  const auto gid = std::to_string(getgid());
  if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return false;
  return write_file("/proc/self/setgroups", "deny") && write_file("/proc/self/uid_map", "0 " + uid + " 1") &&
         write_file("/proc/self/gid_map", "0 " + gid + " 1") && raise_loopback();
}

std::string first_line_of(const std::string& command) {
  std::string line;
  if (FILE* pipe = popen((command + " 2>&1").c_str(), "r")) {
    char buffer[256];
    if (fgets(buffer, sizeof buffer, pipe) != nullptr) line = buffer;
    pclose(pipe);
  }
  while (line.ends_with('\n')) line.pop_back();
  return line;
}

}  // namespace headgate::bench
