#include "h2_link.hpp"

#include "h2_link_calls.hpp"
#include "h2_pool.hpp"

#include "headgate/net/h2_fields.hpp"

#include <boost/asio/error.hpp>
#include <boost/system/errc.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

namespace headgate::upstream {

namespace {

namespace asio_error = boost::asio::error;
namespace errc = boost::system::errc;

error_code not_http2() noexcept { return errc::make_error_code(errc::bad_message); }

/// About the duration of one turn of the loop. A connection that was idle for a shorter time needs no check.
constexpr Duration kLookedAt = std::chrono::milliseconds(5);

}  // namespace

H2Link::H2Link(H2Pool& pool, net::Connected connected, Clock::Steady closes_at)
    : pool_(pool),
      stream_(std::move(connected.stream)),
      input_(stream_, pool.blocks()),
      to_(connected.to),
      closes_at_(closes_at),
      memory_(pool.blocks().lent),
      written_(pool.blocks().lent),
      greeting_(stream_->timers()) {}

H2Link::~H2Link() {
  stream_->close();
  nghttp2_session_del(h2_);
}

bool H2Link::begin() {
  h2_ = make_h2_link(*this, memory_.functions());
  if (h2_ == nullptr) return false;
  memory_.begin();
  stream_->keep_alive();
  idle_since_ = pool_.clock().steady();
  flush();
  if (!lost_) spawn(read_all(), "http2 server connection");
  return true;
}

Task<error_code> H2Link::greeted(Duration most) {
  const H2LinkPtr self(this);
  if (!greeted_ && !lost_) {
    const error_code woken = co_await greeting_.wait(most);
    if (woken.failed()) co_return woken;
  }
  co_return lost_ ? why_lost_ : error_code();
}

bool H2Link::has_room() const noexcept {
  if (lost_ || retired_ || asked_ || refusing_ || number_ == 0 || nghttp2_session_check_request_allowed(h2_) == 0)
    return false;
  if (closes_at_ != Clock::Steady() && pool_.clock().steady() >= closes_at_) return false;
  // A stream that has ended but was not read to its end still occupies a part of the connection's window.
  return std::max(streams_.size(), attempts_.size()) + promised_ < room();
}

std::uint32_t H2Link::room() const noexcept {
  return std::min(kMaxStreams, nghttp2_session_get_remote_settings(h2_, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS));
}

void H2Link::look() {
  if (lost_ || in_take_ || inside_ || pool_.clock().steady() - idle_since_ < kLookedAt) return;
  constexpr unsigned kMaxReads = 16;  // over TLS several messages may have arrived that no further event reports
  const H2LinkPtr self(this);
  for (unsigned i = 0; i < kMaxReads && !lost_; ++i) {
    const auto got = input_.fill_now();
    if (got.has_value()) {
      take();
      continue;
    }
    if (got.error() != asio_error::would_block) lose(got.error());
    break;
  }
  input_.release();
}

void H2Link::retire() {
  const H2LinkPtr self(this);
  retired_ = true;
  end_if_over();
}

/// Ends the connection if it is retired and idle, or if nghttp2 has nothing more to read or write. The latter has two
/// causes: the server has sent GOAWAY and the last stream has ended, or the gateway has ended the connection because
/// the bytes were not HTTP/2.
void H2Link::end_if_over() {
  if (lost_ || inside_ || in_take_ || writing_ || write_call_.asked()) return;
  if (retired_ && idle()) return lose(asio_error::eof);
  if (nghttp2_session_want_read(h2_) != 0 || nghttp2_session_want_write(h2_) != 0 || !out_.empty()) return;
  lose(any_begun() ? not_http2() : error_code(asio_error::eof));
}

bool H2Link::any_begun() const noexcept {
  return std::any_of(attempts_.begin(), attempts_.end(),
                     [](const H2Attempt* each) { return each->begun_ && !each->closed_; });
}

// Exchanges are woken only after this loop, because a woken exchange may begin and end other attempts.
void H2Link::lose(error_code why, bool taken_down) {
  if (std::exchange(lost_, true)) return;
  const H2LinkPtr self(this);
  why_lost_ = why;
  taken_down_ = taken_down;
  timer_.disarm();
  std::vector<std::int32_t> left;
  for (auto* const each : attempts_) {
    // if a stream was closed in this turn, its attempt keeps the first reason
    if (!each->closed_) each->closed_ = {.cause = why};
    left.push_back(each->id_);
  }
  pool_.forget(*this);
  stream_->close();
  greeting_.wake();
  for (const auto id : left) let_go_on(id);
}

std::vector<H2Attempt*>::const_iterator H2Link::place_of(std::int32_t id) const noexcept {
  return std::lower_bound(attempts_.begin(), attempts_.end(), id,
                          [](const H2Attempt* each, std::int32_t than) { return each->id_ < than; });
}

H2Attempt* H2Link::find(std::int32_t id) const noexcept {
  if (found_ != nullptr && found_->id_ == id) return found_;
  const auto at = place_of(id);
  if (at == attempts_.end() || (*at)->id_ != id) return nullptr;
  return found_ = *at;
}

void H2Link::let_go_on(std::int32_t id) {
  const H2LinkPtr self(this);
  if (auto* const one = find(id); one != nullptr && one->reader_.waits() && one->has_news()) one->reader_.wake();
  if (auto* const one = find(id); one != nullptr && one->writer_.waits() && one->done()) one->writer_.wake();
}

bool H2Link::open(H2Attempt& attempt, const RequestStart& start, bool ends) {
  if (lost_) return false;
  const auto& fields = *start.fields;
  net::H2Fields out(heads_sent_);
  const auto path = start.room->write(start.path.size() + start.query.size(), [&start](TextCursor& cursor) {
    cursor.text(start.path);
    cursor.text(start.query);
  });
  const net::H2Digits length(start.framing.length);
  out.add(":method", start.method);
  out.add(":scheme", pool_.scheme());
  out.add(":authority", http::value_of(fields, http::Known::host));
  out.add(":path", path);
  out.add(fields);
  if (start.framing.kind == http::Framing::Kind::length) out.add_new("content-length", length.text());
  out.add("te", "trailers");  // trailers are forwarded; some gRPC servers require it
  const auto body = h2_request_body();
  const auto id = nghttp2_submit_request(h2_, nullptr, out.data(), out.size(), ends ? nullptr : &body, nullptr);
  start.room->done();  // nghttp2 has copied the head
  if (id < 0) {
    retired_ = true;  // no stream numbers are left, or there is no memory
    return false;
  }
  --promised_;
  attempt.id_ = id;
  attempts_.push_back(&attempt);
  streams_.push_back(id);
  write_timeout_ = std::max(write_timeout_, attempt.write_timeout_);
  return true;
}

void H2Link::resume(const H2Attempt& attempt) { nghttp2_session_resume_data(h2_, attempt.id_); }

void H2Link::consumed(std::int32_t id, std::size_t bytes) {
  if (lost_) return;
  nghttp2_session_consume(h2_, id, bytes);
  if (!in_take_ && nghttp2_session_want_write(h2_) != 0) flush();
}

void H2Link::leave(const H2Attempt& attempt) {
  found_ = nullptr;
  if (attempt.id_ == 0)
    --promised_;
  else if (const auto at = place_of(attempt.id_); at != attempts_.end() && *at == &attempt)
    attempts_.erase(at);
  if (lost_) return;
  if (idle()) idle_since_ = pool_.clock().steady();
  if (const auto held = attempt.body_.arrived_.size() + attempt.body_.given_.size(); held > 0)
    nghttp2_session_consume(h2_, attempt.id_, held);
  if (attempt.id_ != 0 && !attempt.closed_) {
    const bool whole = attempt.ended_ && attempt.body_.arrived_.empty();
    nghttp2_submit_rst_stream(h2_, NGHTTP2_FLAG_NONE, attempt.id_, whole ? NGHTTP2_NO_ERROR : NGHTTP2_CANCEL);
    if (!attempt.begun_) end_stream(attempt.id_);  // it may stay in nghttp2's queue forever
  }
  if (!in_take_ && nghttp2_session_want_write(h2_) != 0) flush();
  rest_if_idle();
  end_if_over();
}

void H2Link::end_stream(std::int32_t id) {
  const auto at = std::lower_bound(streams_.begin(), streams_.end(), id);
  if (at != streams_.end() && *at == id) streams_.erase(at);
  if (idle()) idle_since_ = pool_.clock().steady();
}

/// Records that the server has refused a stream. It gets no more streams on this connection until one has ended. If
/// there is no stream at all, the connection is useless and is retired.
void H2Link::note_refusal() {
  refusing_ = true;
  if (streams_.empty()) retired_ = true;
}

/// Called when the connection may have become idle. An idle connection is closed by its timer, or at once if the pool
/// has enough idle connections.
void H2Link::rest_if_idle() {
  if (lost_ || retired_ || number_ == 0 || !idle()) return;
  if (!pool_.keeps(*this))
    retired_ = true;
  else if (!timer_.armed())
    arm();
}

void H2Link::arm() {
  auto until = idle_since_ + pool_.idle_timeout();
  if (closes_at_ != Clock::Steady()) until = std::min(until, closes_at_);
  const auto left = std::chrono::duration_cast<Duration>(until - pool_.clock().steady());
  timers().arm(timer_, std::max(left, Duration(1)));
}

void H2Link::expired(void* self) {
  auto& link = *static_cast<H2Link*>(self);
  if (link.asked_) return link.lose(asio_error::timed_out);
  if (!link.idle()) return;  // the timer is armed again when the connection becomes idle
  const auto now = link.pool_.clock().steady();
  const bool old = link.closes_at_ != Clock::Steady() && now >= link.closes_at_;
  if (old || now - link.idle_since_ >= link.pool_.idle_timeout()) return link.retire();
  link.arm();
}

void H2Link::ask_after_silence(std::uint64_t before) {
  if (lost_ || asked_ || heard_ != before) return;
  const auto now = pool_.clock().steady();
  if (now - asked_at_ < kBetweenPings) {
    retired_ = true;
    return;
  }
  asked_ = true;
  asked_at_ = now;
  nghttp2_submit_ping(h2_, NGHTTP2_FLAG_NONE, nullptr);
  timers().arm(timer_, kPingPatience);
  flush();
}

void H2Link::make_frames() {
  inside_ = true;
  std::ptrdiff_t size = 1;
  while (!lost_ && size > 0 && out_.size() < kMaxWritten) {
    const std::uint8_t* bytes = nullptr;
    size = nghttp2_session_mem_send(h2_, &bytes);
    if (size > 0) out_.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  }
  inside_ = false;
  written_.is(out_.capacity() + sending_.capacity());
  if (size < 0) lose(errc::make_error_code(errc::not_enough_memory));
}

void H2Link::run_touched() {
  while (!touched_.empty()) {
    const auto touched = std::exchange(touched_, {});
    for (const auto id : touched) let_go_on(id);
  }
}

/// Makes frames at once, so that the coroutine that has passed the bytes continues, but sends them later, because it
/// costs no more to send many frames than to send one. With a single stream, sends at once.
void H2Link::flush() {
  if (inside_ || in_take_ || writing_ || lost_) return;
  if (streams_.size() <= 1) return write();
  make_frames();
  if (lost_ || write_call_.asked() || (out_.empty() && touched_.empty())) return;
  if (out_.size() >= kMaxWritten) return write();
  intrusive_ptr_add_ref(this);
  stream_->later(write_call_);
}

void H2Link::write_late(void* self) {
  const H2LinkPtr link(static_cast<H2Link*>(self), false);
  if (!link->inside_ && !link->in_take_ && !link->writing_ && !link->lost_) link->write();
}

void H2Link::write() { spawn(write_all(), "http2 server writer"); }

Task<void> H2Link::write_all() {
  const H2LinkPtr self(this);
  writing_ = true;
  while (!lost_) {
    for (make_frames(); !touched_.empty(); make_frames()) run_touched();
    if (out_.empty() || lost_) break;
    std::swap(out_, sending_);
    const std::array<std::string_view, 1> pieces{sending_};
    const auto sent = co_await stream_->write_all(pieces, write_timeout_);
    sending_.clear();
    if (sent.has_error()) lose(sent.error());
  }
  writing_ = false;
  rest_if_idle();
  end_if_over();
}

Task<void> H2Link::read_all() {
  const H2LinkPtr self(this);
  while (!lost_) {
    const error_code woken = co_await stream_->readable(net::kForever);
    if (lost_) break;
    const auto got = woken.failed() ? Result<std::size_t>(woken) : input_.fill_now();
    if (got.has_value())
      take();
    else if (got.error() != asio_error::would_block)
      lose(got.error());
    if (input_.filled())
      input_.grow();
    else
      input_.release();
  }
}

void H2Link::take() {
  const auto data = input_.data();
  ++heard_;
  if (std::exchange(asked_, false)) arm();
  in_take_ = inside_ = true;
  const auto read = nghttp2_session_mem_recv(h2_, reinterpret_cast<const std::uint8_t*>(data.data()), data.size());
  inside_ = false;
  input_.consume(data.size());
  if (greeted_) greeting_.wake();
  run_touched();
  in_take_ = false;
  if (lost_) return;
  if (read < 0) return lose(not_http2());
  flush();
  rest_if_idle();
  end_if_over();
}

}  // namespace headgate::upstream
