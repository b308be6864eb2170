#include "blackbox/harness/process.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace headgate::test {
namespace {

/// Our environment with `more` in front, so that `more` wins.
std::vector<std::string> environment_with(const std::vector<std::string>& more) {
  std::vector<std::string> all = more;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    bool replaced = text.starts_with("HEADGATE_");  // the settings of the developer must not affect a test
    for (const auto& added : more) {
      replaced = replaced || text.starts_with(added.substr(0, added.find('=') + 1));
    }
    if (!replaced) all.emplace_back(text);
  }
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (auto& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

}  // namespace

Process::Process(Words arguments, const std::vector<std::string>& environment, const std::string& program) {
  arguments.insert(arguments.begin(), program);
  std::vector<std::string> variables = environment_with(environment);
  const std::vector<char*> argv = pointers(arguments);
  const std::vector<char*> envp = pointers(variables);
  std::array<int, 2> out{};
  std::array<int, 2> err{};
  if (::pipe2(out.data(), O_CLOEXEC) != 0 || ::pipe2(err.data(), O_CLOEXEC) != 0) std::abort();
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ == 0) {  // other threads may have held locks at the fork, so only async-signal-safe calls
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(126);
    const int in = ::open("/dev/null", O_RDONLY);
    ::dup2(in, STDIN_FILENO);
    ::dup2(out[1], STDOUT_FILENO);
    ::dup2(err[1], STDERR_FILENO);
    ::execve(argv[0], argv.data(), envp.data());
    ::_exit(127);
  }
  ::close(out[1]);
  ::close(err[1]);
  out_reader_ = std::thread([this, fd = out[0]] { collect(fd, out_); });
  err_reader_ = std::thread([this, fd = err[0]] { collect(fd, err_); });
}

Process::~Process() {
  kill9();
  out_reader_.join();
  err_reader_.join();
}

void Process::collect(int fd, std::string& into) {
  std::array<char, 4096> block{};
  ssize_t got = 0;
  while ((got = ::read(fd, block.data(), block.size())) > 0) {
    const std::lock_guard lock(mutex_);
    into.append(block.data(), static_cast<std::size_t>(got));
    changed_.notify_all();
  }
  ::close(fd);
  const std::lock_guard lock(mutex_);
  --open_pipes_;
  changed_.notify_all();
}

std::string Process::out() const {
  const std::lock_guard lock(mutex_);
  return out_;
}

std::string Process::err() const {
  const std::lock_guard lock(mutex_);
  return err_;
}

bool Process::wait_for_err(const std::function<bool(const std::string&)>& holds) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, kPatience, [&] { return holds(err_) || open_pipes_ == 0; });
  return holds(err_);
}

bool Process::says(const std::string& part) {
  return wait_for_err([&](const std::string& text) { return has(text, part); });
}

void Process::signal(int number) const {
  if (!ended_) ::kill(pid_, number);
}

bool Process::reap(bool wait) {
  int status = 0;
  if (!ended_ && ::waitpid(pid_, &status, wait ? 0 : WNOHANG) == pid_) {
    ended_ = true;
    code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  return ended_;
}

bool Process::runs() { return !reap(false); }

int Process::wait(Milliseconds within) {
  {
    // The pipes close when the process ends, so no polling is needed. A child of the process would keep them open.
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, within, [&] { return open_pipes_ == 0; });
  }
  const auto until = std::chrono::steady_clock::now() + Milliseconds(500);
  while (!reap(false) && open_pipes_ == 0 && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(Milliseconds(1));
  }
  return ended_ ? code_ : -1;
}

void Process::kill9() {
  signal(SIGCONT);
  signal(SIGKILL);
  reap(true);
}

std::string Process::sanitizer_report() const {
  const std::string text = err();
  for (const char* sign : {"Sanitizer", "runtime error:"}) {
    if (text.find(sign) != std::string::npos) return text;
  }
  return "";
}

Ran run_headgate(const Words& arguments, const std::vector<std::string>& environment) {
  Process process(arguments, environment);
  const int code = process.wait(2 * kPatience);
  return {code, process.out(), process.err()};
}

TemporaryFile::TemporaryFile(const std::string& text, const std::string& name) {
  directory_ = (std::filesystem::temp_directory_path() / "headgate-test-XXXXXX").string();
  if (::mkdtemp(directory_.data()) == nullptr) std::abort();
  path_ = directory_ + "/" + name;
  std::ofstream(path_) << text;
}

TemporaryFile::~TemporaryFile() {
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

}  // namespace headgate::test
