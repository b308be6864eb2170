#include "output.hpp"

#include "headgate/observe/event.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace headgate::observe {
namespace {

constexpr int kPaceMilliseconds = 100;
constexpr mode_t kMode = 0644;

/// Ends a last line that a killed process or a full disk has cut off, so that the next line starts anew.
void end_last_line(const std::string& path, int descriptor) {
  const int reader = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (reader < 0) return;
  char last = '\n';
  const auto size = ::lseek(reader, 0, SEEK_END);
  const bool cut = size > 0 && ::pread(reader, &last, 1, size - 1) == 1 && last != '\n';
  ::close(reader);
  // If this write fails, the write of the first line fails as well and reports the error.
  if (cut && ::write(descriptor, "\n", 1) < 0) return;
}

/// Returns as many whole lines as fit into `most` bytes, but always at least the whole first line.
std::string_view piece_of(std::string_view text, std::size_t most) noexcept {
  if (text.size() <= most) return text;
  auto end = text.substr(0, most).rfind('\n');
  if (end == text.npos) end = text.find('\n', most);
  return text.substr(0, end == text.npos ? text.size() : end + 1);
}

}  // namespace

Result<std::shared_ptr<Output>, std::string> Output::open(const std::string& target) {
  std::shared_ptr<Output> output(new Output(target));
  output->wake_ = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (output->datagrams_) {
    // With a size of 0, a piece is always exactly one line.
    output->piece_ = 0;
    const auto connected = output->datagrams_->connect();
    if (connected.has_error()) return connected.error();
    return output;
  }
  const auto descriptor = output->descriptor();
  if (descriptor.has_error()) return descriptor.error();
  output->take(*descriptor);
  const char* const plain = std::getenv("NO_COLOR");
  output->terminal_ = !output->is_file() && ::isatty(*descriptor) == 1 && (plain == nullptr || *plain == '\0');
  return output;
}

void Output::start() {
  if (thread_.joinable()) return;
  // The thread keeps this object alive, because close() may leave the thread running.
  thread_ = std::thread([self = shared_from_this()] { self->run(); });
}

Output::~Output() {
  if (is_file() && descriptor_ >= 0) ::close(descriptor_);
  if (wake_ >= 0) ::close(wake_);
}

Result<int, std::string> Output::descriptor() const {
  if (target_ == "stdout") return STDOUT_FILENO;
  if (target_ == "stderr") return STDERR_FILENO;
  std::error_code ignored;
  const auto folder = std::filesystem::path(target_).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, ignored);
  // The file is opened as non-blocking, so that a named pipe without a reader fails instead of blocking.
  const int opened = ::open(target_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, kMode);
  if (opened < 0) return "cannot write the log " + target_ + ": " + std::strerror(errno);
  end_last_line(target_, opened);
  return opened;
}

void Output::take(int descriptor) {
  descriptor_ = descriptor;
  struct stat about {};
  const bool regular = ::fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode);
  piece_ = regular ? Lane::kBlock : PIPE_BUF;
}

std::size_t Output::fullest() const {
  const std::lock_guard lock(mutex_);
  std::size_t out = 0;
  for (const auto& lane : lanes_) out = std::max(out, lane->waiting());
  return out;
}

Lane& Output::lane() {
  const std::lock_guard lock(mutex_);
  return *lanes_.emplace_back(std::make_unique<Lane>());
}

void Output::nudge() noexcept {
  const std::uint64_t one = 1;
  // This write fails only if the counter of wakes is full, and then the thread wakes up, too.
  if (::write(wake_, &one, sizeof one) < 0) return;
}

void Output::reopen() noexcept {
  wants_reopen_ = true;
  nudge();
}

void Output::end() noexcept {
  ends_ = true;
  nudge();
}

bool Output::ended() {
  {
    const std::lock_guard lock(mutex_);
    if (!has_ended_) return false;
  }
  if (thread_.joinable()) thread_.join();
  return true;
}

void Output::close(Duration within) {
  if (!thread_.joinable()) return;
  end();
  std::unique_lock lock(mutex_);
  if (ended_.wait_for(lock, within, [this] { return has_ended_; })) {
    lock.unlock();
    thread_.join();
  } else {
    thread_.detach();
  }
}

void Output::run() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  while (true) {
    const bool last = ends_;  // ends_ is read before drain(), so that all lines queued before end() are written.
    const bool reopens = wants_reopen_.exchange(false);
    const bool done = drain();
    if (reopens) open_again();
    if (last && (done || failing_)) break;
    if (!last || full_) wait(full_);
  }
  const std::lock_guard lock(mutex_);
  has_ended_ = true;
  ended_.notify_all();
}

/// Writes all lanes. Returns false if something could not be written.
bool Output::drain() {
  std::size_t empty = 0;
  while (true) {
    Lane* lane = nullptr;
    {
      const std::lock_guard lock(mutex_);
      if (empty == lanes_.size()) return true;
      lane = lanes_[turn_ % lanes_.size()].get();
    }
    const bool had_some = !lane->front().empty();
    if (!drain(*lane)) return false;
    empty = had_some ? 0 : empty + 1;
    ++turn_;
  }
}

bool Output::drain(Lane& lane) {
  auto text = lane.front();
  full_ = false;
  while (!text.empty()) {
    const auto written = write_some(piece_of(text, piece_));
    if (written < 0) {
      if (errno == EINTR) continue;
      full_ = errno == EAGAIN;
      if (!full_) trouble(errno);
      return false;
    }
    keep_some(text.substr(0, static_cast<std::size_t>(written)));
    lane.pop(static_cast<std::size_t>(written));
    text.remove_prefix(static_cast<std::size_t>(written));
    trouble(0);
  }
  return true;
}

void Output::keep(std::shared_ptr<RecentLines> recent) {
  const std::lock_guard lock(mutex_);
  recent_ = std::move(recent);
}

void Output::keep_some(std::string_view written) {
  // An output with marks writes one line at a time, so `written` is exactly one line.
  if (takes_marks()) written.remove_prefix(std::min(kMarks, written.size()));
  std::shared_ptr<RecentLines> recent;
  {
    const std::lock_guard lock(mutex_);
    recent = recent_;
  }
  if (recent) recent->add(written, now());
}

/// Returns the number of bytes written, or -1 with errno.
long Output::write_some(std::string_view text) {
  if (!datagrams_) return ::write(descriptor_, text.data(), text.size());
  const int error = datagrams_->send(text.substr(0, text.size() - 1));
  if (error == EMSGSIZE) lost_.fetch_add(1, std::memory_order_relaxed);
  if (error == 0 || error == EMSGSIZE) return static_cast<long>(text.size());
  errno = error;
  return -1;
}

/// Reports an event when writing begins to fail, and another one when it works again.
void Output::trouble(int error) {
  const bool failing = error != 0;
  if (failing == failing_) return;
  failing_ = failing;
  if (ends_) return;  // the error log may already be closed
  if (failing)
    event(LogLevel::error, "log_failed", "the log cannot be written; new lines are kept for a moment, and then lost",
          {{"log", target_}, {"reason", std::strerror(error)}});
  else
    event(LogLevel::info, "log_written", "the log can be written again", {{"log", target_}});
}

void Output::open_again() {
  if (!is_file()) return;
  const auto opened = descriptor();
  if (opened.has_error()) return event(LogLevel::error, "log_not_reopened", opened.error(), {{"log", target_}});
  ::close(descriptor_);
  take(*opened);
  event(LogLevel::info, "log_reopened", {}, {{"log", target_}});
}

void Output::wait(bool for_room) noexcept {
  const int waited = datagrams_ ? datagrams_->descriptor() : descriptor_;
  std::array<pollfd, 2> watched{{{wake_, POLLIN, 0}, {for_room ? waited : -1, POLLOUT, 0}}};
  ::poll(watched.data(), watched.size(), kPaceMilliseconds);
  std::uint64_t count = 0;
  if (::read(wake_, &count, sizeof count) < 0) return;  // the read fails if poll() ended by its timeout
}

}  // namespace headgate::observe
