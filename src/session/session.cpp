// The parts of a session that are the same in every protocol: being idle, draining, and the time after the last answer.

#include "session.hpp"

#include "headgate/gateway/answer.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>
#include <utility>

namespace headgate::session {
namespace {

constexpr Duration kAtMost = std::chrono::seconds(30);
constexpr Duration kInSilence = std::chrono::seconds(5);
constexpr std::uint64_t kBytesAtMost = 1UL << 30;

}  // namespace

void Peer::speak_for(const boost::asio::ip::address& source) {
  address = source;
  if (address.is_v6() && address.to_v6().is_v4_mapped())
    address = boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, address.to_v6());
  text = address.to_string();
}

Session::Session(Sessions& owner, net::ReadBuffer input, Peer peer)
    : stream_(&input.stream()),
      read_buffer_(std::move(input)),
      peer_(std::move(peer)),
      owner_(owner),
      since_(owner.clock_.steady()),
      number_(++owner.numbered_) {}

Session::~Session() {
  if (stream_) stream_->close();
}

void Session::begin_exchange(Exchange& x) {
  x.peer = peer_.address;
  x.peer_text = peer_.text;
  x.clock = &owner_.clock_;
  x.started = since_ = x.clock->steady();
  x.draining = &peer_.listener->winding_down;
  x.client_tls = peer_.tls;
  x.https_port = peer_.listener->https_port;
  x.asked_by = peer_.listener->asked_by;
  x.protocol = peer_.listener->protocol;
  x.certificates_only = peer_.listener->certificates_only;
  x.settle_within = peer_.listener->settle_within;
  x.secured = peer_.secured.get();
  x.client_certificate = peer_.certificate;
  x.source_untold = peer_.source_untold;
}

void Session::reject() { end(); }

bool Session::answer_unread(std::string_view status, std::string_view text) {
  std::string out = "HTTP/1.1 ";
  out.append(status).append("\r\nDate: ").append(gateway::date_now(clock()));
  out.append("\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ").append(std::to_string(text.size()));
  out.append("\r\nConnection: close\r\n\r\n").append(text);
  return stream_->write_now(out);
}

void Session::give_way(net::ServerTlsPtr tls) {
  owner_.give_way(*this, std::move(read_buffer_), std::move(peer_), std::move(tls));
}

void Session::wait_idle(Duration timeout) {
  state_ = State::idle;
  read_buffer_.release();
  stream_->watch(&Session::event, this, timeout);
}

void Session::event(void* self, net::Stream& stream) {
  auto& session = *static_cast<Session*>(self);
  session.state_ = State::serving;
  if (stream.timed_out()) return session.end();
  session.serve();
}

void Session::drain() {
  if (!idle()) return drain_on();
  state_ = State::serving;
  stream_->unwatch();
  serve();
}

void Session::break_off() noexcept {
  const net::StreamPtr stream = stream_;
  stream->close();
}

Session::Stopped Session::stop(Afterwards, std::span<const std::uint32_t> streams) noexcept {
  break_off();
  return {.broken_off = static_cast<std::uint32_t>(streams.size())};
}

/// Reads and discards for a while before the close. If the connection were closed at once, the kernel would reset it,
/// and a client that sends its whole upload before it reads would never receive the answer (RFC 9112 section 9.6). The
/// limits of 30 s in total and 5 s of silence are those of nginx. A lingering session has no exchange, buffer or
/// coroutine.
void Session::linger(std::uint64_t most) {
  state_ = State::lingering;
  linger_bytes_ = std::min(most, kBytesAtMost);
  stream_->shutdown_send();
  read_buffer_.consume(read_buffer_.data().size());
  read_buffer_.unpin();
  read_buffer_.release();
  linger_until_ = owner_.clock_.steady() + kAtMost;
  owner_.let_linger(*this);
  discard();
}

/// Reads and discards once in each turn of the loop, so that a fast client does not delay other clients.
void Session::discard() {
  const auto got = stream_->discard_now();
  const auto left = std::chrono::duration_cast<Duration>(linger_until_ - owner_.clock_.steady());
  const bool ended = got.has_error() && got.error() != boost::asio::error::would_block;
  if (got.has_value()) linger_bytes_ -= std::min<std::uint64_t>(linger_bytes_, *got);
  if (ended || left <= Duration(0) || linger_bytes_ == 0) return end();
  stream_->watch(&Session::lingered, this, std::min(left, kInSilence));
}

void Session::lingered(void* self, net::Stream& stream) {
  auto& session = *static_cast<Session*>(self);
  if (stream.timed_out()) return session.end();
  session.discard();
}

}  // namespace headgate::session
