#include "headgate/net/stream.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cassert>

namespace headgate::net {
namespace error = boost::asio::error;

namespace {

// What a read costs beside its bytes: bytes that trickle are dearer than blocks.
constexpr std::int64_t kRead = 1024;
// No turn takes so long to come.
constexpr auto kNextTurn = std::chrono::minutes(1);

int take_descriptor(Socket& socket) {
  error_code ignored;
  socket.non_blocking(true, ignored);
  socket.native_non_blocking(true, ignored);
  socket.set_option(Tcp::no_delay(true), ignored);
  return socket.release(ignored);  // Asio's reactor must not be woken for it too
}

}  // namespace

Stream::Stream(Socket socket, Timers& timers)
    : descriptor_(take_descriptor(socket)),
      readiness_(boost::asio::use_service<Readiness>(socket.get_executor().context())),
      timers_(timers) {
  if (is_open()) readiness_.add(descriptor_, *this);
}

Stream::~Stream() { close_descriptor(); }

void Stream::close_descriptor() noexcept {
  if (!is_open()) return;
  ::close(std::exchange(descriptor_, -1));
  readiness_.remove();
}

Result<std::size_t> Stream::read_now(std::span<char> into) {
  while (true) {
    const auto count = ::recv(descriptor_, into.data(), into.size(), 0);
    if (count >= 0 || errno != EINTR) return received(count, into.size());
  }
}

Result<std::size_t> Stream::discard_now() {
  while (true) {
    // tcp(7): with MSG_TRUNC bytes are thrown away, not handed over. Not recv(): a sanitizer would look for them in the
    // buffer.
    const auto count = ::syscall(SYS_recvfrom, descriptor_, nullptr, kMostDiscarded, MSG_TRUNC, nullptr, nullptr);
    if (count >= 0 || errno != EINTR) return received(count, kMostDiscarded);
  }
}

Result<std::size_t> Stream::received(ssize_t count, std::size_t most) noexcept {
  if (count > 0) {
    charge(kRead + count);
    // Edge-triggered: fewer bytes than asked for means that there are no more, unless the end is waiting behind them.
    readable_ = ends_ || static_cast<std::size_t>(count) == most;
    return static_cast<std::size_t>(count);
  }
  if (count == 0) return error_code(error::eof);
  if (errno == EAGAIN || errno == EWOULDBLOCK) {
    readable_ = false;
    return error_code(error::would_block);
  }
  return error_code(errno, boost::system::system_category());
}

Stream::Readable Stream::readable(Duration timeout) noexcept { return {*this, Readable::For::bytes, timeout}; }

Stream::Readable Stream::turn() noexcept { return {*this, Readable::For::turn, kNextTurn}; }

Stream::WriteAll Stream::write_all(std::span<const std::string_view> pieces, Duration timeout) noexcept {
  return {*this, pieces, timeout};
}

void Stream::on_readable(Ends ends) {
  ends_ = ends_ || ends == Ends::yes;
  readable_ = true;
  on_turn();
}

void Stream::on_turn() {
  turn_left_ = kTurn;
  if (reader_ && reader_->may_go_on()) return wake_reader({});
  if (event_ && readable_) fire();
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
  timers_.arm(write_timer_, writer_->timeout_);
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
  auto* writer = std::exchange(writer_, nullptr);
  writer->result_ = ec;
  writer->waiter_.resume();
}

void Stream::read_expired(void* self) {
  const StreamPtr stream(static_cast<Stream*>(self));  // whoever wakes may let go of it
  if (stream->reader_) return stream->wake_reader(error::timed_out);
  stream->watch_timed_out_ = stream->event_ != nullptr;
  if (stream->event_) stream->fire();
}

void Stream::write_expired(void* self) {
  const StreamPtr stream(static_cast<Stream*>(self));
  stream->wake_writer(error::timed_out);
}

void Stream::watch(Event event, void* owner, Duration timeout) noexcept {
  event_ = event;
  event_owner_ = owner;
  watch_timed_out_ = false;
  timers_.arm(read_timer_, timeout);
  if (readable_) readiness_.repeat(*this);
}

void Stream::unwatch() noexcept {
  event_ = nullptr;
  read_timer_.disarm();
}

bool Stream::silent() noexcept {
  char byte = 0;
  return ::recv(descriptor_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

bool Stream::broken() noexcept {
  char byte = 0;
  const auto seen = ::recv(descriptor_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return seen < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR;
}

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
  if (is_open()) ::shutdown(descriptor_, SHUT_WR);
}

void Stream::close() noexcept {
  const StreamPtr self(this);
  if (!is_open()) return;
  unwatch();
  close_descriptor();
  wake_reader(error::operation_aborted);
  wake_writer(error::operation_aborted);
}

void Stream::reset() noexcept {
  const linger at_once{1, 0};
  if (is_open()) ::setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close();
}

bool Stream::write_now(std::string_view bytes) noexcept {
  if (writer_) return false;
  const auto sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  return sent == static_cast<ssize_t>(bytes.size());
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
  stream_.timers_.arm(stream_.read_timer_, timeout_);
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
    msghdr message{};
    message.msg_iov = &pieces_[first_];
    message.msg_iovlen = count_ - first_;
    const auto sent = ::sendmsg(stream_.descriptor_, &message, MSG_NOSIGNAL);
    if (sent < 0) {
      if (errno == EINTR) continue;
      if (errno == EAGAIN || errno == EWOULDBLOCK) return false;
      result_ = error_code(errno, boost::system::system_category());
      return true;
    }
    auto left = static_cast<std::size_t>(sent);
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
  stream_.timers_.arm(stream_.write_timer_, timeout_);
}

Result<void> Stream::WriteAll::await_resume() const noexcept {
  if (result_) return result_;
  return {};
}

}  // namespace headgate::net
