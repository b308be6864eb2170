#pragma once
// A server that can die, hang and come back on its port, and that answers health checks as the test says.

#include "blackbox/harness/socket.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <list>
#include <mutex>
#include <string>
#include <thread>

namespace headgate::test {

/// Listens on an address of this machine, with one thread for each connection. Answers /healthz with the status that
/// the test sets, everything else with 200 and its name. The public functions are for the thread of the test.
class CheckedServer {
 public:
  explicit CheckedServer(std::string name = "server", const std::string& address = "127.0.0.1", std::uint16_t port = 0)
      : name_(std::move(name)), address_(address), port_(port) {
    come_back();
  }
  CheckedServer(const CheckedServer&) = delete;
  CheckedServer& operator=(const CheckedServer&) = delete;
  ~CheckedServer() { die(); }

  std::uint16_t port() const { return port_; }
  std::string url() const { return "http://" + address_ + ":" + std::to_string(port_); }

  /// The status of /healthz; 0: it never answers.
  void health(int status) { health_ = status; }
  /// How long it works on a request.
  void takes(Milliseconds time) { takes_ = time; }

  unsigned checks() const { return checks_; }
  unsigned requests() const { return requests_; }
  /// The most requests that it worked on at the same time.
  unsigned most_at_once() const { return most_; }
  unsigned connections() const { return accepted_; }
  /// The head of the last check.
  std::string last_check() const {
    const std::lock_guard lock(mutex_);
    return last_check_;
  }
  /// Waits until so many more checks have come.
  bool wait_for_checks(unsigned more) const {
    const auto from = checks_.load();
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (checks_ < from + more && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(Milliseconds(5));
    return checks_ >= from + more;
  }

  /// Closes everything, as a process that ends.
  void die() {
    if (!listener_.is_open()) return;
    stopping_ = true;
    listener_.shut_down();
    acceptor_.join();
    {
      const std::lock_guard lock(mutex_);
      for (auto& each : open_) each.socket.shut_down();
    }
    for (auto& each : open_) each.thread.join();
    open_.clear();
    listener_.close();
  }
  /// Listens on the same port again.
  void come_back() {
    stopping_ = false;
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int on = 1;
    ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_port = htons(port_);
    ::inet_pton(AF_INET, address_.c_str(), &where.sin_addr);
    if (::bind(fd, reinterpret_cast<const sockaddr*>(&where), sizeof where) != 0 || ::listen(fd, 1024) != 0) {
      ::close(fd);
      return;
    }
    listener_ = Socket(fd);
    port_ = listener_.local_port();
    acceptor_ = std::thread([this] { accept_all(); });
  }
  bool listens() const { return listener_.is_open(); }

 private:
  struct Connection {
    Socket socket;
    std::thread thread;
  };

  void accept_all() {
    while (!stopping_) {
      const int fd = ::accept4(listener_.fd(), nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) continue;
      ++accepted_;
      const std::lock_guard lock(mutex_);
      auto& connection = open_.emplace_back();
      connection.socket = Socket(fd);
      connection.thread = std::thread([this, &connection] { serve(connection.socket); });
    }
  }
  void serve(Socket& socket) {
    std::string bytes;
    while (!stopping_) {
      const auto end = bytes.find("\r\n\r\n");
      if (end == std::string::npos) {
        const auto got = socket.receive(bytes, Milliseconds(250));
        if (got == Got::end || got == Got::reset) break;
        continue;
      }
      const auto head = bytes.substr(0, end + 4);
      bytes.erase(0, end + 4);
      int status = 200;
      if (head.starts_with("GET /healthz")) {
        {
          const std::lock_guard lock(mutex_);
          last_check_ = head;
        }
        ++checks_;
        status = health_;
        if (status == 0) continue;
      } else {
        work();
      }
      if (!socket.send("HTTP/1.1 " + std::to_string(status) + " S\r\nContent-Length: " + std::to_string(name_.size()) +
                       "\r\n\r\n" + name_))
        break;
    }
    const std::lock_guard lock(mutex_);
    socket.shut_down();
  }
  void work() {
    ++requests_;
    const unsigned now = ++now_;
    unsigned most = most_;
    while (now > most && !most_.compare_exchange_weak(most, now)) continue;
    std::this_thread::sleep_for(takes_.load());
    --now_;  // before the answer: the gateway may send another request as soon as it has that
  }

  const std::string name_;
  const std::string address_;
  std::uint16_t port_;
  Socket listener_;
  std::atomic<bool> stopping_ = false;
  std::atomic<int> health_ = 200;
  std::atomic<Milliseconds> takes_ = Milliseconds(0);
  std::atomic<unsigned> checks_ = 0, requests_ = 0, now_ = 0, most_ = 0, accepted_ = 0;
  mutable std::mutex mutex_;
  std::list<Connection> open_;
  std::string last_check_;
  std::thread acceptor_;
};

}  // namespace headgate::test
