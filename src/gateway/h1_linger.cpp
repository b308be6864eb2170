// Reading on behind an answer that came before its request was read to the end. Closed at once, the kernel would reset
// the connection, and a client that sends first and then listens would find the reset and not the answer (RFC 9112
// section 9.6). Such a client has a large upload to finish, so this goes on for as long as the usual servers do.

#include "h1_session.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>

namespace headgate::gateway {
namespace {

using Clock = std::chrono::steady_clock;
constexpr Duration kAtMost = std::chrono::seconds(30);
constexpr Duration kInSilence = std::chrono::seconds(5);

}  // namespace

/// Holds nothing but the connection: no exchange, no buffer, no coroutine.
void H1Session::linger() {
  state_ = State::lingering;
  stream_->shutdown_send();
  input_.consume(input_.data().size());
  input_.unpin();
  input_.rest();
  linger_until_ = Clock::now() + kAtMost;
  owner_.let_linger(*this);
  discard();
}

/// Once in a turn of the loop, however fast the client sends, so that others are served in between.
void H1Session::discard() {
  const auto got = stream_->discard_now();
  const auto left = std::chrono::duration_cast<Duration>(linger_until_ - Clock::now());
  const bool ended = got.has_error() && got.error() != boost::asio::error::would_block;
  if (ended || left <= Duration(0)) return owner_.remove(*this);
  stream_->watch(&H1Session::lingered, this, std::min(left, kInSilence));
}

void H1Session::lingered(void* self, net::Stream& stream) {
  auto& session = *static_cast<H1Session*>(self);
  if (stream.timed_out()) return session.owner_.remove(session);
  session.discard();
}

}  // namespace headgate::gateway
