#pragma once
// A server of HTTP/1.1 that forgets what it has seen: behind a proxy that is attacked.

#include <cstdint>
#include <string>
#include <thread>
#include <unordered_map>

namespace headgate::test::h2 {

/// Answers GET /large with 200 KB, any other GET with 128 bytes, and nothing to GET /held and to what has a body: of
/// that it takes every byte. One thread of its own.
class Upstream {
 public:
  /// Listens on a free port of 127.0.0.1. Throws std::system_error where it cannot.
  Upstream();
  ~Upstream();
  Upstream(const Upstream&) = delete;
  Upstream& operator=(const Upstream&) = delete;
  std::uint16_t port() const noexcept { return port_; }

 private:
  struct Caller {
    std::string in;
    std::string out;
    bool held = false;
  };

  void run();
  void accept_all();
  void look_at(int fd);
  bool serve(int fd, Caller& caller);

  int listener_ = -1;
  int epoll_ = -1;
  int stop_ = -1;
  std::uint16_t port_ = 0;
  std::unordered_map<int, Caller> callers_;
  std::thread thread_;
};

}  // namespace headgate::test::h2
