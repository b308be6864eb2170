#include "headgate/net/stream.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/socket_base.hpp>

#include <sys/socket.h>

namespace headgate::net {
namespace error = boost::asio::error;

Stream::Stream(Socket socket, Timers& timers) : socket_(std::move(socket)), timers_(timers) {
  error_code ignored;
  socket_.non_blocking(true, ignored);
  socket_.set_option(Tcp::no_delay(true), ignored);
}

Result<std::size_t> Stream::read_now(std::span<char> into) {
  error_code ec;
  readable_ = false;
  const auto count = socket_.read_some(boost::asio::buffer(into.data(), into.size()), ec);
  if (ec) return ec;
  return count;
}

Stream::Readable Stream::readable(Duration timeout) noexcept { return {*this, timeout}; }

Stream::WriteAll Stream::write_all(std::span<const std::string_view> pieces, Duration timeout) noexcept {
  return {*this, pieces, timeout};
}

void Stream::arm_read() {
  if (read_armed_) return;
  read_armed_ = true;
  socket_.async_wait(Socket::wait_read, [self = StreamPtr(this)](const error_code& ec) { self->on_readable(ec); });
}

void Stream::arm_write() {
  if (write_armed_) return;
  write_armed_ = true;
  socket_.async_wait(Socket::wait_write, [self = StreamPtr(this)](const error_code& ec) { self->on_writable(ec); });
}

void Stream::on_readable(const error_code& ec) {
  read_armed_ = false;
  if (ec == error::operation_aborted) return;
  readable_ = true;
  if (reader_) return wake_reader({});
  if (event_) {
    const auto event = event_;
    auto* owner = event_owner_;
    unwatch();
    event(owner, *this);
  }
}

void Stream::on_writable(const error_code& ec) {
  write_armed_ = false;
  if (ec == error::operation_aborted || !writer_) return;
  if (writer_->proceed()) return wake_writer(writer_->result_);
  timers_.arm(write_timer_, writer_->timeout_);
  arm_write();
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
  if (stream->event_) {
    const auto event = stream->event_;
    auto* owner = stream->event_owner_;
    stream->unwatch();
    stream->watch_timed_out_ = true;
    event(owner, *stream);
  }
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
  arm_read();
}

void Stream::unwatch() noexcept {
  event_ = nullptr;
  read_timer_.disarm();
}

bool Stream::broken() noexcept {
  char byte = 0;
  const auto seen = ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
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
  error_code ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
}

void Stream::close() noexcept {
  const StreamPtr self(this);
  unwatch();
  error_code ignored;
  socket_.close(ignored);
  wake_reader(error::operation_aborted);
  wake_writer(error::operation_aborted);
}

void Stream::reset() noexcept {
  error_code ignored;
  socket_.set_option(boost::asio::socket_base::linger(true, 0), ignored);
  close();
}

boost::asio::ip::address Stream::peer_address() const {
  error_code ignored;
  return socket_.remote_endpoint(ignored).address();
}

void Stream::Readable::await_suspend(std::coroutine_handle<> waiter) noexcept {
  waiter_ = waiter;
  stream_.reader_ = this;
  stream_.timers_.arm(stream_.read_timer_, timeout_);
  stream_.arm_read();
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
    const auto sent = ::sendmsg(stream_.socket_.native_handle(), &message, MSG_NOSIGNAL);
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
  waiter_ = waiter;
  stream_.writer_ = this;
  stream_.timers_.arm(stream_.write_timer_, timeout_);
  stream_.arm_write();
}

Result<void> Stream::WriteAll::await_resume() const noexcept {
  if (result_) return result_;
  return {};
}

}  // namespace headgate::net
