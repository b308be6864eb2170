#include "blackbox/harness/free_port.hpp"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <random>

namespace headgate::test {
namespace {

bool can_be_bound(std::uint16_t port) {
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

}  // namespace

std::uint16_t free_port() {
  constexpr int kLowest = 10'000;
  int given_away = 32'768;
  std::ifstream("/proc/sys/net/ipv4/ip_local_port_range") >> given_away;
  static std::mt19937 random{std::random_device{}()};
  std::uniform_int_distribution<int> any(kLowest, std::max(kLowest + 1000, given_away - 1));
  for (int tries = 0; tries < 1000; ++tries)
    if (const auto port = static_cast<std::uint16_t>(any(random)); can_be_bound(port)) return port;
  return 0;
}

}  // namespace headgate::test
