#pragma once
// A gate in a TCP connection, for tests. It forwards the bytes, holds them back, loses them, or cuts the connection.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace headgate::test {

/// Listens on a free port of 127.0.0.1 and forwards bytes to another port and back. Any thread.
class TcpGate {
 public:
  enum class Mode {
    pass,     ///< forwards everything
    hold,     ///< accepts, and keeps all bytes to send them later
    swallow,  ///< accepts, and loses all bytes, like a network that fails silently
    deafen,   ///< forwards requests, and loses answers
    reset,    ///< resets every connection
    cut,      ///< resets in the middle of every third answer
  };

  explicit TcpGate(std::uint16_t to) : to_(to), listener_(listening()), wake_(::eventfd(0, EFD_CLOEXEC)) {
    thread_ = std::thread([this] { run(); });
  }
  TcpGate(const TcpGate&) = delete;
  TcpGate& operator=(const TcpGate&) = delete;
  ~TcpGate() {
    ended_ = true;
    wake();
    thread_.join();
    for (const auto& pair : pairs_) close(pair);
    ::close(listener_);
    ::close(wake_);
  }

  std::uint16_t port() const {
    sockaddr_in here{};
    socklen_t length = sizeof here;
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&here), &length);
    return ntohs(here.sin_port);
  }
  void set(Mode mode) {
    mode_ = mode;
    wake();
  }

 private:
  struct Pair {
    int client = -1;
    int server = -1;  ///< below 0 until it is connected
  };

  static sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in there{};
    there.sin_family = AF_INET;
    there.sin_port = htons(port);
    there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return there;
  }

  static int listening() {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const auto here = loopback(0);
    if (::bind(fd, reinterpret_cast<const sockaddr*>(&here), sizeof here) != 0 || ::listen(fd, 64) != 0) return -1;
    return fd;
  }

  static void close(const Pair& pair) {
    const linger at_once{1, 0};
    for (const int fd : {pair.client, pair.server}) {
      if (fd < 0) continue;
      ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
      ::close(fd);
    }
  }

  void wake() const {
    const std::uint64_t one = 1;
    static_cast<void>(::write(wake_, &one, sizeof one));
  }

  void run() {
    while (!ended_) {
      const Mode mode = mode_;
      if (mode == Mode::reset) end_all();
      if (mode == Mode::pass || mode == Mode::cut || mode == Mode::deafen) connect_all();
      std::vector<pollfd> looked{{wake_, POLLIN, 0}, {listener_, POLLIN, 0}};
      for (const auto& pair : pairs_) {
        const auto events = static_cast<short>(mode == Mode::hold ? 0 : POLLIN);
        looked.push_back({pair.client, events, 0});
        looked.push_back({pair.server, events, 0});
      }
      ::poll(looked.data(), looked.size(), 50);
      std::uint64_t ignored = 0;
      if (looked[0].revents != 0) static_cast<void>(::read(wake_, &ignored, sizeof ignored));
      if (mode != mode_) continue;
      if (looked[1].revents != 0) pairs_.push_back({::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC), -1});
      for (std::size_t i = (looked.size() - 2) / 2; i-- > 0;) {
        const bool alive = carry(pairs_[i].client, pairs_[i].server, looked[2 * i + 2].revents, mode, false) &&
                           carry(pairs_[i].server, pairs_[i].client, looked[2 * i + 3].revents, mode, true);
        if (alive) continue;
        close(pairs_[i]);
        pairs_.erase(pairs_.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
  }

  /// Moves bytes from one connection to the other. Returns false if both connections are to be reset.
  bool carry(int from, int to, short events, Mode mode, bool answer) {
    if (from < 0 || events == 0 || mode == Mode::hold) return true;
    std::array<char, 65536> bytes;
    const auto got = ::recv(from, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got <= 0) return false;
    if (mode == Mode::swallow || (mode == Mode::deafen && answer) || to < 0) return true;
    const bool cuts = mode == Mode::cut && answer && ++answers_ % 3 == 0;
    const auto passed = cuts ? got / 2 : got;
    return ::send(to, bytes.data(), static_cast<std::size_t>(passed), MSG_NOSIGNAL) == passed && !cuts;
  }

  void connect_all() {
    for (std::size_t i = pairs_.size(); i-- > 0;) {
      auto& pair = pairs_[i];
      if (pair.server >= 0) continue;
      pair.server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      const auto there = loopback(to_);
      if (::connect(pair.server, reinterpret_cast<const sockaddr*>(&there), sizeof there) == 0) continue;
      close(pair);
      pairs_.erase(pairs_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  void end_all() {
    for (const auto& pair : pairs_) close(pair);
    pairs_.clear();
  }

  const std::uint16_t to_;
  const int listener_;
  const int wake_;
  std::atomic<Mode> mode_ = Mode::pass;
  std::atomic<bool> ended_ = false;
  std::vector<Pair> pairs_;
  std::size_t answers_ = 0;
  std::thread thread_;
};

}  // namespace headgate::test
