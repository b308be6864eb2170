// Writes an answer on its HTTP/2 stream.

#include "h2_session.hpp"
#include "stream.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>
#include <chrono>

namespace headgate::session {

using http::EndStream;
using http::Framing;

Task<Result<void>> H2Reply::interim(const http::ReplyStart& start) {
  if (failed()) co_return failed_;
  session_.submit_interim(id_, start.status, *start.fields);
  session_.flush();
  co_return Result<void>{};
}

Task<Result<void>> H2Reply::send(const http::ReplyStart& start, std::string_view first, EndStream last) {
  started_ = true;
  if (failed()) co_return failed_;
  if (left_) {
    ended_ = true;
    co_return Result<void>{};
  }
  bodiless_ = x_->request.head() || start.status == 204 || start.status == 304;
  if (bodiless_) first = {};
  const bool ends = bodiless_ || (first.empty() && last == EndStream::yes);
  pending_ = first;
  last_ = ends || last == EndStream::yes;
  if (x_->draining && *x_->draining) session_.begin_goaway();
  auto length = start.framing;
  const bool says_length = length.kind == Framing::Kind::length && start.status != 204;
  const unsigned status = start.status == 101 ? 200 : start.status;  // a tunnel is opened with 200 (RFC 8441 section 5)
  if (!session_.submit_answer(id_, status, *start.fields, says_length ? &length.length : nullptr, ends)) {
    failed_ = boost::asio::error::connection_aborted;
    co_return failed_;
  }
  trailers_ = start.trailers;
  auto done = co_await taken_all();
  trailers_ = nullptr;
  co_return done;
}

Task<Result<void>> H2Reply::write(std::string_view bytes, EndStream last) {
  if (failed()) co_return failed_;
  if (bodiless_ || ended_) co_return Result<void>{};
  pending_ = bytes;
  last_ = last == EndStream::yes;
  session_.resume(id_);
  co_return co_await taken_all();
}

Task<Result<void>> H2Reply::finish(const http::Fields& trailers) {
  if (failed()) co_return failed_;
  if (bodiless_ || ended_) co_return Result<void>{};
  pending_ = {};  // drops the bytes of a write that ended with an exception
  trailers_ = &trailers;
  session_.resume(id_);
  auto done = co_await taken_all();
  trailers_ = nullptr;
  co_return done;
}

void H2Reply::tunnel(Duration timeout) {
  is_tunnel_ = true;
  session_.begin_tunnel(id_, timeout);
}

void H2Reply::taken(std::size_t bytes) noexcept {
  pending_.remove_prefix(bytes);
  moved_ += bytes;
}

/// Waits until all bytes are in frames. The write fails if, for the length of the timeout, the client does not open its
/// window and the connection accepts no bytes.
Task<Result<void>> H2Reply::taken_all() {
  session_.make_frames();
  session_.flush();
  Duration silent{0};
  while (!done()) {
    const auto pace = session_.pace_of(id_);
    auto longest = timeout_ - silent;
    if (pace.rate != 0) longest = std::min(longest, pace_.begin(std::chrono::steady_clock::now(), pace));
    const auto before = moved_;
    const error_code woken = co_await wake_.wait(longest);
    const bool late = woken == boost::asio::error::timed_out;
    if (woken.failed() && !late) failed_ = woken;
    if (failed()) break;
    if (pace.rate == 0) {
      if (late && moved_ == before && !done()) failed_ = woken;
      continue;
    }
    const auto waited = pace_.end(std::chrono::steady_clock::now());
    silent = moved_ != before ? Duration(0) : silent + waited;
    if (silent >= timeout_) failed_ = boost::asio::error::timed_out;
    if (!failed() && !done() && !pace_.keeps_up(moved_)) failed_ = net::too_slow();
  }
  if (failed()) {
    slow_ = failed_ == boost::asio::error::timed_out || failed_ == net::too_slow();
    pending_ = {};
    trailers_ = nullptr;
    co_return failed_;
  }
  co_return Result<void>{};
}

}  // namespace headgate::session
