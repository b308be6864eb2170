#include "process.hpp"

#include "headgate/net/descriptors.hpp"
#include "headgate/observe/event.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace headgate::server {
namespace {

/// Estimated number of descriptors that the process needs besides those of connections.
constexpr int kDescriptorsBeside = 32;
/// Time that the log thread has to write the last line.
constexpr auto kLastLine = std::chrono::milliseconds(200);

}  // namespace

void tell_service_manager(std::string_view state) noexcept {
  const char* const path = std::getenv("NOTIFY_SOCKET");
  if (path == nullptr) return;
  const std::string_view name(path);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (name.size() < 2 || name.size() >= sizeof address.sun_path) return;
  std::memcpy(address.sun_path, name.data(), name.size());
  if (name.front() == '@') address.sun_path[0] = '\0';  // an abstract socket name
  const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return;
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  ::sendto(socket, state.data(), state.size(), MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&address), size);
  ::close(socket);
}

void ignore_stray_signals() {
  for (const int each :
       {SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGIO, SIGPWR, SIGSTKFLT, SIGXFSZ, SIGXCPU})
    std::signal(each, SIG_IGN);
  for (int each = SIGRTMIN; each <= SIGRTMAX; ++each) std::signal(each, SIG_IGN);
}

EndAtLatest::~EndAtLatest() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void EndAtLatest::begin(Duration after) {
  const auto at = std::chrono::steady_clock::now() + after;
  {
    const std::lock_guard lock(mutex_);
    if (at_ && *at_ <= at) return;
    at_ = at;
  }
  changed_.notify_one();
  if (!thread_.joinable()) thread_ = std::thread([this] { wait(); });
}

void EndAtLatest::wait() {
  std::unique_lock lock(mutex_);
  while (!ended_ && std::chrono::steady_clock::now() < *at_) changed_.wait_until(lock, *at_);
  if (ended_) return;
  observe::event(
      observe::LogLevel::error, "end_forced",
      "a task did not end in time, such as a read from a file system that does not answer, so the process ends "
      "without it");
  std::this_thread::sleep_for(kLastLine);
  std::_Exit(1);
}

/// Warns because the bound on connections would never be reached: clients would wait in the kernel's queue, and nothing
/// would be logged.
void warn_of_few_descriptors(const config::Config& config) {
  const auto shares = net::descriptor_shares();
  const std::int64_t most = config.bounds.connections;
  if (most + kDescriptorsBeside <= shares.clients) return;
  observe::event(
      observe::LogLevel::warning, "few_descriptors",
      "the limit of open files is too low for \"bounds.connections\": raise that limit, or lower "
      "\"bounds.connections\"",
      {{"connections", most}, {"fit", std::max(shares.clients - kDescriptorsBeside, 0)}, {"limit", shares.all}});
}

}  // namespace headgate::server
