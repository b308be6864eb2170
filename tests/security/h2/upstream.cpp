#include "security/h2/upstream.hpp"

#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>

namespace headgate::test::h2 {
namespace {

constexpr std::size_t kSmall = 128;
constexpr std::size_t kLarge = 200'000;
constexpr int kBacklog = 4'096;

std::string answer_of(std::size_t bytes) {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(bytes) + "\r\n\r\n" + std::string(bytes, 'x');
}

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

void watch(int epoll, int fd, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

}  // namespace

Upstream::Upstream()
    : listener_(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      stop_(eventfd(0, EFD_CLOEXEC)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(listener_, kBacklog) != 0)
    fail("an upstream");
  getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
  watch(epoll_, listener_, EPOLLIN);
  watch(epoll_, stop_, EPOLLIN);
  thread_ = std::thread([this] { run(); });
}

Upstream::~Upstream() {
  eventfd_write(stop_, 1);
  thread_.join();
  for (const auto& [fd, caller] : callers_) close(fd);
  for (const int fd : {listener_, epoll_, stop_}) close(fd);
}

void Upstream::run() {
  std::array<epoll_event, 128> events;
  while (true) {
    const int count = epoll_wait(epoll_, events.data(), events.size(), -1);
    for (int i = 0; i < count; ++i) {
      const int fd = events[static_cast<std::size_t>(i)].data.fd;
      if (fd == stop_) return;
      if (fd == listener_)
        accept_all();
      else
        look_at(fd);
    }
  }
}

void Upstream::accept_all() {
  for (int fd = 0; (fd = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0;) {
    callers_.try_emplace(fd);
    watch(epoll_, fd, EPOLLIN | EPOLLOUT | EPOLLET);
  }
}

void Upstream::look_at(int fd) {
  auto& caller = callers_[fd];
  std::array<char, 64UL * 1024> bytes;
  while (true) {
    const auto got = recv(fd, bytes.data(), bytes.size(), 0);
    if (got > 0) {
      if (!caller.held) caller.in.append(bytes.data(), static_cast<std::size_t>(got));
      continue;
    }
    if ((got < 0 && errno == EAGAIN) && serve(fd, caller)) return;
    if (got < 0 && errno == EINTR) continue;
    callers_.erase(fd);
    close(fd);
    return;
  }
}

/// False: the caller is gone.
bool Upstream::serve(int fd, Caller& caller) {
  static const auto small = answer_of(kSmall);
  static const auto large = answer_of(kLarge);
  while (!caller.held) {
    const auto end = caller.in.find("\r\n\r\n");
    if (end == std::string::npos) break;
    const std::string_view line(caller.in.data(), caller.in.find("\r\n"));
    caller.held = !line.starts_with("GET ") || line.starts_with("GET /held ");
    if (!caller.held) caller.out += line.starts_with("GET /large ") ? large : small;
    caller.in.erase(0, end + 4);
  }
  if (caller.out.empty()) return true;
  const auto sent = send(fd, caller.out.data(), caller.out.size(), MSG_NOSIGNAL);
  if (sent < 0) return errno == EAGAIN;
  caller.out.erase(0, static_cast<std::size_t>(sent));
  return true;
}

}  // namespace headgate::test::h2
