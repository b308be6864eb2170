// Callbacks never resume a coroutine, because nghttp2 must not be called again from inside them. They record the event
// on the stream, and run_streams() resumes the coroutine later.

#include "callbacks.hpp"

#include "h2_session.hpp"

#include "headgate/net/h2_made.hpp"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>

namespace headgate::session {
namespace {

constexpr std::uint32_t kMaxAcks = 100;
/// A reset within this time after the start of a stream is a fault of the client, which never wanted the answer. A
/// reset because of a deadline or by a person takes longer.
constexpr auto kRapid = std::chrono::milliseconds(50);
constexpr std::size_t kMaxContinuations = 8;
constexpr std::uint8_t kLastKnownType = NGHTTP2_CONTINUATION;
constexpr std::size_t kFrameHead = 9;

std::string_view text_of(const std::uint8_t* bytes, std::size_t size) noexcept {
  return {reinterpret_cast<const char*>(bytes), size};
}

}  // namespace

struct H2Callbacks {
  static H2Session& of(void* self) noexcept { return *static_cast<H2Session*>(self); }

  static int begin_frame(nghttp2_session*, const nghttp2_frame_hd* head, void* self) {
    auto& session = of(self);
    session.greeted_ = true;
    if (head->type == NGHTTP2_HEADERS) session.look_if_late(head->stream_id);
    if (!session.rules_.allow(head->type, head->stream_id)) session.broken_ = NGHTTP2_PROTOCOL_ERROR;
    if (head->type > kLastKnownType || head->type == NGHTTP2_PRIORITY) session.limits_.glitch(session.clock().steady());
    return 0;
  }

  static int begin_headers(nghttp2_session*, const nghttp2_frame* frame, void* self) {
    auto& session = of(self);
    if (frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
    const auto id = frame->hd.stream_id;
    ++session.begun_streams_;
    // A stream counts until its exchange has ended, even if the client has reset it; otherwise a client could begin any
    // number of exchanges by resetting their streams.
    if (session.streams_.size() >= H2Session::kMaxStreams || session.has_enough()) {
      if (!session.has_enough()) {  // otherwise the gateway's memory is full, which is not the client's fault
        session.limits_.fault();
        session.limits_.reset(session.clock().steady());
      }
      nghttp2_submit_rst_stream(session.h2_, NGHTTP2_FLAG_NONE, id, NGHTTP2_REFUSED_STREAM);
      return 0;
    }
    const auto now = session.clock().steady();
    session.streams_.add(std::make_unique<H2Stream>(session, id, now, session.timeouts().body, session.timeouts().write,
                                                    session.stream_->timers(), session.lent()));
    session.head_of_ = id;
    session.head_until_ = now + session.timeouts().head;
    return 0;
  }

  static int header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name, std::size_t name_size,
                    const std::uint8_t* value, std::size_t value_size, std::uint8_t, void* self) {
    auto& session = of(self);
    auto* const stream = session.find(frame->hd.stream_id);
    if (stream == nullptr || stream->gone) return 0;
    auto& head = frame->headers.cat == NGHTTP2_HCAT_REQUEST ? stream->head : stream->trailers_begun();
    const bool added = head.add(text_of(name, name_size), text_of(value, value_size), session.bounds().head);
    stream->count_heads();
    if (added) return 0;
    session.limits_.found(H2Abuse::head);
    // the rest of the head is not decoded, because each of its bytes may stand for a whole field
    return NGHTTP2_ERR_CALLBACK_FAILURE;
  }

  static int invalid_header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t*, std::size_t,
                            const std::uint8_t*, std::size_t, std::uint8_t, void* self) {
    auto& session = of(self);
    auto* const stream = session.find(frame->hd.stream_id);
    if (stream == nullptr || stream->malformed != nullptr) return 0;
    nghttp2_submit_rst_stream(session.h2_, NGHTTP2_FLAG_NONE, frame->hd.stream_id, NGHTTP2_PROTOCOL_ERROR);
    found_malformed(session, *stream, "the name or value of a field has a forbidden character");
    return 0;
  }

  /// Called when nghttp2 has found an error in a frame. nghttp2 then resets the stream.
  static int invalid_frame(nghttp2_session*, const nghttp2_frame* frame, int error, void* self) {
    auto& session = of(self);
    auto* const stream = session.find(frame->hd.stream_id);
    if (error == NGHTTP2_ERR_REFUSED_STREAM) {
      session.limits_.reset(session.clock().steady());
      session.closed_.closed(frame->hd.stream_id, H2ClosedStreams::By::us, session.clock().steady());
    }
    if (error == NGHTTP2_ERR_FLOW_CONTROL && stream != nullptr) overflowed(session, *stream);
    if (frame->hd.type != NGHTTP2_HEADERS || stream == nullptr || stream->malformed != nullptr) return 0;
    found_malformed(session, *stream,
                    error == NGHTTP2_ERR_HTTP_HEADER
                        ? "a field is not allowed in HTTP/2, is in the wrong place, or occurs twice"
                        : "a pseudo-header field is missing, or Content-Length differs from the length of the body");
    return 0;
  }

  /// Marks the stream as gone. The reset is only queued, and bytes that arrived in the same read must not reach a
  /// server.
  static void overflowed(H2Session& session, H2Stream& stream) {
    if (stream.gone || stream.malformed != nullptr) return;
    if (!stream.reply.started()) {
      session.limits_.reset(session.clock().steady());
      session.limits_.fault();
    }
    stream.gone = true;
    session.touch(stream.id);
  }

  /// If the exchange has not begun, it is begun so that the request is logged. Otherwise its body fails, which ends the
  /// exchange.
  static void found_malformed(H2Session& session, H2Stream& stream, const char* why) {
    stream.malformed = why;
    session.limits_.fault();
    if (!stream.answering) session.begun_.push_back(stream.id);
  }

  static int frame_received(nghttp2_session*, const nghttp2_frame* frame, void* self) {
    auto& session = of(self);
    const auto now = session.clock().steady();
    const auto id = frame->hd.stream_id;
    const bool ends = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    switch (frame->hd.type) {
      case NGHTTP2_HEADERS:
        if (session.head_of_ == id) session.head_of_ = 0;
        head_received(session, frame->headers.cat, id, ends);
        break;
      case NGHTTP2_DATA:
        if (frame->hd.length == 0 && !ends) session.limits_.glitch(now);
        if (auto* const stream = session.find(id); stream != nullptr && ends) {
          stream->body.end();
          session.touch(id);
        }
        break;
      case NGHTTP2_RST_STREAM:
        session.reset_by_client_ = id;
        if (auto* const stream = session.find(id)) stream->reset_by_client = true;
        break;
      case NGHTTP2_WINDOW_UPDATE:
        session.limits_.window_update(now);
        break;
      case NGHTTP2_SETTINGS:
        if ((frame->hd.flags & NGHTTP2_FLAG_ACK) == 0) session.limits_.settings(now);
        break;
      case NGHTTP2_PING:
        if ((frame->hd.flags & NGHTTP2_FLAG_ACK) == 0) session.limits_.glitch(now);
        break;
      default:
        break;
    }
    return 0;
  }

  static void head_received(H2Session& session, nghttp2_headers_category category, std::int32_t id, bool ends) {
    auto* const stream = session.find(id);
    if (stream == nullptr || stream->malformed != nullptr || stream->gone) return;
    if (category == NGHTTP2_HCAT_REQUEST) {
      session.begun_.push_back(id);
    } else if (stream->body.is_tunnel()) {  // RFC 9113 section 8.5
      nghttp2_submit_rst_stream(session.h2_, NGHTTP2_FLAG_NONE, id, NGHTTP2_PROTOCOL_ERROR);
      found_malformed(session, *stream, "a tunnel cannot have trailers");
      return;
    } else {
      if (stream->trailers != nullptr) {
        const auto* const fields = stream->trailers->trailers();
        if (fields == nullptr) {
          nghttp2_submit_rst_stream(session.h2_, NGHTTP2_FLAG_NONE, id, NGHTTP2_PROTOCOL_ERROR);
          stream->malformed = "the trailers are too large";
          return;
        }
        stream->body.trailers(*fields);
      }
      session.touch(id);
    }
    if (ends) stream->body.end();
  }

  static int data_received(nghttp2_session* h2, std::uint8_t, std::int32_t id, const std::uint8_t* bytes,
                           std::size_t size, void* self) {
    auto& session = of(self);
    auto* const stream = session.find(id);
    if (stream == nullptr || stream->gone) return nghttp2_session_consume_connection(h2, size) == 0 ? 0 : -1;
    stream->body.arrived(text_of(bytes, size));
    session.touch(id);
    return 0;
  }

  static void remember_closed(H2Session& session, std::int32_t id) {
    using By = H2ClosedStreams::By;
    if (session.reset_by_client_ == id) return session.closed_.closed(id, By::client, {});
    const bool said_all = nghttp2_session_get_stream_remote_close(session.h2_, id) == 1;
    said_all ? session.closed_.closed(id, By::end, {}) : session.closed_.closed(id, By::us, session.clock().steady());
  }

  /// A stream that is reset before its answer has begun has cost work for nothing, so the reset counts. It counts no
  /// matter which side sent it, because a client can make the gateway reset its streams (CVE-2025-8671).
  static int closed(nghttp2_session*, std::int32_t id, std::uint32_t code, void* self) {
    auto& session = of(self);
    if (session.head_of_ == id) session.head_of_ = 0;
    remember_closed(session, id);
    auto* const stream = session.find(id);
    if (stream == nullptr) {
      session.unread_.remove(id);
      return 0;
    }
    if (code != NGHTTP2_NO_ERROR && !stream->own_reset && !stream->gone && !stream->reply.started()) {
      const auto now = session.clock().steady();
      session.limits_.reset(now);
      if (!stream->reset_by_client || now - stream->begun < kRapid) session.limits_.fault();
    }
    const bool ours = code == NGHTTP2_PROTOCOL_ERROR && !stream->own_reset && !stream->reset_by_client;
    if (ours && stream->malformed == nullptr) stream->malformed = "Content-Length differs from the length of the body";
    stream->gone = true;
    session.touch(id);
    return 0;
  }

  /// Skips frames of unknown types, which are only counted.
  static int leave_out(nghttp2_session*, void**, const nghttp2_frame_hd*, void*) { return NGHTTP2_ERR_CANCEL; }

  /// Returns whether a reset by the gateway with this code is not counted when it is sent. There are two reasons: it
  /// was counted when it was queued, so that further streams in the same read are bounded; or a server, a timeout or an
  /// operator has ended the exchange.
  static bool is_settled(std::uint32_t code) noexcept {
    return code == NGHTTP2_NO_ERROR || code == NGHTTP2_REFUSED_STREAM || code == NGHTTP2_FLOW_CONTROL_ERROR ||
           code == NGHTTP2_CANCEL || code == NGHTTP2_INTERNAL_ERROR;
  }

  static int sent(nghttp2_session*, const nghttp2_frame* frame, void* self) {
    auto& session = of(self);
    const auto id = frame->hd.stream_id;
    auto* const stream = session.find(id);
    if (frame->hd.type == NGHTTP2_RST_STREAM && stream == nullptr && !is_settled(frame->rst_stream.error_code))
      session.limits_.reset(session.clock().steady());
    if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA) return 0;
    if (frame->hd.type == NGHTTP2_DATA) session.limits_.data_sent();
    if (stream == nullptr) return 0;
    stream->reply.count(frame->hd.length + kFrameHead);
    if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) stream->reply.ended();
    if (stream->reply.waits() && stream->reply.done()) session.touch(id);
    return 0;
  }

  static ssize_t read_answer(nghttp2_session* h2, std::int32_t id, std::uint8_t*, std::size_t size,
                             std::uint32_t* flags, nghttp2_data_source*, void* self) {
    auto& session = of(self);
    auto* const stream = session.find(id);
    if (stream == nullptr || stream->reply.failed()) return NGHTTP2_ERR_DEFERRED;  // a reset follows
    auto& reply = stream->reply;
    const auto count = std::min(size, reply.pending().size());
    const bool all = count == reply.pending().size();
    if (count > 0) *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
    if (all && reply.trailers() != nullptr && !reply.trailers()->empty()) {
      *flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
      if (!session.submit_trailers(id, *reply.trailers())) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    } else if (all && (reply.ends_here() || reply.trailers() != nullptr)) {
      *flags |= NGHTTP2_DATA_FLAG_EOF;
    } else if (count == 0) {
      return NGHTTP2_ERR_DEFERRED;
    }
    static_cast<void>(h2);
    return static_cast<ssize_t>(count);
  }

  static int send_data(nghttp2_session*, nghttp2_frame* frame, const std::uint8_t* head, std::size_t size,
                       nghttp2_data_source*, void* self) {
    auto& session = of(self);
    if (session.out_.size() >= H2Session::kMaxWritten) return NGHTTP2_ERR_WOULDBLOCK;
    auto* const stream = session.find(frame->hd.stream_id);
    if (stream == nullptr || stream->reply.pending().size() < size) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    session.out_.append(text_of(head, kFrameHead)).append(stream->reply.pending().substr(0, size));
    stream->reply.taken(size);
    return 0;
  }
};

namespace {

/// The callbacks for nghttp2. All sessions of a thread use the same object, because nghttp2 copies the callbacks.
struct H2Setup {
  net::H2Calls callbacks;
  net::H2Options options;

  H2Setup() {
    if (!callbacks.made || !options.made) return;
    auto* const calls = callbacks.get;
    nghttp2_session_callbacks_set_on_begin_frame_callback(calls, H2Callbacks::begin_frame);
    nghttp2_session_callbacks_set_on_begin_headers_callback(calls, H2Callbacks::begin_headers);
    nghttp2_session_callbacks_set_on_header_callback(calls, H2Callbacks::header);
    nghttp2_session_callbacks_set_on_invalid_header_callback(calls, H2Callbacks::invalid_header);
    nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(calls, H2Callbacks::invalid_frame);
    nghttp2_session_callbacks_set_on_frame_recv_callback(calls, H2Callbacks::frame_received);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(calls, H2Callbacks::data_received);
    nghttp2_session_callbacks_set_on_stream_close_callback(calls, H2Callbacks::closed);
    nghttp2_session_callbacks_set_unpack_extension_callback(calls, H2Callbacks::leave_out);
    nghttp2_session_callbacks_set_on_frame_send_callback(calls, H2Callbacks::sent);
    nghttp2_session_callbacks_set_send_data_callback(calls, H2Callbacks::send_data);
    auto* const option = options.get;
    nghttp2_option_set_no_auto_window_update(option, 1);
    nghttp2_option_set_max_outbound_ack(option, kMaxAcks);
    nghttp2_option_set_max_continuations(option, kMaxContinuations);
    nghttp2_option_set_no_closed_streams(option, 1);
    // Without this, nghttp2 does not report frames of unknown types, and they could not be counted.
    for (unsigned type = kLastKnownType + 1; type <= 0xff; ++type)
      nghttp2_option_set_user_recv_extension_type(option, static_cast<std::uint8_t>(type));
  }
};

}  // namespace

bool submit_h2_answer(nghttp2_session* h2, std::int32_t id, const nghttp2_nv* fields, std::size_t count,
                      bool ends) noexcept {
  nghttp2_data_provider body{{.ptr = nullptr}, H2Callbacks::read_answer};
  return nghttp2_submit_response(h2, id, fields, count, ends ? nullptr : &body) == 0;
}

nghttp2_session* make_h2(H2Session& session, net::H2Memory& memory, ExtendedConnect connect) {
  thread_local const H2Setup setup;
  nghttp2_session* h2 = nullptr;
  if (!setup.callbacks.made || !setup.options.made ||
      nghttp2_session_server_new3(&h2, setup.callbacks.get, &session, setup.options.get, memory.functions()) != 0)
    return nullptr;
  const std::array<nghttp2_settings_entry, 4> settings{{
      {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, H2Session::kMaxStreams},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, H2Head::kMaxListSize},
      {NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1},
      {NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL, 1},  // the last entry, because it may be left out
  }};
  const auto count = connect == ExtendedConnect::taken ? settings.size() : settings.size() - 1;
  nghttp2_submit_settings(h2, NGHTTP2_FLAG_NONE, settings.data(), count);
  nghttp2_session_set_local_window_size(h2, NGHTTP2_FLAG_NONE, 0, H2Session::kConnectionWindow);
  memory.begin();
  return h2;
}

}  // namespace headgate::session
