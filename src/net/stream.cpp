#include "headgate/net/stream.hpp"

#include "plain_transport.hpp"
#include "socket.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <chrono>

namespace headgate::net {
namespace error = boost::asio::error;

namespace {

// The cost of a read call in addition to its bytes, in bytes of a turn, because many small reads cost more than one
// large read.
constexpr std::int64_t kRead = 1024;
// A deadline that never passes, because the next turn comes earlier.
constexpr auto kNextTurn = std::chrono::minutes(1);

int take_descriptor(Socket& socket) {
  error_code ignored;
  socket.native_non_blocking(true, ignored);
  socket.set_option(Tcp::no_delay(true), ignored);
  return socket.release(ignored);  // released so that Asio's reactor does not watch it too
}

}  // namespace

Stream::Stream(Socket socket, Timers& timers)
    : descriptor_(take_descriptor(socket)),
      plain_(descriptor_),
      readiness_(boost::asio::use_service<Readiness>(socket.get_executor().context())),
      timers_(timers) {
  if (is_open()) readiness_.add(descriptor_, *this);
}

Stream::Stream(int descriptor, boost::asio::io_context& loop, Timers& timers)
    : descriptor_(descriptor),
      plain_(descriptor_),
      readiness_(boost::asio::use_service<Readiness>(loop)),
      timers_(timers) {
  try {
    readiness_.add(descriptor_, *this);
  } catch (...) {
    ::close(descriptor_);  // the destructor does not run for an object that was not constructed
    throw;
  }
}

Stream::~Stream() { close_descriptor(); }

void Stream::use_transport(std::unique_ptr<Transport> transport) noexcept {
  transport->take_over(*transport_);
  transport_ = transport.get();
  over_ = std::move(transport);
}

void Stream::close_descriptor() noexcept {
  if (!is_open()) return;
  readiness_.remove(descriptor_);
  ::close(std::exchange(descriptor_, -1));
}

Result<std::size_t> Stream::read_now(std::span<char> into) {
  if (!is_open()) return error_code(error::operation_aborted);
  return charged(over_ ? over_->read(into) : plain_.read(into));
}

Result<std::size_t> Stream::discard_now() {
  if (!is_open()) return error_code(error::operation_aborted);
  return charged(transport_->discard(kMaxDiscarded));
}

Result<std::size_t> Stream::charged(Result<std::size_t> got) noexcept {
  if (got.has_value()) charge(kRead + static_cast<std::int64_t>(*got));
  return got;
}

Stream::Readable Stream::readable(Duration timeout) noexcept { return {*this, Readable::For::bytes, timeout}; }

Stream::Readable Stream::turn() noexcept { return {*this, Readable::For::turn, kNextTurn}; }

Stream::WriteAll Stream::write_all(std::span<const std::string_view> pieces, Duration timeout) noexcept {
  return {*this, pieces, timeout};
}

Stream::WriteAll Stream::flush(Duration timeout) noexcept { return {*this, timeout}; }

void Stream::on_turn() {
  turn_left_ = kTurn;
  if (reader_ && reader_->may_go_on()) {
    if (!transport_->ends()) return wake_reader({});
    // No further event will be reported, so the watcher must be called when the reader has finished.
    const StreamPtr self(this);
    wake_reader({});
    if (reader_ == nullptr && event_ != nullptr && is_open()) fire();
    return;
  }
  if (event_ && transport_->readable()) fire();
}

void Stream::fire() {
  const auto event = event_;
  auto* owner = event_owner_;
  unwatch();
  event(owner, *this);
}

void Stream::on_writable() {
  if (!writer_) return;
  if (writer_->proceed()) return wake_writer(writer_->result_);
  writer_->arm();
}

void Stream::wake_reader(error_code ec) {
  if (!reader_) return;
  read_timer_.disarm();
  auto* reader = std::exchange(reader_, nullptr);
  reader->result_ = ec;
  reader->waiter_.resume();
}

void Stream::wake_writer(error_code ec) {
  if (!writer_) return;
  write_timer_.disarm();
  if (write_rule_.of != nullptr) write_pace_.end(std::chrono::steady_clock::now());
  auto* writer = std::exchange(writer_, nullptr);
  writer->result_ = ec;
  writer->waiter_.resume();
}

void Stream::read_expired(void* self) {
  const StreamPtr stream(static_cast<Stream*>(self));  // the woken coroutine may release the stream
  if (stream->reader_) return stream->wake_reader(error::timed_out);
  stream->watch_timed_out_ = stream->event_ != nullptr;
  if (stream->event_) stream->fire();
}

void Stream::write_expired(void* self) {
  const StreamPtr stream(static_cast<Stream*>(self));
  if (stream->write_rule_.of != nullptr && stream->write_goes_on()) return;
  stream->wake_writer(error::timed_out);
}

/// Continues a write whose timer has fired. Acknowledged bytes count whenever they arrive, so the kernel is asked only
/// at these moments. Returns false if the peer has accepted no byte for too long.
bool Stream::write_goes_on() {
  const auto now = std::chrono::steady_clock::now();
  if (writer_ == nullptr || now >= write_until_) return false;
  write_pace_.end(now);
  const auto taken = socket::acknowledged(descriptor_);
  if (taken && !write_pace_.keeps_up(*taken)) {
    wake_writer(too_slow());
    return true;
  }
  const auto left = std::chrono::ceil<Duration>(write_until_ - now);
  timers_.arm(write_timer_, taken ? std::min(left, write_pace_.begin(now, write_rule_())) : left);
  return true;
}

void Stream::arm_writer(Duration timeout) noexcept {
  if (write_rule_.of != nullptr) {
    const auto now = std::chrono::steady_clock::now();
    write_until_ = now + timeout;
    timeout = std::min(timeout, write_pace_.begin(now, write_rule_()));
  }
  timers_.arm(write_timer_, timeout);
}

void Stream::watch(Event event, void* owner, Duration timeout) noexcept {
  timers_.arm(read_timer_, timeout);
  watch(event, owner);
}

void Stream::watch(Event event, void* owner) noexcept {
  event_ = event;
  event_owner_ = owner;
  watch_timed_out_ = false;
  if (transport_->readable()) readiness_.repeat(*this);
}

void Stream::watch_on(Event event, void* owner, Duration timeout) noexcept {
  assert(!reader_);  // the timer belongs to the reader
  timers_.arm(read_timer_, timeout);
  event_ = event;
  event_owner_ = owner;
  watch_timed_out_ = false;
}

void Stream::unwatch() noexcept {
  event_ = nullptr;
  read_timer_.disarm();
}

bool Stream::silent() noexcept { return is_open() && (over_ ? over_->silent() : plain_.silent()); }

bool Stream::broken() noexcept { return !is_open() || transport_->broken(); }

bool Stream::peer_ended() const noexcept { return !is_open() || transport_->ends(); }

bool Stream::sees_end() noexcept { return !is_open() || transport_->sees_end(); }

void Stream::interrupt() noexcept {
  const StreamPtr self(this);
  interrupted_ = true;
  wake_reader(error::operation_aborted);
  wake_writer(error::operation_aborted);
}

void Stream::interrupt_read() noexcept {
  const StreamPtr self(this);
  wake_reader(error::operation_aborted);
}

void Stream::shutdown_send() noexcept {
  if (!is_open()) return;
  transport_->send_end();
  ::shutdown(descriptor_, SHUT_WR);
}

void Stream::close() noexcept {
  const StreamPtr self(this);
  if (!is_open()) return;
  unwatch();
  transport_->send_end();
  end();
}

void Stream::end() noexcept {
  close_descriptor();
  wake_reader(error::operation_aborted);
  wake_writer(error::operation_aborted);
}

void Stream::reset() noexcept {
  const StreamPtr self(this);
  if (!is_open()) return;
  unwatch();
  const linger at_once{1, 0};
  ::setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  end();
}

void Stream::keep_alive() noexcept {
  const int on = 1;
  ::setsockopt(descriptor_, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
}

bool Stream::write_now(std::string_view bytes) noexcept {
  const auto sent = write_some(bytes);
  return sent.has_value() && *sent == bytes.size();
}

Result<std::size_t> Stream::write_some(std::string_view bytes) noexcept {
  if (writer_) return error_code(error::would_block);
  if (!is_open()) return error_code(error::operation_aborted);
  const iovec piece{const_cast<char*>(bytes.data()), bytes.size()};
  return transport_->write({&piece, 1});
}

Result<boost::asio::ip::address> Stream::peer_address() const {
  Tcp::endpoint endpoint;
  auto size = static_cast<socklen_t>(endpoint.capacity());
  if (::getpeername(descriptor_, endpoint.data(), &size) != 0)
    return error_code(errno, boost::system::system_category());
  return endpoint.address();
}

void Stream::Readable::await_suspend(std::coroutine_handle<> waiter) noexcept {
  assert(!stream_.reader_);
  waiter_ = waiter;
  stream_.reader_ = this;
  if (timeout_ != kForever) stream_.timers_.arm(stream_.read_timer_, timeout_);
  if (may_go_on()) stream_.readiness_.repeat(stream_);
}

error_code Stream::Readable::await_resume() noexcept {
  if (result_) return result_;
  if (stream_.interrupted_ || !stream_.is_open()) return error::operation_aborted;
  return {};
}

Stream::WriteAll::WriteAll(Stream& stream, std::span<const std::string_view> pieces, Duration timeout) noexcept
    : stream_(stream), timeout_(timeout) {
  for (const auto& piece : pieces) {
    if (!piece.empty()) pieces_[count_++] = {const_cast<char*>(piece.data()), piece.size()};
  }
}

bool Stream::WriteAll::proceed() noexcept {
  while (first_ < count_) {
    if (stream_.interrupted_ || !stream_.is_open()) {
      result_ = error::operation_aborted;
      return true;
    }
    const std::span<const iovec> pieces(&pieces_[first_], count_ - first_);
    const auto sent = stream_.over_ ? stream_.over_->write(pieces) : stream_.plain_.write(pieces);
    if (sent.has_error()) {
      if (sent.error() == error::would_block) return false;
      result_ = sent.error();
      return true;
    }
    auto left = *sent;
    while (first_ < count_ && left >= pieces_[first_].iov_len) left -= pieces_[first_++].iov_len;
    if (first_ < count_) {
      pieces_[first_].iov_base = static_cast<char*>(pieces_[first_].iov_base) + left;
      pieces_[first_].iov_len -= left;
    }
  }
  return true;
}

void Stream::WriteAll::await_suspend(std::coroutine_handle<> waiter) noexcept {
  assert(!stream_.writer_);
  waiter_ = waiter;
  stream_.writer_ = this;
  arm();
}

void Stream::WriteAll::arm() const noexcept {
  if (timeout_ != kForever) stream_.arm_writer(timeout_);
}

Result<void> Stream::WriteAll::await_resume() const noexcept {
  if (result_) return result_;
  return {};
}

}  // namespace headgate::net
