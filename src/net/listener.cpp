#include "headgate/net/listener.hpp"

#include "headgate/observe/event.hpp"

#include <boost/asio/error.hpp>

#include <unistd.h>

namespace headgate::net {
namespace {

namespace error = boost::asio::error;

// The wait after an error. Without descriptors or memory, some may be free again soon.
constexpr auto kPause = std::chrono::milliseconds(100);

}  // namespace

Listener::Listener(boost::asio::io_context& loop, Timers& timers, BoundSocket socket)
    : acceptor_(loop), timers_(timers) {
  acceptor_.assign(socket.local().protocol(), socket.descriptor());
  socket.release();
  acceptor_.non_blocking(true);
}

Listener::~Listener() { close_socket(); }

Result<std::unique_ptr<Listener>, std::string> Listener::open(boost::asio::io_context& loop, Timers& timers,
                                                              const ListenOptions& options) {
  auto socket = BoundSocket::bind(options);
  if (socket.has_error()) return socket.error();
  if (const auto listening = socket->listen(); listening.has_error()) return listening.error();
  return std::make_unique<Listener>(loop, timers, std::move(*socket));
}

void Listener::start(Take take) {
  take_ = std::move(take);
  accept();
}

void Listener::accept() {
  acceptor_.async_accept([this](const error_code& ec, Socket socket) {
    if (ec == error::operation_aborted) return;  // closed, and perhaps destroyed
    if (!ec) {
      take_(StreamPtr(new Stream(std::move(socket), timers_)));
    } else if (ec != error::connection_aborted && acceptor_.is_open()) {
      observe::event(observe::LogLevel::warning, "accept_failed", "trying again in 100 ms", {{"reason", ec.message()}});
      return timers_.arm(pause_, kPause);
    }
    if (acceptor_.is_open()) accept();
  });
}

void Listener::pause_over(void* self) { static_cast<Listener*>(self)->accept(); }

void Listener::close() {
  pause_.disarm();
  if (!acceptor_.is_open()) return;
  error_code ec;
  acceptor_.cancel(ec);
  // At most one backlog: clients that keep connecting must not keep the listener open.
  for (int taken = 0; take_ && taken < kBacklog; ++taken) {
    Socket socket(acceptor_.get_executor());
    acceptor_.accept(socket, ec);
    if (ec) break;
    take_(StreamPtr(new Stream(std::move(socket), timers_)));
  }
  close_socket();
}

/// Another process may have the same socket. Then a close alone would leave it in the loop's epoll set, which would go
/// on to report it; Asio takes out of the set only what it releases.
void Listener::close_socket() noexcept {
  if (!acceptor_.is_open()) return;
  error_code ec;
  const int descriptor = acceptor_.release(ec);
  if (!ec) ::close(descriptor);
}

std::uint16_t Listener::port() const noexcept {
  error_code ignored;
  return acceptor_.local_endpoint(ignored).port();
}

std::string Listener::address() const {
  error_code ignored;
  return shown(acceptor_.local_endpoint(ignored));
}

}  // namespace headgate::net
