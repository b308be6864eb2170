#include "tunnel.hpp"

#include "headgate/core/child.hpp"

#include <boost/asio/error.hpp>

namespace headgate::gateway {
namespace {

using Clock = std::chrono::steady_clock;

/// One way's end: the peer said its last, or something broke.
enum class End { said, broken };

struct Tunnel {
  Exchange& x;
  upstream::Connection& server;
  http::BodyReader& from_server;
  Duration idle;
  Duration write_timeout;
  Clock::time_point last_byte = Clock::now();
  Child up;

  /// A quiet way is fine as long as the other one talks.
  bool quiet_too_long() const noexcept { return Clock::now() - last_byte >= idle; }

  Task<Result<std::string_view>> read(http::BodyReader& from) {
    while (true) {
      auto bytes = co_await from.read();
      last_byte = bytes.has_value() ? Clock::now() : last_byte;
      if (bytes.has_value() || bytes.error() != boost::asio::error::timed_out || quiet_too_long()) co_return bytes;
    }
  }

  Task<void> to_server() {
    auto end = End::broken;
    while (true) {
      const auto bytes = co_await read(*x.body);
      if (bytes.has_error()) break;
      if (bytes->empty()) {
        end = End::said;
        break;
      }
      const auto sent = co_await server.output().write(*bytes, http::Last::no, write_timeout);
      if (sent.has_error()) break;
    }
    if (end == End::said)
      server.stream().shutdown_send();
    else
      server.stream().interrupt();
  }

  Task<End> to_client() {
    while (true) {
      const auto bytes = co_await read(from_server);
      if (bytes.has_error()) co_return End::broken;
      if (bytes->empty()) co_return End::said;
      const auto sent = co_await x.reply->write(*bytes, http::Last::no);
      if (sent.has_error()) co_return End::broken;
    }
  }
};

}  // namespace

Task<void> tunnel(Exchange& x, upstream::Connection& server, Duration idle, Duration write_timeout) {
  x.reply->tunnel(idle);
  Tunnel both{x, server, server.tunnel(idle), idle, write_timeout, Clock::now(), {}};
  both.up.start(both.to_server(), "tunnel");
  const auto end = co_await both.to_client();
  const http::Fields none;
  if (end == End::said) {
    (void)co_await x.reply->finish(none);
  } else if (!both.up.done()) {
    server.stream().interrupt();
    x.body->cancel();
  }
  co_await both.up.join();
}

}  // namespace headgate::gateway
