#include "security/h2/attacker.hpp"

#include "blackbox/harness/h2_client.hpp"

#include <netinet/in.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace headgate::test::h2 {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kLook = std::chrono::milliseconds(50);
constexpr auto kSlowly = std::chrono::milliseconds(250);
/// Of the kernel, for what was sent: a server that has ended a connection is not paid for much that it never reads.
constexpr int kBuffer = 32 * 1024;
/// Beyond it a client has to connect anew.
constexpr std::uint32_t kLastStream = 0x7ff00000;

}  // namespace

struct Attacker::Connection {
  explicit Connection(int socket) : fd(socket) {}
  ~Connection() { close(fd); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool all_sent() const noexcept { return sent == out.size(); }

  int fd;
  std::string out;
  std::size_t sent = 0;
  std::uint32_t next = 1;
  std::string head;      ///< of a frame that comes
  std::size_t skip = 0;  ///< of its payload
};

Attacker::Attacker(std::uint16_t port, const Attack& attack, int nice)
    : port_(port), attack_(attack), epoll_(epoll_create1(EPOLL_CLOEXEC)), connections_(attack.at_once) {
  thread_ = std::thread([this, nice] { run(nice); });
}

Attacker::~Attacker() {
  stopping_ = true;
  thread_.join();
  connections_.clear();
  close(epoll_);
}

void Attacker::run(int nice) {
  const sched_param usual{};
  if (nice != 0) sched_setscheduler(0, SCHED_OTHER, &usual);
  if (nice != 0) setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + nice);
  auto slow = Clock::now() + kSlowly;
  for (std::size_t slot = 0; slot < connections_.size() && !stopping_; ++slot) connect(slot);
  std::array<epoll_event, 64> events;
  while (!stopping_) {
    const int count = epoll_wait(epoll_, events.data(), events.size(), static_cast<int>(kLook.count()));
    for (int i = 0; i < count && !stopping_; ++i) look_at(events[static_cast<std::size_t>(i)].data.u64);
    if (attack_.slowly && Clock::now() >= slow) {
      slow += kSlowly;
      trickle();
    }
  }
}

void Attacker::connect(std::size_t slot) {
  connections_[slot] = std::make_unique<Connection>(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  auto& connection = *connections_[slot];
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port_);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  static_cast<void>(::connect(connection.fd, reinterpret_cast<sockaddr*>(&address), sizeof address));
  connection.out = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + h2_frame(h2_settings, 0, 0, attack_.settings);
  attack_.first.append_to(connection.out, connection.next);
  epoll_event event{};
  const int buffer = kBuffer;
  setsockopt(connection.fd, SOL_SOCKET, SO_SNDBUF, &buffer, sizeof buffer);
  event.data.u64 = slot;
  event.events = EPOLLOUT | heard();
  epoll_ctl(epoll_, EPOLL_CTL_ADD, connection.fd, &event);
  ++connected_;
}

std::uint32_t Attacker::heard() const noexcept { return attack_.reads ? EPOLLIN | EPOLLRDHUP : 0U; }

void Attacker::look_at(std::size_t slot) {
  auto& connection = *connections_[slot];
  if (!receive(connection) || !send(connection)) {
    ++ended_;
    return connect(slot);
  }
  if (!connection.all_sent() || floods()) return;
  epoll_event event{};
  event.data.u64 = slot;
  event.events = heard();
  epoll_ctl(epoll_, EPOLL_CTL_MOD, connection.fd, &event);
}

/// False: the server wants no more of it. Whoever reads it in a GOAWAY wastes no more bytes here.
bool Attacker::receive(Connection& connection) {
  if (!attack_.reads) return true;
  std::array<char, 64UL * 1024> bytes;
  while (true) {
    const auto got = recv(connection.fd, bytes.data(), bytes.size(), 0);
    if (got <= 0) return got < 0 && (errno == EAGAIN || errno == ENOTCONN);
    for (std::size_t at = 0; at < static_cast<std::size_t>(got);) {
      const auto left = static_cast<std::size_t>(got) - at;
      if (connection.skip > 0) {
        const auto skipped = std::min(connection.skip, left);
        connection.skip -= skipped;
        at += skipped;
        continue;
      }
      const auto part = std::min(kFrameHead - connection.head.size(), left);
      connection.head.append(bytes.data() + at, part);
      at += part;
      if (connection.head.size() < kFrameHead) continue;
      const auto byte = [&](std::size_t i) {
        return static_cast<std::size_t>(static_cast<unsigned char>(connection.head[i]));
      };
      if (byte(3) == h2_goaway) return false;
      connection.skip = byte(0) << 16 | byte(1) << 8 | byte(2);
      connection.head.clear();
    }
  }
}

/// One piece a turn: then it is heard whether there is an answer.
bool Attacker::send(Connection& connection) {
  if (connection.all_sent()) {
    if (!floods()) return true;
    if (connection.next > kLastStream) return false;
    prepare(connection);
  }
  const auto sent = ::send(connection.fd, connection.out.data() + connection.sent,
                           connection.out.size() - connection.sent, MSG_NOSIGNAL);
  if (sent < 0) return errno == EAGAIN || errno == ENOTCONN;
  connection.sent += static_cast<std::size_t>(sent);
  sent_ += static_cast<std::uint64_t>(sent);
  return true;
}

void Attacker::prepare(Connection& connection) {
  connection.out.clear();
  connection.sent = 0;
  attack_.again.append_to(connection.out, connection.next);
}

/// Whoever is gone is found by look_at().
void Attacker::trickle() {
  for (auto& connection : connections_) {
    if (!connection->all_sent()) continue;
    prepare(*connection);
    static_cast<void>(send(*connection));
  }
}

}  // namespace headgate::test::h2
