#include "tunnel.hpp"

#include "headgate/core/scoped_task.hpp"

#include <boost/asio/error.hpp>

#include <exception>

namespace headgate::gateway {
namespace {

/// How one direction ended: the peer closed it, or it failed.
enum class End { closed, broken };

struct Tunnel {
  Exchange& x;
  upstream::Attempt& server;
  http::BodyReader& from_server;
  Duration idle;
  Clock::Steady last_byte;
  ScopedTask up;

  /// One direction may be quiet while the other is not.
  bool quiet_too_long() const noexcept { return x.clock->steady() - last_byte >= idle; }

  Task<Result<std::string_view>> read(http::BodyReader& from) {
    while (true) {
      auto bytes = co_await from.read();
      last_byte = bytes.has_value() ? x.clock->steady() : last_byte;
      if (bytes.has_value() || bytes.error() != boost::asio::error::timed_out || quiet_too_long()) co_return bytes;
    }
  }

  Task<void> to_server() {
    auto end = End::broken;
    while (true) {
      const auto bytes = co_await read(*x.body);
      if (bytes.has_error()) break;
      if (bytes->empty()) {
        end = End::closed;
        break;
      }
      const auto sent = co_await server.write(*bytes, http::EndStream::no);
      if (sent.has_error()) break;
    }
    const http::Fields none;
    if (end == End::closed)
      (void)co_await server.finish(none);
    else
      server.cancel();
  }

  Task<End> to_client() {
    while (true) {
      const auto bytes = co_await read(from_server);
      if (bytes.has_error()) co_return End::broken;
      if (bytes->empty()) co_return End::closed;
      const auto sent = co_await x.reply->write(*bytes, http::EndStream::no);
      if (sent.has_error()) co_return End::broken;
    }
  }
};

}  // namespace

Task<void> tunnel(Exchange& x, upstream::Attempt& server, Duration idle) {
  x.reply->tunnel(idle);
  Tunnel both{.x = x,
              .server = server,
              .from_server = server.tunnel(idle),
              .idle = idle,
              .last_byte = x.clock->steady(),
              .up = {}};
  both.up.start(both.to_server(), "tunnel");
  auto end = End::broken;
  std::exception_ptr bug;
  try {
    end = co_await both.to_client();
  } catch (...) {
    bug = std::current_exception();  // the other direction must end first: it refers to this frame
  }
  const http::Fields none;
  if (end == End::closed) {
    (void)co_await x.reply->finish(none);
  } else if (!both.up.done()) {
    server.cancel();
    x.body->cancel();
  }
  co_await both.up.join();
  if (bug) std::rethrow_exception(bug);
}

}  // namespace headgate::gateway
