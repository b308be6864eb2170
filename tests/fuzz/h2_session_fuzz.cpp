// Fuzzes a connection of HTTP/2 from its first frame to its end, over a socket: whatever a client sends, every exchange
// ends, the connection goes away, and its memory is given back.

#include "fuzzer.hpp"
#include "h2_frame.hpp"

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/handler.hpp"
#include "headgate/net/loop_clock.hpp"
#include "headgate/session/sessions.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace headgate::fuzz {
namespace {

using gateway::Exchange;

/// Reads each body, or leaves it, and answers with so much as the path says. In a tunnel it sends back what comes.
class Answers final : public gateway::Handler {
 public:
  Task<void> handle(Exchange& x) override {
    ++under_way;
    const auto path = x.request.path;
    demand(!x.request.method.empty() && path.starts_with('/'));
    std::size_t got = 0;
    if (x.request.by_connect()) {
      co_await echo(x);
      --under_way;
      co_return;
    }
    if (path.find('r') != std::string_view::npos) {
      while (!x.client_gone) {
        const auto bytes = co_await x.body->read();
        if (bytes.has_error() || bytes->empty()) break;
        got += bytes->size();
      }
    }
    const std::string body((path.size() * 1'000 + got) % 100'000, 'x');
    const http::Fields fields;
    http::ReplyStart start;
    start.fields = &fields;
    start.framing = {http::Framing::Kind::length, body.size()};
    if (!x.client_gone) (void)co_await x.reply->send(start, body, http::EndStream::yes);
    --under_way;
  }
  void refused(Exchange& x) override { demand(x.status == 0 || x.status >= 400); }
  bool opens_websockets() const override { return true; }

  int under_way = 0;

 private:
  static Task<void> echo(Exchange& x) {
    demand(x.body->ended());
    const http::Fields fields;
    http::ReplyStart start;
    start.status = 101;
    start.fields = &fields;
    auto sent = co_await x.reply->send(start, {}, http::EndStream::no);
    x.reply->tunnel(std::chrono::seconds(1));
    while (sent.has_value() && !x.client_gone) {
      const auto bytes = co_await x.body->read();
      if (bytes.has_error()) break;
      if (bytes->empty()) sent = co_await x.reply->finish(fields);
      if (bytes->empty()) break;
      sent = co_await x.reply->write(*bytes, http::EndStream::no);
    }
  }
};

/// A head that is valid, which mutation alone would hardly ever reach.
std::string request_head(std::string_view path, std::string_view name, std::string_view value) {
  std::string out;
  const auto add = [&](std::string_view one, std::string_view other) {
    for (const auto part : {one, other}) {
      if (part == one) out += '\0';
      out += static_cast<char>(std::min<std::size_t>(part.size(), 100));
      out.append(part.substr(0, 100));
    }
  };
  const bool tunnel = path.size() == 3;
  add(":method", tunnel ? "CONNECT" : "POST");
  if (tunnel) add(":protocol", "websocket");
  add(":scheme", "http");
  add(":path", "/" + std::string(path));
  add(":authority", "a");
  if (!name.empty()) add(name, value);
  return out;
}

/// The bytes as frames: of each four, type, flags, stream and length, and then its payload. Types beyond those that
/// there are become heads that are whole.
std::string frames_of_client(std::string_view bytes) {
  std::string out = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + h2_frame(4, 0, 0, {});
  while (bytes.size() >= 4) {
    const auto type = static_cast<std::uint8_t>(bytes[0]);
    const auto flags = static_cast<std::uint8_t>(bytes[1]);
    const auto stream = static_cast<std::uint8_t>(bytes[2]);
    const auto size = std::min<std::size_t>(static_cast<std::uint8_t>(bytes[3]), bytes.size() - 4);
    const auto payload = bytes.substr(4, size);
    bytes.remove_prefix(4 + size);
    if (type < 128) {
      out += h2_frame(type % 12, flags, stream, payload);
    } else {
      const auto half = payload.size() / 2;
      const auto name = payload.substr(0, half).substr(0, type % 16);
      out += h2_frame(1, static_cast<std::uint8_t>(4 | (flags & 1)), stream | 1,
                      request_head(payload.substr(0, type % 4), name, payload.substr(half)));
    }
  }
  return out;
}

void run(const std::string& bytes) {
  boost::asio::io_context loop(1);
  net::Timers timers(loop);
  timers.start();
  net::LoopClock clock(loop);
  net::LentBytes total;
  net::LentBytes::Share lent(&total);
  net::Blocks blocks{{16UL * 1024, 4, &lent}, {64UL * 1024, 4, &lent}, &lent};
  Answers answers;
  session::Totals totals;
  const auto listener = std::make_shared<session::ListenerSettings>();
  listener->http2 = true;
  {
    session::Sessions sessions(answers, clock, blocks, {}, {}, totals);
    boost::asio::basic_socket_acceptor<net::Tcp, net::Executor> acceptor(
        loop, net::Tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0));
    net::Socket far(loop.get_executor());
    far.connect(acceptor.local_endpoint());
    net::Socket near(loop.get_executor());
    acceptor.accept(near);
    sessions.take(net::StreamPtr(new net::Stream(std::move(near), timers)), listener);
    for (std::size_t at = 0; at < bytes.size();) {
      const auto sent = ::send(far.native_handle(), bytes.data() + at, bytes.size() - at, MSG_DONTWAIT | MSG_NOSIGNAL);
      if (sent > 0) at += static_cast<std::size_t>(sent);
      loop.restart();
      loop.poll();
      std::string into(1 << 16, '\0');
      const auto got = ::recv(far.native_handle(), into.data(), into.size(), MSG_DONTWAIT);
      if (sent <= 0 && got == 0) break;
      if (sent <= 0 && got < 0 && errno != EAGAIN) break;
    }
    for (int i = 0; i < 4; ++i) {
      loop.restart();
      loop.poll();
    }
    far.close();
    for (int i = 0; i < 8 && !sessions.empty(); ++i) {
      loop.restart();
      loop.poll();
    }
    sessions.close_all();
    loop.restart();
    loop.poll();
    demand(sessions.empty());
    demand(answers.under_way == 0);
  }
  timers.stop();
  loop.restart();
  loop.poll();
  lent.add(2 * net::LentBytes::kStep + 1);  // tells the total all that it has counted
  demand(total.read() == 2 * net::LentBytes::kStep + 1);
}

}  // namespace

void h2_session_fuzz(std::string_view bytes) {
  if (bytes.empty()) return;
  if (bytes[0] % 8 == 0)
    run("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + std::string(bytes.substr(1)));
  else
    run(frames_of_client(bytes.substr(1)));
}

}  // namespace headgate::fuzz
