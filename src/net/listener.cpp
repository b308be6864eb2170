#include "headgate/net/listener.hpp"

#include "socket.hpp"

#include "headgate/net/descriptors.hpp"
#include "headgate/observe/event.hpp"

#include <boost/asio/error.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <limits>
#include <utility>

namespace headgate::net {
namespace {

namespace error = boost::asio::error;

/// Number of connections that are accepted in one turn. The request of a new connection is read before another
/// connection is accepted; otherwise the new connection would look idle and could be closed to make room.
constexpr int kAtOnce = 1;
// The pause before the next check for free descriptors.
constexpr auto kPause = std::chrono::milliseconds(100);

std::atomic<std::uint64_t> pauses{0};
std::atomic<int> paused{0};  // number of paused listeners

/// A pause within this time after another one belongs to the same shortage: each connection that ends makes room for
/// only one more.
constexpr auto kSameEpisode = std::chrono::seconds(10);
using Ticks = std::chrono::steady_clock::duration;
std::atomic<Ticks> last_end{Ticks{}};

}  // namespace

std::uint64_t accept_pauses() noexcept { return pauses.load(std::memory_order_relaxed); }

Listener::Listener(boost::asio::io_context& loop, Timers& timers, BoundSocket socket, For whom)
    : loop_(loop),
      acceptor_(loop),
      timers_(timers),
      last_descriptor_(whom == For::clients ? descriptor_shares().clients : std::numeric_limits<int>::max()) {
  acceptor_.assign(socket.local().protocol(), socket.descriptor());
  socket.release();
  acceptor_.non_blocking(true);
  acceptor_.set_option(Tcp::no_delay(true));  // inherited by accepted sockets
}

Listener::~Listener() {
  resume();
  close_socket();
}

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

/// Waits for connections with Asio, and accepts them without it: Asio's accept would add each connection to its epoll
/// set and remove it again.
void Listener::accept() {
  acceptor_.async_wait(Acceptor::wait_read, [this](const error_code& ec) {
    if (ec == error::operation_aborted) return;  // the listener is closed and may be destroyed
    if (take_waiting()) accept();
  });
}

/// Returns false if the listener should not wait for more, because it is closed or paused.
bool Listener::take_waiting() {
  for (int taken = 0; taken < kAtOnce; ++taken) {
    const int descriptor = socket::accept(acceptor_.native_handle());
    if (descriptor < 0) {
      const auto why = socket::failure();
      if (why == error::would_block) break;
      if (why == error::connection_aborted) continue;
      pause(why.message());
      return false;
    }
    take_(StreamPtr(new Stream(descriptor, loop_, timers_)));
    if (!acceptor_.is_open()) return false;
    // The kernel returns the lowest free number, so the number shows how many descriptors are open.
    if (descriptor < last_descriptor_) continue;
    pause("few file descriptors are left");
    return false;
  }
  return true;
}

/// Stops accepting for a while. The remaining descriptors are for connections to servers, which existing clients need.
void Listener::pause(const std::string& reason) {
  paused_ = true;
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  const auto ended = last_end.load(std::memory_order_relaxed);
  const bool goes_on = ended != Ticks{} && now - ended < kSameEpisode;
  if (paused.fetch_add(1, std::memory_order_relaxed) == 0 && !goes_on) {
    pauses.fetch_add(1, std::memory_order_relaxed);
    observe::event(observe::LogLevel::error, "accept_paused",
                   "no new connections are accepted until some have ended: raise the limit of open files, or lower "
                   "\"bounds.connections\"",
                   {{"reason", reason}});
  }
  timers_.arm(pause_, kPause);
}

void Listener::resume() {
  if (!std::exchange(paused_, false)) return;
  paused.fetch_sub(1, std::memory_order_relaxed);
  last_end.store(std::chrono::steady_clock::now().time_since_epoch(), std::memory_order_relaxed);
}

void Listener::pause_over(void* self) {
  auto& listener = *static_cast<Listener*>(self);
  const int probe = ::fcntl(listener.acceptor_.native_handle(), F_DUPFD_CLOEXEC, 0);
  if (probe >= 0) ::close(probe);
  if (probe < 0 || probe >= listener.last_descriptor_) return listener.timers_.arm(listener.pause_, kPause);
  listener.resume();
  listener.accept();
}

void Listener::close() {
  pause_.disarm();
  resume();
  if (!acceptor_.is_open()) return;
  error_code ec;
  acceptor_.cancel(ec);
  // Accepts at most as many connections as the queue holds, so that clients that keep connecting cannot keep the
  // listener open.
  for (int taken = 0; take_ && taken < kBacklog; ++taken) {
    const int descriptor = socket::accept(acceptor_.native_handle());
    if (descriptor < 0) break;
    take_(StreamPtr(new Stream(descriptor, loop_, timers_)));
  }
  close_socket();
}

/// Closes the socket. Asio must release it first, which removes it from the loop's epoll set. If another process has
/// the same socket, a close alone would leave the socket in the set, which would report it for ever.
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
