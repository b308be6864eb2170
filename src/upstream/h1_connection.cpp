#include "h1_connection.hpp"

#include "h1_pool.hpp"

#include "headgate/http/h1/write.hpp"

#include <boost/asio/error.hpp>

#include <optional>
#include <utility>

namespace headgate::upstream {
namespace {

constexpr http::h1::Limits kReplyLimits{256, 0};
constexpr auto kBetweenBytes = std::chrono::seconds(60);  // used until send() has set another value

Failure too_large() { return {.what = Failed::head_too_large, .why = "the answer's head is larger than head_size"}; }

}  // namespace

H1Connection::H1Connection(net::StreamPtr stream, net::Blocks& blocks, const Clock& clock, H1Pool& pool,
                           std::size_t head_bytes)
    : CountedAttempt(pool, pool.row(), clock),
      stream_(std::move(stream)),
      read_buffer_(stream_, blocks),
      output_(*stream_),
      body_(read_buffer_, kBetweenBytes),
      pool_(pool),
      head_bytes_(head_bytes) {}

H1Connection::~H1Connection() {
  take_back();
  stream_->close();
}

std::string_view H1Connection::server() const noexcept { return pool_.name(); }

Task<Result<void>> H1Connection::send(const RequestStart& start, std::string_view first, http::EndStream last) {
  method_ = start.method;
  write_timeout_ = start.write_timeout;
  body_.timeout(start.between_bytes);
  const auto head =
      http::h1::write_request_head(*start.room, start.method, start.path, start.query, *start.fields, start.framing);
  output_.begin(start.framing.kind == http::Framing::Kind::unknown);
  auto sent = co_await output_.send(head, first, last, write_timeout_);
  start.room->done();
  if (last == http::EndStream::yes && sent.has_value()) note_sent();
  co_return sent;
}

Task<Result<void>> H1Connection::write(std::string_view bytes, http::EndStream last) {
  co_return co_await output_.write(bytes, last, write_timeout_);
}

Task<Result<void>> H1Connection::finish(const http::Fields& trailers) {
  if (tunnel_) {
    stream_->shutdown_send();
    co_return Result<void>{};
  }
  TextBuffer room;
  co_return co_await output_.finish(trailers, room, write_timeout_);
}

Task<Result<void, Failure>> H1Connection::read_head(http::ReplyHead& head, Duration timeout) {
  // The time limit is set only if the head arrives in several pieces, so that the clock is not read for most heads.
  std::optional<Clock::Steady> until;
  std::size_t scanned = 0;
  std::size_t size = 0;
  while ((size = http::h1::head_size(read_buffer_.data(), scanned)) == 0) {
    if (read_buffer_.data().size() >= head_bytes_ || (read_buffer_.full() && !read_buffer_.widen()))
      co_return too_large();
    // A deadline that has passed is checked here, because no wait times out while bytes keep arriving.
    auto got = Result<std::size_t>(error_code(boost::asio::error::timed_out));
    if (timeout > Duration(0)) got = co_await read_buffer_.fill(timeout);
    if (got.has_value()) {
      // The deadline applies to the whole head, not to each byte.
      const auto now = clock().steady();
      if (!until) until = now + timeout;
      timeout = std::chrono::duration_cast<Duration>(*until - now);
      continue;
    }
    const bool before_first_byte = read_buffer_.data().empty();
    if (got.error() == boost::asio::error::timed_out)
      co_return Failure{.what = Failed::reply_timeout, .cause = got.error()};
    co_return closed(got.error(), before_first_byte);
  }
  if (size > head_bytes_) co_return too_large();
  const auto parsed = http::h1::parse_reply(read_buffer_.data().substr(0, size), method_, kReplyLimits, head);
  if (parsed.has_error()) co_return Failure{.what = Failed::malformed, .why = parsed.error().why};
  read_buffer_.consume(size);
  reused_ = false;  // the server has received the request
  // with a status below 200, the final answer follows, or the connection becomes a tunnel
  keep_alive_ = parsed->keep_alive && head.status >= 200;
  body_.begin(parsed->framing);
  co_return Result<void, Failure>{};
}

Failure H1Connection::closed(error_code cause, bool before_first_byte) {
  // Before the head of the answer is complete, it does not matter whether the server has sent close_notify.
  if (cause == boost::asio::error::connection_aborted) cause = boost::asio::error::eof;
  if (taken_down_) return {.what = Failed::closed, .why = kTakenDown};
  Failure failure{.what = Failed::closed, .cause = cause, .reused = reused_ && before_first_byte};
  if (const auto reason = stream_->transport().reason(); !reason.empty() && cause != boost::asio::error::eof)
    failure.detail = pool_.handshakes().broken(reason);
  return failure;
}

http::BodyReader& H1Connection::tunnel(Duration timeout) {
  tunnel_ = true;
  keep_alive_ = false;
  body_.timeout(timeout);
  body_.begin({http::h1::WireFraming::Kind::until_close, 0});
  output_.begin(false);
  return body_;
}

void H1Connection::cancel() noexcept {
  const net::StreamPtr stream = stream_;  // the woken coroutine may release this object
  stream->interrupt();
}

net::StreamPtr H1Connection::break_off() noexcept {
  taken_down_ = true;
  reused_ = false;  // the server may have seen the request
  return stream_;
}

bool H1Connection::reusable() const noexcept {
  return keep_alive_ && body_.clean() && read_buffer_.data().empty() && stream_->is_open() && !stream_->interrupted();
}

}  // namespace headgate::upstream
