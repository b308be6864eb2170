#include "passed_sockets.hpp"

#include "headgate/core/whole_number.hpp"
#include "headgate/observe/event.hpp"

#include <unistd.h>

#include <cstdlib>
#include <set>
#include <string_view>
#include <utility>

namespace headgate::server {
namespace {

using observe::event;
using observe::LogLevel;

constexpr int kFirstPassed = 3;
constexpr int kMax = 65'536;

/// Returns the number in an environment variable; -1 if there is none.
long number_in(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? -1 : whole_number<long>(text).value_or(-1);
}

}  // namespace

PassedSockets PassedSockets::from_environment() {
  PassedSockets out;
  const bool ours = number_in("LISTEN_PID") == ::getpid();
  const auto count = number_in("LISTEN_FDS");
  for (const char* variable : {"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"}) ::unsetenv(variable);
  if (!ours || count <= 0 || count > kMax) return out;
  for (int each = kFirstPassed; each < kFirstPassed + static_cast<int>(count); ++each) {
    auto socket = net::BoundSocket::adopt(each);
    if (socket.has_value()) {
      out.sockets_.push_back(std::move(*socket));
      continue;
    }
    event(LogLevel::warning, "passed_socket_unused", "an inherited descriptor cannot be used",
          {{"descriptor", each}, {"reason", socket.error()}});
    ::close(each);
  }
  return out;
}

std::vector<net::BoundSocket> PassedSockets::take(const net::ListenOptions& options) {
  std::vector<net::BoundSocket> out;
  auto wanted = options;
  for (auto at = sockets_.begin(); at != sockets_.end();) {
    if (!at->fits(wanted)) {
      ++at;
      continue;
    }
    wanted.port = at->local().port();
    out.push_back(std::move(*at));
    at = sockets_.erase(at);
  }
  return out;
}

void PassedSockets::close_rest() {
  std::set<std::string> addresses;
  for (const auto& each : sockets_) addresses.insert(net::shown(each.local()));
  sockets_.clear();
  for (const auto& address : addresses)
    event(LogLevel::warning, "passed_socket_unused",
          "the inherited socket is unused, because no listener is configured there", {{"address", address}});
}

}  // namespace headgate::server
