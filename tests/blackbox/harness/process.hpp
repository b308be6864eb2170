#pragma once
// One run of the headgate binary, or of a program it works with: its output, its signals and its end.

#include "blackbox/harness/socket.hpp"

#include <sys/types.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace headgate::test {

/// What stands on a command line after the program's name.
using Words = std::vector<std::string>;

/// Starts on construction; killed by its own PID on destruction where it still runs. Test thread only.
class Process {
 public:
  /// `environment` is added to ours ("NAME=value").
  explicit Process(Words arguments, const std::vector<std::string>& environment = {},
                   const std::string& program = HEADGATE_BINARY);
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();

  pid_t pid() const { return pid_; }
  std::string out() const;
  std::string err() const;
  /// Waits until what it wrote to stderr so far satisfies `holds`; false where it ended or kPatience passed first.
  bool wait_for_err(const std::function<bool(const std::string&)>& holds);

  void signal(int number) const;
  bool runs();
  /// Its exit code, 128 + N after signal N, or -1 where it still runs after `within`.
  int wait(Milliseconds within = kPatience);
  void kill9();

  /// What a sanitizer had to say of it, or "".
  std::string sanitizer_report() const;

 private:
  void collect(int fd, std::string& into);
  bool reap(bool wait);

  pid_t pid_ = 0;
  bool ended_ = false;
  int code_ = -1;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::string out_;
  std::string err_;
  int open_pipes_ = 2;
  std::thread out_reader_;
  std::thread err_reader_;
};

/// Runs headgate to its end.
struct Ran {
  int code = -1;
  std::string out;
  std::string err;
};
Ran run_headgate(const Words& arguments, const std::vector<std::string>& environment = {});

/// Whether `part` is somewhere in what it said.
inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// A file that is gone when the test is.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text, const std::string& name = "headgate.json");
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();
  const std::string& path() const { return path_; }

 private:
  std::string directory_;
  std::string path_;
};

}  // namespace headgate::test
