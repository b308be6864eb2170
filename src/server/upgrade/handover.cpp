#include "handover.hpp"

#include "handover_words.hpp"
#include "state_form.hpp"

#include "headgate/core/hash_secret.hpp"
#include "headgate/observe/event.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>

extern char** environ;

namespace headgate::server {
namespace {

using observe::event;
using observe::LogLevel;

constexpr auto kReapEvery = std::chrono::milliseconds(50);
constexpr int kReapLooks = 100;

std::string reason(int error) { return std::strerror(error); }

/// Descriptors that are closed with the scope.
struct Descriptors {
  std::vector<int> list;
  ~Descriptors() {
    for (const int each : list) ::close(each);
  }
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (auto& each : texts) out.push_back(each.data());
  out.push_back(nullptr);
  return out;
}

std::vector<std::string> environment_with(const std::string& handover) {
  std::vector<std::string> out;
  for (char** each = environ; *each != nullptr; ++each)
    if (!std::string_view(*each).starts_with(std::string(kHandoverVariable) + '=')) out.emplace_back(*each);
  out.push_back(std::string(kHandoverVariable) + '=' + handover);
  return out;
}

/// Starts the program with these descriptors, numbered from kFirstHanded on, and no others. Other descriptors, such as
/// sockets of clients, would stay open in the new process.
Result<pid_t, std::string> spawn(const CommandLine& command, std::span<const int> descriptors,
                                 const std::string& handover) {
  // The descriptors are first copied to numbers above their final ones, so that none is overwritten before it was
  // moved.
  Descriptors copies;
  const int above = kFirstHanded + static_cast<int>(descriptors.size());
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  int failure = 0;
  int place = kFirstHanded;
  for (const int each : descriptors) {
    const int copy = ::fcntl(each, F_DUPFD_CLOEXEC, above);
    if (copy < 0) {
      failure = errno;
      break;
    }
    copies.list.push_back(copy);
    posix_spawn_file_actions_adddup2(&actions, copy, place++);
  }
  posix_spawn_file_actions_addclosefrom_np(&actions, above);
  auto words = command.words;
  auto environment = environment_with(handover);
  pid_t child = 0;
  for (const auto* program : {&command.program, &command.file}) {
    if (failure != 0 || child != 0) break;
    const int error = ::posix_spawnp(&child, program->c_str(), &actions, nullptr, pointers(words).data(),
                                     pointers(environment).data());
    if (error != 0) child = 0;
    if (error != 0 && program == &command.file) failure = error;
  }
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) return "cannot start " + command.program + ": " + reason(failure);
  return child;
}

}  // namespace

CommandLine CommandLine::of_this_process() {
  CommandLine out;
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(file), {}};
  for (std::size_t at = 0; at < all.size(); at = all.find('\0', at) + 1) out.words.emplace_back(all.c_str() + at);
  std::error_code ec;
  out.file = std::filesystem::read_symlink("/proc/self/exe", ec).string();
  out.program = out.words.empty() ? out.file : out.words.front();
  // Symbolic links are not resolved, because a link to the program may later point to the next version.
  if (out.program.find('/') != std::string::npos) out.program = std::filesystem::absolute(out.program, ec).string();
  return out;
}

Handover::Handover(boost::asio::io_context& loop, CommandLine command, std::function<void(pid_t)> serves,
                   GiveState give_state)
    : loop_(loop),
      command_(std::move(command)),
      serves_(std::move(serves)),
      give_state_(std::move(give_state)),
      control_(loop),
      late_(loop),
      reaping_(loop) {}

void Handover::begin(const std::vector<int>& clients, const std::vector<int>& admin) {
  if (child_ != 0) return event(LogLevel::warning, "upgrade_running", "an upgrade is already running");
  if (::getpid() == 1)
    return event(LogLevel::error, "upgrade_failed",
                 "a process with id 1, as in a container, cannot be upgraded; replace the container instead");
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) return failed(reason(errno));
  auto descriptors = clients;
  descriptors.insert(descriptors.end(), admin.begin(), admin.end());
  descriptors.push_back(pair[1]);
  const auto& secret = hash_secret();
  (void)::send(pair[0], secret.data(), secret.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  const auto child = spawn(command_, descriptors,
                           std::to_string(clients.size()) + ' ' + std::to_string(admin.size()) + ' ' +
                               std::string(kGivesState) + ' ' + std::string(kHears));
  first_mistake_.clear();
  ::close(pair[1]);
  if (child.has_error()) {
    ::close(pair[0]);
    return failed(child.error());
  }
  child_ = *child;
  event(LogLevel::info, "upgrade_begun", "a new process was started to take over", {{"pid", child_}});
  control_.assign(pair[0]);
  late_.expires_after(kPatience);
  late_.async_wait([this](const error_code& ec) {
    if (ec || child_ == 0) return;
    ::kill(child_, SIGKILL);
    failed("the new process did not begin to serve in time");
  });
  listen();
}

void Handover::listen() {
  control_.async_read_some(boost::asio::buffer(words_), [this](const error_code& ec, std::size_t bytes) {
    if (child_ == 0) return;
    // The new process closed the socket without reading everything, as an older version does. The kernel reports this
    // as one error; afterwards, the messages that were sent before can be read.
    if (ec == boost::asio::error::connection_reset) return listen();
    heard({words_.data(), ec ? 0 : bytes});
  });
}

void Handover::heard(std::string_view words) {
  if (words.empty())
    return failed(first_mistake_.empty() ? "the new process has ended; look at stderr for its error"
                                         : "the new process has ended: " + first_mistake_);
  if (words.front() == kWantsState) return give_state();
  if (words.front() == kMistake) return tell_mistake(words.substr(1));
  error_code ignored;
  control_.close(ignored);
  late_.cancel();
  serves_(std::exchange(child_, 0));
}

/// Logs a mistake of the new process in this process's log and format, because both processes have the same stderr.
void Handover::tell_mistake(std::string_view words) {
  StateReader reader(words);
  const bool error = reader.number<std::uint8_t>() != 0;
  const auto line = reader.number<std::uint64_t>();
  const auto column = reader.number<std::uint64_t>();
  const std::string file(reader.text());
  const std::string message(reader.text());
  if (reader.good()) {
    using observe::EventField;
    event(error ? LogLevel::error : LogLevel::warning, error ? "config_error" : "config_warning", message,
          {file.empty() ? EventField() : EventField("file", file),
           line > 0 ? EventField("line", line) : EventField(),
           line > 0 ? EventField("column", column) : EventField(),
           {"pid", child_}});
    if (error && first_mistake_.empty()) {
      if (!file.empty()) first_mistake_ = file;
      if (line > 0) first_mistake_ += ':' + std::to_string(line) + ':' + std::to_string(column);
      first_mistake_ += (first_mistake_.empty() ? "" : ": ") + message;
    }
  }
  listen();
}

/// Writes the state and sends it to the new process. Requests are counted meanwhile, so their use may or may not be in
/// the file.
void Handover::give_state() {
  if (writing_.joinable()) return listen();
  writing_ = std::thread([this, child = child_, write = give_state_()] {
    const int file = write();
    boost::asio::post(loop_, [this, child, file] { send_state(child, file); });
  });
  listen();
}

void Handover::send_state(pid_t child, int file) {
  if (writing_.joinable()) writing_.join();
  if (child_ == child) send_word(control_.native_handle(), kState, file);
  if (file >= 0) ::close(file);
}

void Handover::failed(const std::string& why) {
  event(LogLevel::error, "upgrade_failed", "this process continues to serve", {{"reason", why}});
  error_code ignored;
  control_.close(ignored);
  late_.cancel();
  if (child_ != 0) reap(std::exchange(child_, 0), kReapLooks);
}

/// Waits for the end of the new process, which may still run for a moment after its last message. Without this call, it
/// would stay as a zombie.
void Handover::reap(pid_t child, int looks) {
  if (::waitpid(child, nullptr, WNOHANG) != 0 || looks == 0) return;
  reaping_.expires_after(kReapEvery);
  reaping_.async_wait([this, child, looks](const error_code& ec) {
    if (!ec) reap(child, looks - 1);
  });
}

void Handover::stop() {
  if (writing_.joinable()) writing_.join();
  if (child_ != 0) ::kill(std::exchange(child_, 0), SIGTERM);
  error_code ignored;
  control_.close(ignored);
  late_.cancel();
  reaping_.cancel();
}

}  // namespace headgate::server
