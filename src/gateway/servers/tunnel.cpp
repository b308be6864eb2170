#include "tunnel.hpp"

#include "headgate/core/scoped_task.hpp"
#include "headgate/http/websocket.hpp"

#include <boost/asio/error.hpp>

#include <exception>

namespace headgate::gateway {

using http::Known;

std::string_view add_websocket_key(Exchange& x) {
  auto& random = *x.random;
  const auto first = random();
  const auto key = x.text.join({http::websocket_key(first, random())});
  x.fields.push_back({Known::sec_websocket_key, "Sec-WebSocket-Key", key});
  return key;
}

const char* flaw_of_handshake(const http::ReplyHead& answer, std::string_view key) {
  if (!http::same_word(http::value_of(answer.fields, Known::upgrade), http::kWebSocket))
    return "the server switches to another protocol than websocket";
  if (http::value_of(answer.fields, Known::sec_websocket_accept) != http::websocket_accept(key))
    return "the server's Sec-WebSocket-Accept is not that of the key it was sent";
  return nullptr;
}

Problem websocket_not_opened(Exchange& x) {
  x.reason = x.text.join({"the server answers ", x.text.number(x.answer.status), " and opens no WebSocket"});
  return {.status = 502, .ended_by = EndedBy::upstream, .detail = "The server did not open a WebSocket."};
}

// Refuses the request if no WebSocket can be opened. This is so if the server is reached over HTTP/2. It is also so if
// the route has a fixed answer with a status of success, which would look like an opened WebSocket.
MaybeProblem refused_websocket(const Exchange& x) {
  const auto& respond = x.route->respond;
  const bool opens_none = respond ? respond->status >= 200 && respond->status < 300 : x.route->asks_http2();
  if (!opens_none) return {};
  return Problem{.status = 501, .ended_by = EndedBy::bad_request, .detail = "No WebSocket can be opened here."};
}

namespace {

/// The end of one direction: the peer closed it, or it failed.
enum class End { closed, broken };

struct Tunnel {
  Exchange& x;
  upstream::Attempt& server;
  http::BodyReader& from_server;
  Duration idle;
  Clock::Steady last_byte;
  ScopedTask up;

  /// Returns whether both directions have been idle for too long: one direction may be idle while the other is in use.
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
    bug = std::current_exception();  // the other direction must end first, because it refers to this frame
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
