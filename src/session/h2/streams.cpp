// The streams of an HTTP/2 connection: answers each stream, and sends the frames.

#include "h2_session.hpp"

#include "headgate/gateway/problem.hpp"
#include "headgate/http/fields.hpp"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <chrono>

namespace headgate::session {
namespace {

using Because = gateway::ActiveExchange::Because;

/// Maximum size in bytes of the output buffer that an idle connection keeps.
constexpr std::size_t kKeptOut = 4UL * 1024;

}  // namespace

Task<void> H2Session::answer(H2Stream& stream) {
  const Hold hold(*this);
  stream.answering = true;
  auto x = exchanges().take();
  begin_exchange(*x);
  x->awaited = std::chrono::duration_cast<Duration>(x->started - stream.begun);
  x->started = stream.begun;
  x->body = &stream.body;
  x->reply = &stream.reply;
  stream.reply.of(*x);
  co_await answer_request(stream, *x);
  exchanges().put(std::move(x));
  end_stream(stream);
}

Task<void> H2Session::answer_request(H2Stream& stream, Exchange& x) {
  const auto ruled = stream.head.finish(bounds().paths, x.request);
  stream.count_heads();
  if (stream.malformed != nullptr) {
    stream.reply.leave_to_reset();
    const http::ParseError why{400, stream.malformed};
    co_return co_await refuse(stream, x, why);
  }
  if (stream.late) {
    const http::ParseError late{408, "The request's head did not arrive in time."};
    co_return co_await refuse(stream, x, late);
  }
  http::Framing framing{http::Framing::Kind::unknown, 0};
  if (const auto length = stream.head.length()) framing = {http::Framing::Kind::length, *length};
  const bool empty = stream.body.complete() && stream.body.held() == 0 && stream.trailers == nullptr;
  if (empty || (framing.kind == http::Framing::Kind::length && framing.length == 0)) framing = {};
  if (ruled.has_value() && x.request.by_connect()) {
    framing = {};
    stream.body.close();
  } else {
    stream.body.begin(framing, stream.head.expects_continue());
  }
  x.request.framing = framing;
  set_priority(stream);
  if (ruled.has_error()) co_return co_await refuse(stream, x, ruled.error());
  if (peer_.secured && !peer_.secured->serves(x.request.host)) {
    const http::ParseError elsewhere{421, "This connection was made for another host. Make one for this host."};
    co_return co_await refuse(stream, x, elsewhere);
  }
  if (out_of_memory() && !draining()) {
    const http::ParseError full{503, "This gateway has too little memory for further requests. Try again shortly."};
    co_return co_await refuse(stream, x, full);
  }
  stream.exchange.begin(x);
  std::exception_ptr thrown;
  try {
    co_await handler().handle(x);
  } catch (...) {
    thrown = std::current_exception();  // co_await is not allowed in a catch block
  }
  if (thrown) co_await answer_bug(handler(), x, thrown);
  stream.suspended = x.ended_by == gateway::EndedBy::ban;
  stream.exchange.end();
}

Task<void> H2Session::refuse(H2Stream& stream, Exchange& x, http::ParseError refusal) {
  handler().name(x);
  x.reason = refusal.why;
  const auto problem = gateway::problem_of_head(refusal.status, refusal.why);
  co_await send_problem(x, problem, gateway::RejectionHeaders::none);
  handler().refused_head(x, stream.head.as_text(), std::nullopt);
  handler().refused(x);
}

/// Sets the urgency of a stream. All streams of one urgency take turns, even if they are not marked as incremental, so
/// that a download does not delay other streams.
void H2Session::set_priority(const H2Stream& stream) {
  if (stream.gone) return;
  const nghttp2_extpri priority{stream.head.urgency(), 1};
  nghttp2_session_change_extpri_stream_priority(h2_, stream.id, &priority, 1);
}

/// Returns the error code for a stream that is ended early. The code for tunnels follows RFC 8441 section 5. For a
/// suspended caller it is ENHANCE_YOUR_CALM, because clients do not repeat a request that was reset with this code.
std::uint32_t H2Session::breaks_off_as(const H2Stream& stream) noexcept {
  if (stream.suspended) return NGHTTP2_ENHANCE_YOUR_CALM;
  const bool cancelled = stream.reply.slow() || stream.stopped || stream.reply.is_tunnel();
  return cancelled ? NGHTTP2_CANCEL : NGHTTP2_INTERNAL_ERROR;
}

void H2Session::end_stream(H2Stream& stream) {
  const auto id = stream.id;
  if (!lost_ && !stream.gone && stream.malformed == nullptr) {
    if (!stream.reply.complete())
      submit_reset(id, breaks_off_as(stream));
    else if (!stream.body.complete())
      let_notice(id);
  }
  if (const auto held = stream.body.held(); held > 0) nghttp2_session_consume_connection(h2_, held);
  streams_.remove(id);
  if (streams_.empty()) {
    idle_since_ = clock().steady();
    begin_wait(idle_since_);
  }
  flush();
  if (reading_ && served_out()) stream_->interrupt_read();
}

/// Delays the reset after an answer (RFC 9113 section 8.1): a client that is still uploading may only notice the reset.
/// For example, curl 7.88 then reports that there was no answer..
void H2Session::let_notice(std::int32_t id) {
  if (nghttp2_session_get_stream_remote_close(h2_, id) != 0) return;
  unread_.add(id, clock().steady());
  if (!notice_timer_.armed()) stream_->timers().arm(notice_timer_, H2Unread::kToNotice);
}

void H2Session::notice_due(void* self) {
  auto& session = *static_cast<H2Session*>(self);
  const Hold hold(session);
  const auto now = session.clock().steady();
  while (const auto id = session.unread_.take_due(now)) session.submit_reset(*id, NGHTTP2_NO_ERROR);
  if (const auto next = session.unread_.next_due())
    session.stream_->timers().arm(session.notice_timer_, std::chrono::duration_cast<Duration>(*next - now));
  session.flush();
}

/// Queues a reset, and marks it as the gateway's own, to distinguish it from resets that the client causes.
void H2Session::submit_reset(std::int32_t id, std::uint32_t code) {
  if (auto* const stream = find(id)) stream->own_reset = true;
  nghttp2_submit_rst_stream(h2_, NGHTTP2_FLAG_NONE, id, code);
}

void H2Session::consumed(std::int32_t id, std::size_t bytes) {
  nghttp2_session_consume(h2_, id, bytes);
  if (!in_batch_ && nghttp2_session_want_write(h2_) != 0) flush();
}

void H2Session::say_continue(std::int32_t id) {
  submit_interim(id, 100, {});
  flush();
}

void H2Session::begin_tunnel(std::int32_t id, Duration timeout) {
  if (auto* const stream = find(id)) stream->body.tunnel(timeout);
}

net::MinPace H2Session::pace_of(std::int32_t id) const {
  const auto* const stream = find(id);
  return {stream != nullptr ? stream->exchange.min_rate() : 0, timeouts().body};
}

void H2Session::resume(std::int32_t id) {
  nghttp2_session_resume_data(h2_, id);
  make_frames();
}

void H2Session::make_frames() {
  if (sending_ || making_ || lost_) return;
  making_ = true;
  while (out_.size() < kMaxWritten) {
    const std::uint8_t* bytes = nullptr;
    const auto size = nghttp2_session_mem_send(h2_, &bytes);
    if (size < 0) failed_ = true;
    if (size <= 0) break;
    out_.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  }
  making_ = false;
  written_.is(out_.capacity());
}

/// Sends buffered frames. Does nothing within a batch: the frames are sent at its end, so that many answers are sent
/// together. If the connection has several streams, the answers that arrive from servers in one turn of the loop are
/// also sent together.
void H2Session::flush() {
  if (in_batch_ || making_ || writing_ || lost_ || h2_ == nullptr || write_call_.asked()) return;
  if (streams_.size() <= 1 || out_.size() >= kMaxWritten) return write();
  ++holds_;
  stream_->later(write_call_);
}

void H2Session::write_late(void* self) {
  auto& session = *static_cast<H2Session*>(self);
  const Hold hold(session);
  --session.holds_;
  if (!session.writing_ && !session.lost_) session.write();
}

void H2Session::write() { spawn(write_all(), "http2 writer"); }

Task<void> H2Session::write_all() {
  const Hold hold(*this);
  writing_ = true;
  while (!lost_) {
    make_frames();
    run_streams();
    make_frames();
    if (out_.empty()) break;
    sending_ = true;
    const std::array<std::string_view, 1> pieces{out_};
    const auto sent = co_await stream_->write_all(pieces, timeouts().write);
    sending_ = false;
    out_.clear();
    if (sent.has_error()) lose(Because::client_gone);
  }
  writing_ = false;
  if (streams_.empty() && out_.capacity() > kKeptOut) std::string().swap(out_);
  written_.is(out_.capacity());
  if (reading_ && !lost_ && served_out()) stream_->interrupt_read();
}

}  // namespace headgate::session
