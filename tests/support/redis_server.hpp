#pragma once
// A redis-server for one test. It listens on a free port of 127.0.0.1, and runs in a directory of its own, which is
// removed when the test ends.

#include "free_port.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace headgate::test {

/// One redis-server process. Test thread only. The process is killed by its PID; it also ends if the test process dies
/// first.
///
///   RedisServer redis;
///   if (!RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
///   ASSERT_TRUE(redis.start()) << redis.error();
class RedisServer {
 public:
  RedisServer() = default;
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;
  ~RedisServer() {
    kill9();
    std::error_code ignored;
    if (!directory_.empty()) std::filesystem::remove_all(directory_, ignored);
  }

  /// Returns whether this machine has a redis-server.
  static bool installed() { return !program().empty(); }

  /// Starts the server and waits until it answers. Returns false after five seconds; see error(). The server writes
  /// nothing to disk unless `extra_args` ("--requirepass", "secret") demand it. A server that is started again after
  /// stop() has the same port and directory.
  bool start(std::vector<std::string> extra_args = {}) {
    sentinel_.clear();
    return run(std::move(extra_args));
  }

  /// Starts the server as a Sentinel with these lines in its file ("sentinel monitor m 127.0.0.1 6379 2").
  bool start_sentinel(std::string lines) {
    sentinel_ = std::move(lines);
    return run({});
  }

  /// Starts the server with the arguments and the port of the last start. Stops it first if it runs.
  bool restart() {
    stop();
    return run(std::vector<std::string>(extra_args_));
  }

  /// Stops the server with SIGTERM, waits for two seconds, and then kills it. Does nothing if the server does not run.
  void stop() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGCONT);
    ::kill(pid_, SIGTERM);
    for (int i = 0; i < 400; ++i) {
      if (::waitpid(pid_, nullptr, WNOHANG) == pid_) {
        pid_ = 0;
        return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    kill9();
  }

  /// Kills the server, as a crash would.
  void kill9() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

  /// Stops the process (SIGSTOP): connections stay open and the kernel still accepts new ones, but nothing answers.
  /// Returns when the process has stopped.
  void pause() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGSTOP);
    ::waitpid(pid_, nullptr, WUNTRACED);
  }
  void resume() {
    if (pid_ > 0) ::kill(pid_, SIGCONT);
  }

  std::uint16_t port() const { return port_; }          ///< 0 before the first start
  pid_t pid() const { return pid_; }                    ///< 0 if the server does not run
  const std::string& error() const { return error_; }   ///< why the last start failed
  std::string directory() const { return directory_; }  ///< its working directory

  /// Returns the log of the server so far.
  std::string log() const {
    std::ifstream in(directory_ + "/log");
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  static const std::string& program() {
    static const std::string found = [] {
      const char* path = std::getenv("PATH");
      std::string_view rest = path != nullptr ? path : "/usr/bin:/bin";
      while (!rest.empty()) {
        const auto colon = rest.find(':');
        std::string candidate = std::string(rest.substr(0, colon)) + "/redis-server";
        if (::access(candidate.c_str(), X_OK) == 0) return candidate;
        rest = colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 1);
      }
      return std::string();
    }();
    return found;
  }

  bool run(std::vector<std::string> extra_args) {
    if (!installed()) return fail("redis-server is not installed");
    if (pid_ > 0) return fail("it runs already");
    if (!make_directory()) return fail("no temporary directory");
    extra_args_ = std::move(extra_args);
    const bool keep_port = port_ != 0;
    // There are several attempts, because a process that claims no ports may take the port before the server binds it.
    for (int attempt = 0; attempt < 5; ++attempt) {
      if (!keep_port) {
        claim_ports();
        std::filesystem::remove(directory_ + "/sentinel.conf");
      }
      if (launch() && wait_until_it_answers()) return true;
      kill9();
    }
    return fail("it did not start: " + log());
  }

  bool fail(std::string why) {
    error_ = std::move(why);
    return false;
  }

  bool make_directory() {
    if (!directory_.empty()) return true;
    std::string name = (std::filesystem::temp_directory_path() / "headgate-redis-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) return false;
    directory_ = name;
    return true;
  }

  static sockaddr_in address(std::uint16_t port) {
    sockaddr_in there{};
    there.sin_family = AF_INET;
    there.sin_port = htons(port);
    there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return there;
  }

  /// Claims the port, and also the port plus 10000, on which a cluster node listens, too.
  void claim_ports() {
    do {
      claimed_ = ClaimedPort::any();
      port_ = claimed_.port();
      claimed_for_bus_ = port_ <= 22'767 ? ClaimedPort::of(static_cast<std::uint16_t>(port_ + 10'000)) : ClaimedPort();
    } while (claimed_for_bus_.port() == 0);
  }

  std::vector<std::string> server_words() const {
    std::vector<std::string> words{program(), "--port",   std::to_string(port_), "--bind", "127.0.0.1",   "--save", "",
                                   "--dir",   directory_, "--appendonly",        "no",     "--daemonize", "no"};
    words.insert(words.end(), extra_args_.begin(), extra_args_.end());
    return words;
  }

  /// Returns the arguments of a Sentinel. A Sentinel stores its state in its file, so the file is written only once.
  std::vector<std::string> sentinel_words() const {
    const std::string path = directory_ + "/sentinel.conf";
    if (!std::filesystem::exists(path))
      std::ofstream(path) << "port " << port_ << "\nbind 127.0.0.1\ndir " << directory_ << "\n" << sentinel_ << "\n";
    return {program(), path, "--sentinel"};
  }

  bool launch() {
    std::vector<std::string> words = sentinel_.empty() ? server_words() : sentinel_words();
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const std::string log_path = directory_ + "/log";
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ != 0) return pid_ > 0;
    // Other threads may have held locks at the fork, so the child makes only async-signal-safe calls.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(126);
    const int out = ::open(log_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(out, STDERR_FILENO);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }

  bool wait_until_it_answers() {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    while (std::chrono::steady_clock::now() < deadline) {
      if (::waitpid(pid_, nullptr, WNOHANG) == pid_) {
        pid_ = 0;
        return false;
      }
      if (answers()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return false;
  }

  /// Returns whether the server answers. Any answer but LOADING counts: if the server has a password, the answer is
  /// NOAUTH.
  bool answers() const {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in there = address(port_);
    std::array<char, 64> reply{};
    ssize_t got = 0;
    if (::connect(fd, reinterpret_cast<const sockaddr*>(&there), sizeof there) == 0 &&
        ::send(fd, "PING\r\n", 6, MSG_NOSIGNAL) == 6) {
      pollfd readable{fd, POLLIN, 0};
      if (::poll(&readable, 1, 500) == 1) got = ::recv(fd, reply.data(), reply.size(), 0);
    }
    ::close(fd);
    return got > 0 && !std::string_view(reply.data(), static_cast<std::size_t>(got)).starts_with("-LOADING");
  }

  std::vector<std::string> extra_args_;
  std::string sentinel_;  ///< the lines of its file if it is a Sentinel; empty for a data server
  std::string directory_;
  std::string error_;
  ClaimedPort claimed_, claimed_for_bus_;
  std::uint16_t port_ = 0;
  pid_t pid_ = 0;
};

}  // namespace headgate::test
