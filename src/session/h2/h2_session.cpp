// The life of an HTTP/2 connection: reads frames, decides when the connection is over, and ends it.

#include "h2_session.hpp"

#include "callbacks.hpp"

#include "headgate/core/per_enum.hpp"
#include "headgate/observe/event.hpp"

#include <boost/asio/error.hpp>
#include <boost/system/errc.hpp>

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <ctime>

namespace headgate::session {
namespace {

namespace asio_error = boost::asio::error;
using Because = gateway::ActiveExchange::Because;

/// Time between the GOAWAY that announces the end and the last one, for requests in flight.
constexpr Duration kOnTheirWay = std::chrono::seconds(1);

/// Logs the abuse, but not each time, because an attacker that reconnects again and again could fill the log.
void tell_of(H2Abuse why, const Peer& peer) {
  thread_local std::time_t told = 0;
  const auto now = std::time(nullptr);
  if (std::exchange(told, now) == now) return;
  observe::event(observe::LogLevel::warning, "http2_connection_ended", to_text(why), {{"peer", peer.text}});
}

}  // namespace

H2Session::H2Session(Sessions& owner, net::ReadBuffer input, Peer peer)
    : Session(owner, std::move(input), std::move(peer)), memory_(lent()), written_(lent()) {}

H2Session::~H2Session() { nghttp2_session_del(h2_); }

void H2Session::begin() {
  if (!read_buffer_.data().empty()) return serve();
  begin_wait(clock().steady());
  wait_idle(patience());
}

void H2Session::serve() { spawn(serve_all(), "http2"); }

Task<void> H2Session::serve_all() {
  const Hold hold(*this);
  reading_ = true;
  idle_since_ = clock().steady();
  if (open()) co_await read_all();
  reading_ = false;
  // From here on, nothing is read, so frames that reset streams or open windows have no effect. Exchanges must not wait
  // for them.
  if (!lost_) abort_all(Because::client_gone);
  flush();
}

bool H2Session::open() {
  stream_->demand_pace({});
  h2_ = make_h2(*this, memory_, handler().opens_websockets() ? ExtendedConnect::taken : ExtendedConnect::unknown);
  if (h2_ == nullptr) return false;
  if (winding_down()) begin_goaway();
  return true;
}

Duration H2Session::patience_left() const noexcept {
  const auto now = clock().steady();
  auto until = now + timeouts().tunnel;
  if (head_of_ != 0)
    until = head_until_;
  else if (streams_.empty())
    until = idle_since_ + (greeted_ ? timeouts().idle : std::min(timeouts().head, patience()));
  return std::max(std::chrono::duration_cast<Duration>(until - now), Duration(0));
}

Task<void> H2Session::read_all() {
  while (!lost_ && !failed_) {
    if (!read_buffer_.data().empty()) {
      take();
      continue;
    }
    if (served_out()) co_return;
    read_buffer_.release();
    const error_code waited = co_await stream_->readable(patience_left());
    if (lost_) co_return;
    if (waited == asio_error::timed_out && patience_left() == Duration(0)) {
      if (head_of_ != 0) refuse_late_head();
      finish_goaway();  // the last GOAWAY shows a client whose request was in flight that it may send the request again
      failed_ = true;
    }
    if (waited == asio_error::timed_out || (waited == asio_error::operation_aborted && stream_->is_open())) continue;
    const auto got = waited.failed() ? Result<std::size_t>(waited) : read_buffer_.fill_now();
    if (got.has_value() || got.error() == asio_error::would_block) continue;
    co_return lose(Because::client_gone);
  }
}

/// Handles the bytes of one read. They count as one turn, so that a client that sends fast does not occupy the worker.
void H2Session::take() {
  in_batch_ = true;
  const auto data = read_buffer_.data();
  std::size_t fed = 0;
  for (std::size_t at = 0; at < data.size() && !failed_;) {
    at += heads_.go(data.substr(at));
    if (!heads_.at_head() || heads_.type() != NGHTTP2_DATA) continue;
    // nghttp2 gets all frames before this one first, because they may close its stream.
    const auto head = std::max(fed, at - std::min(at, H2FrameHeads::kHead));
    feed(data.substr(fed, head - fed));
    fed = head;
    look_if_late(heads_.stream());
  }
  feed(data.substr(fed));
  read_buffer_.consume(data.size());
  stream_->charge(net::Stream::kTurn);
  judge();
  if (!failed_) run_streams();
  in_batch_ = false;
  if (begun_streams_ >= kMaxAge || winding_down()) begin_goaway();
  flush();
}

void H2Session::feed(std::string_view bytes) {
  if (bytes.empty() || failed_) return;
  making_ = true;
  const auto read = nghttp2_session_mem_recv(h2_, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  making_ = false;
  if (read == NGHTTP2_ERR_FLOODED) limits_.found(H2Abuse::queue);
  if (read == NGHTTP2_ERR_TOO_MANY_CONTINUATIONS) limits_.found(H2Abuse::head);
  if (read < 0) failed_ = true;
}

void H2Session::look_if_late(std::int32_t id) {
  if (broken_ != 0 || !rules_.is_past(id) || nghttp2_session_find_stream(h2_, id) != nullptr) return;
  // Frames of streams that a GOAWAY has refused are ignored (RFC 9113 section 6.8).
  if (goaway_ == Goaway::last && id > nghttp2_session_get_last_proc_stream_id(h2_)) return;
  const auto late = closed_.late_frame(id, clock().steady());
  if (late == H2ClosedStreams::Late::connection_error) broken_ = NGHTTP2_STREAM_CLOSED;
  if (late == H2ClosedStreams::Late::stream_error)
    nghttp2_submit_rst_stream(h2_, NGHTTP2_FLAG_NONE, id, NGHTTP2_STREAM_CLOSED);
}

/// Returns whether further streams must be refused because the memory is full: they would use more memory while they
/// wait for their answers. The first kStreamsWhenFull streams are still answered.
bool H2Session::has_enough() const { return streams_.size() >= kStreamsWhenFull && !draining() && out_of_memory(); }

void H2Session::judge() {
  limits_.queued(nghttp2_session_get_outbound_queue_size(h2_));
  const auto why = limits_.why();
  tell_glitches(why != H2Abuse::none);
  if (why == H2Abuse::none && broken_ == 0) return;
  failed_ = true;
  if (why == H2Abuse::none) {
    nghttp2_session_terminate_session(h2_, broken_);
    return;
  }
  tell_of(why, peer_);
  static_assert(observe::kHttp2Ends.size() + 1 == kCountOf<H2Abuse>, "observe::kHttp2Ends has its words");
  if (auto* const counter = peer_.listener->counters.http2_ended[static_cast<std::size_t>(why) - 1]) counter->add();
  nghttp2_session_terminate_session(h2_, NGHTTP2_ENHANCE_YOUR_CALM);
}

void H2Session::tell_glitches(bool all) {
  if (const auto fresh = limits_.take_fresh(clock().steady(), all); fresh > 0) handler().glitches(peer_.address, fresh);
}

/// Resumes the streams whose events were recorded while nghttp2 read or wrote, because nghttp2 must not be called again
/// from its callbacks.
void H2Session::run_streams() {
  while (!begun_.empty() || !touched_.empty()) {
    const auto begun = std::exchange(begun_, {});
    const auto touched = std::exchange(touched_, {});
    for (const auto id : begun) {
      auto* const stream = find(id);
      if (stream != nullptr && !stream->gone) spawn(answer(*stream), "http2 stream");
    }
    for (const auto id : touched) {
      auto* stream = find(id);
      if (stream == nullptr) continue;
      if (stream->gone && !stream->reply.complete()) {
        if (stream->malformed != nullptr && stream->body.waits() && !stream->reply.started())
          fail_body(*stream);
        else
          abort(id, Because::client_gone);
        continue;
      }
      // The server has sent everything and the client's side of the tunnel is closed, so its read fails.
      if (stream->gone && stream->body.is_tunnel() && !stream->body.complete())
        stream->body.fail(asio_error::connection_reset);
      if (stream->body.waits()) stream->body.go_on();
      stream = find(id);
      if (stream != nullptr && stream->reply.waits() && stream->reply.done()) stream->reply.go_on();
    }
  }
}

void H2Session::refuse_late_head() {
  auto* const stream = find(head_of_);
  head_of_ = 0;
  if (stream == nullptr || stream->answering || stream->malformed != nullptr) return;
  stream->late = true;
  spawn(answer(*stream), "http2 stream");
}

void H2Session::fail_body(H2Stream& stream) {
  stream.body.fail(boost::system::errc::make_error_code(boost::system::errc::bad_message));
  stream.reply.leave_to_reset();
  stream.body.go_on();
}

/// Ends a stream. Each wake below may end the exchange and delete its stream.
void H2Session::abort(std::int32_t id, Because because) noexcept {
  auto* stream = find(id);
  if (stream == nullptr) return;
  stream->gone = true;
  if (!stream->answering) {
    streams_.remove(id);
    return;
  }
  stream->body.fail(asio_error::connection_reset);
  stream->reply.fail(asio_error::connection_aborted);
  const auto server = stream->exchange.end_early(because);
  stream->body.cancel();
  stream = find(id);
  if (stream != nullptr) stream->reply.cancel();
  server.cancel();
}

void H2Session::abort_all(Because because) noexcept {
  std::vector<std::int32_t> ids;
  ids.reserve(streams_.size());
  for (const auto* const stream : streams_) ids.push_back(stream->id);
  for (const auto id : ids) abort(id, because);
}

void H2Session::lose(Because because) noexcept {
  const Hold hold(*this);
  if (std::exchange(lost_, true)) {
    // Answers that are read to their end without a client (Exchange::drains) end as well.
    if (because != Because::client_gone) abort_all(because);
    return;
  }
  const net::StreamPtr client = stream_;
  client->close();
  abort_all(because);
}

void H2Session::break_off() noexcept {
  if (h2_ == nullptr) return Session::break_off();
  lose(Because::broken_off);
}

void H2Session::wind_down() {
  if (h2_ == nullptr) return;  // the session has not begun
  const Hold hold(*this);
  begin_goaway();
  flush();
}

void H2Session::begin_goaway() {
  if (goaway_ != Goaway::none || h2_ == nullptr) return;
  goaway_ = Goaway::noticed;
  nghttp2_submit_shutdown_notice(h2_);
  stream_->timers().arm(goaway_timer_, kOnTheirWay);
}

void H2Session::goaway_due(void* self) {
  auto& session = *static_cast<H2Session*>(self);
  const Hold hold(session);
  session.finish_goaway();
}

void H2Session::finish_goaway() {
  goaway_timer_.disarm();
  if (std::exchange(goaway_, Goaway::last) == Goaway::last || lost_) return;
  nghttp2_submit_goaway(h2_, NGHTTP2_FLAG_NONE, nghttp2_session_get_last_proc_stream_id(h2_), NGHTTP2_NO_ERROR, nullptr,
                        0);
  flush();
  if (served_out()) stream_->interrupt_read();
}

bool H2Session::served_out() const noexcept {
  if (goaway_ == Goaway::last && streams_.empty()) return true;
  return nghttp2_session_want_read(h2_) == 0 && nghttp2_session_want_write(h2_) == 0;
}

/// Ends the session. If the connection is open, it lingers: bytes that still arrive are discarded, so that the client
/// receives the last frames.
void H2Session::over() noexcept {
  goaway_timer_.disarm();  // otherwise this function would be called again
  notice_timer_.disarm();
  tell_glitches(true);
  if (!lost_ && stream_->is_open()) return linger();
  end();
}

}  // namespace headgate::session
