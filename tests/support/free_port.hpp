#pragma once
// Finds free ports for programs that cannot choose a port themselves.

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace headgate::test {

/// A port that no other test takes while this object lives. Without the claim, another test could find the port free
/// before a program of this test listens on it, and would then talk to the wrong program. Any thread.
class ClaimedPort {
 public:
  ClaimedPort() = default;
  ClaimedPort(ClaimedPort&& other) noexcept
      : port_(std::exchange(other.port_, 0)), claim_(std::exchange(other.claim_, -1)) {}
  ClaimedPort& operator=(ClaimedPort&& other) noexcept {
    std::swap(port_, other.port_);
    std::swap(claim_, other.claim_);
    return *this;
  }
  ~ClaimedPort() {
    if (claim_ >= 0) ::close(claim_);
  }

  /// Claims this port. port() is 0 if another test has claimed it, or if a program listens on it at any address.
  static ClaimedPort of(std::uint16_t port) {
    // The claim is an abstract socket name: it ends with the process, and belongs to the same network namespace as the
    // port.
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    const std::string text = "headgate-test-port-" + std::to_string(port);
    std::memcpy(name.sun_path + 1, text.data(), text.size());
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
    ClaimedPort claimed;
    claimed.claim_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (::bind(claimed.claim_, reinterpret_cast<const sockaddr*>(&name), length) == 0 && can_be_bound(port))
      claimed.port_ = port;
    return claimed;
  }
  /// Claims a port below those that the kernel assigns itself. Any outgoing connection could get one of those, and then
  /// no wildcard address could be bound to it. port() is 0 after a thousand failed attempts.
  static ClaimedPort any() {
    constexpr int kLowest = 10'000;
    int given_away = 32'768;
    std::ifstream("/proc/sys/net/ipv4/ip_local_port_range") >> given_away;
    thread_local std::mt19937 random{std::random_device{}()};
    std::uniform_int_distribution<int> each(kLowest, std::max(kLowest + 1000, given_away - 1));
    for (int tries = 0; tries < 1000; ++tries)
      if (auto claimed = of(static_cast<std::uint16_t>(each(random))); claimed.port() != 0) return claimed;
    return {};
  }

  std::uint16_t port() const noexcept { return port_; }

 private:
  static bool can_be_bound(std::uint16_t port) {
    const int made = ::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int other = made < 0 ? ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0) : made;
    sockaddr_in6 all{};
    all.sin6_family = AF_INET6;
    all.sin6_port = htons(port);
    sockaddr_in all_v4{};
    all_v4.sin_family = AF_INET;
    all_v4.sin_port = htons(port);
    const bool bound = made >= 0 ? ::bind(made, reinterpret_cast<const sockaddr*>(&all), sizeof all) == 0
                                 : ::bind(other, reinterpret_cast<const sockaddr*>(&all_v4), sizeof all_v4) == 0;
    ::close(other);
    return bound;
  }

  std::uint16_t port_ = 0;
  int claim_ = -1;
};

/// Returns a port that stays claimed until the process ends. Test thread only.
inline std::uint16_t free_port() {
  static std::vector<ClaimedPort> claimed;
  return claimed.emplace_back(ClaimedPort::any()).port();
}

}  // namespace headgate::test
