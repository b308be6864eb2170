#include "h2_attempt.hpp"

#include "h2_link.hpp"
#include "h2_pool.hpp"

#include "headgate/core/whole_number.hpp"

#include <boost/asio/error.hpp>
#include <boost/system/errc.hpp>

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <utility>

namespace headgate::upstream {
namespace {

namespace asio_error = boost::asio::error;
using http::EndStream;

/// Returns the content-length of an answer. nghttp2 has checked that it is a number, and compares it with the body.
std::optional<std::uint64_t> length_in(const http::Fields& fields) {
  return whole_number<std::uint64_t>(http::value_of(fields, http::Known::content_length));
}

}  // namespace

bool H2AnswerBody::take_at_most(std::uint64_t most) noexcept {
  most_ = most;
  return framing_.kind != http::Framing::Kind::length || framing_.length <= most;
}

bool H2AnswerBody::ended() const noexcept { return attempt_.ended_ && arrived_.empty(); }

void H2AnswerBody::cancel() noexcept { attempt_.reader_.wake(asio_error::operation_aborted); }

Result<std::string_view> H2AnswerBody::take() {
  if (const auto bytes = given_.size(); bytes > 0) {
    given_.clear();
    attempt_.link_->consumed(attempt_.id_, bytes);
  }
  if (attempt_.cancelled_) return error_code(asio_error::operation_aborted);
  if (total_ > most_) return boost::system::errc::make_error_code(boost::system::errc::message_size);
  std::swap(given_, arrived_);
  attempt_.note_held();
  if (given_.empty() && !attempt_.ended_ && attempt_.closed_) {
    const auto cause = attempt_.closed_->cause;
    return cause.failed() && cause != asio_error::eof ? cause : error_code(asio_error::connection_reset);
  }
  return std::string_view(given_);
}

Task<Result<std::string_view>> H2AnswerBody::read() {
  while (true) {
    auto bytes = take();
    if (bytes.has_error() || !bytes->empty() || ended()) co_return bytes;
    attempt_.heard_before_ = attempt_.link_->heard();
    const error_code woken = co_await attempt_.reader_.wait(attempt_.between_bytes_);
    if (woken == asio_error::timed_out && attempt_.between_bytes_ >= H2Link::kSilence) attempt_.note_silence();
    if (woken.failed()) co_return woken;
  }
}

H2Attempt::H2Attempt(H2LinkPtr link)
    : CountedAttempt(link->pool(), link->pool().row(), link->pool().clock()),
      link_(std::move(link)),
      body_(*this),
      reader_(link_->timers()),
      writer_(link_->timers()),
      held_(link_->pool().blocks().lent),
      reused_(link_->has_answered()) {
  link_->keep_room();
}

H2Attempt::~H2Attempt() {
  take_back();
  link_->leave(*this);
}

std::string_view H2Attempt::server() const noexcept { return link_->pool().name(); }

Task<Result<void>> H2Attempt::send(const RequestStart& start, std::string_view first, EndStream last) {
  write_timeout_ = start.write_timeout;
  between_bytes_ = start.between_bytes;
  head_request_ = start.method == "HEAD";
  pending_ = first;
  last_ = last == EndStream::yes;
  if (!broken() && !link_->open(*this, start, last_ && first.empty())) closed_ = {.code = NGHTTP2_REFUSED_STREAM};
  if (broken()) co_return error_code(cancelled_ ? asio_error::operation_aborted : asio_error::broken_pipe);
  auto sent = co_await taken_all();
  if (last_ && sent.has_value()) note_sent();
  co_return sent;
}

Task<Result<void>> H2Attempt::write(std::string_view bytes, EndStream last) {
  pending_ = bytes;
  last_ = last == EndStream::yes;
  if (!broken()) link_->resume(*this);
  co_return co_await taken_all();
}

Task<Result<void>> H2Attempt::finish(const http::Fields& trailers) {
  trailers_ = &trailers;
  if (!broken()) link_->resume(*this);
  auto done = co_await taken_all();
  trailers_ = nullptr;
  co_return done;
}

/// Waits until all bytes are in frames. Within each timeout, the server must open its window, or the connection must
/// accept bytes, at least once.
Task<Result<void>> H2Attempt::taken_all() {
  link_->flush();
  error_code failed;
  while (!done() && !failed.failed()) {
    const auto before = moved_;
    const error_code woken = co_await writer_.wait(write_timeout_);
    if (woken == asio_error::timed_out && moved_ != before) continue;
    if (woken.failed()) failed = woken;
  }
  if (!failed.failed() && !taken()) failed = cancelled_ ? asio_error::operation_aborted : asio_error::broken_pipe;
  pending_ = {};
  if (!failed.failed()) co_return Result<void>{};
  last_ = false;  // so that a request that was cut off does not look complete
  co_return failed;
}

Task<Result<void, Failure>> H2Attempt::read_head(http::ReplyHead& head, Duration timeout) {
  // Clients can choose a short timeout, which must not cause PINGs to servers or the loss of connections.
  const bool long_enough = timeout >= H2Link::kSilence;
  const auto until = clock().steady() + timeout;
  heard_before_ = link_->heard();
  while (heads_.empty()) {
    if (cancelled_ || closed_ || ended_) co_return failure();
    const auto left = std::chrono::duration_cast<Duration>(until - clock().steady());
    const error_code woken = left > Duration(0) ? co_await reader_.wait(left) : error_code(asio_error::timed_out);
    if (woken != asio_error::timed_out) continue;
    if (long_enough) note_silence();
    co_return Failure{.what = Failed::reply_timeout, .cause = woken};
  }
  head_ = std::move(heads_.front());
  heads_.erase(heads_.begin());
  head.status = head_.status();
  head.reason = {};
  head.version = 20;
  head_.write_to(head.fields);
  if (head.status == 101 || head.status < 100 || head.status > 599)
    co_return Failure{.what = Failed::malformed, .why = "the answer's status is not valid in HTTP/2"};
  head.framing = {};
  const bool bodiless = head.status < 200 || head.status == 204 || head.status == 304 || head_request_;
  const bool empty = ended_ && body_.arrived_.empty() && body_.trailers_.empty();
  if (!bodiless && !(empty && heads_.empty())) {
    head.framing = {http::Framing::Kind::unknown, 0};
    if (const auto length = length_in(head.fields)) head.framing = {http::Framing::Kind::length, *length};
  }
  body_.framing_ = head.framing;
  co_return Result<void, Failure>{};
}

Failure H2Attempt::failure() const {
  if (cancelled_) return {.what = Failed::closed, .cause = asio_error::operation_aborted};
  if (link_->taken_down()) return {.what = Failed::closed, .why = kTakenDown};
  if (too_large_) return {.what = Failed::head_too_large, .why = "the answer's head is larger than head_size"};
  if (malformed_ || ended_) return {.what = Failed::malformed, .why = "the answer is malformed"};
  if (!closed_) return {.what = Failed::closed, .why = "the server ended the stream"};
  if (!begun_)
    return {.what = Failed::closed,
            .cause = closed_->cause,
            .why = "the connection ended before the request was sent",
            .unseen = true};
  // RFC 9113 section 8.7: the server has not processed the request.
  if (closed_->code == NGHTTP2_REFUSED_STREAM && !closed_->cause.failed() && !seen_)
    return {.what = Failed::closed, .why = "the server refused the stream", .unseen = true};
  if (closed_->cause == boost::system::errc::bad_message)
    return {.what = Failed::malformed, .why = "the server sent something that is not HTTP/2"};
  if (closed_->cause.failed()) return {.what = Failed::closed, .cause = closed_->cause, .reused = reused_ && !seen_};
  if (closed_->by_server) return {.what = Failed::closed, .why = "the server reset the stream"};
  return {.what = Failed::malformed, .why = "the answer is malformed"};
}

void H2Attempt::note_silence() { link_->ask_after_silence(heard_before_); }

std::size_t H2Attempt::heads_waiting() const noexcept {
  std::size_t bytes = 0;
  for (const auto& head : heads_) bytes += head.bytes();
  return bytes;
}

void H2Attempt::note_held() noexcept {
  held_.is(body_.arrived_.capacity() + body_.given_.capacity() + heads_waiting() + head_.bytes() + late_.bytes());
}

void H2Attempt::cancel() noexcept {
  cancelled_ = true;
  const H2LinkPtr link = link_;  // the woken coroutine may release this object
  link->let_go_on(id_);
}

}  // namespace headgate::upstream
