#pragma once
// Runs the headgate binary, or a program that it works with: output, signals, exit code.

#include "blackbox/harness/socket.hpp"

#include <sys/types.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace headgate::test {

/// The arguments after the name of the program.
using Words = std::vector<std::string>;

/// Starts in the constructor. The destructor kills it by its PID if it still runs. Test thread only.
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
  /// Waits until `holds` is true for its output on stderr so far. False if it ended or kPatience passed first.
  bool wait_for_err(const std::function<bool(const std::string&)>& holds);
  /// Waits until `part` stands there: a thread of its own writes the log, so a line may come after what it tells of.
  bool says(const std::string& part);

  void signal(int number) const;
  bool runs();
  /// Its exit code, 128 + N after signal N, or -1 if it still runs after `within`.
  int wait(Milliseconds within = kPatience);
  void kill9();

  /// What a sanitizer reported, or "".
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

/// Runs headgate until it ends.
struct Ran {
  int code = -1;
  std::string out;
  std::string err;
};
Ran run_headgate(const Words& arguments, const std::vector<std::string>& environment = {});

/// Whether `text` contains `part`.
inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// A file that is removed when the test ends.
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
