#include "h2_link_calls.hpp"

#include "h2_link.hpp"
#include "h2_pool.hpp"

#include "headgate/net/h2_fields.hpp"
#include "headgate/net/h2_made.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

namespace headgate::upstream {
namespace {

std::string_view text_of(const std::uint8_t* bytes, std::size_t size) noexcept {
  return {reinterpret_cast<const char*>(bytes), size};
}

/// Maximum number of interim heads; no server has reason to send so many.
constexpr std::size_t kMaxHeads = 16;
constexpr std::size_t kMaxAcks = 100;
/// Maximum size of a request head in bytes; larger than any request head with the fields that the gateway adds.
constexpr std::size_t kMaxSentHead = 1024UL * 1024;

}  // namespace

struct H2LinkCalls {
  static H2Link& of(void* self) noexcept { return *static_cast<H2Link*>(self); }
  /// Returns the attempt of a stream; null if no exchange waits for the stream any more.
  static H2Attempt* attempt(void* self, std::int32_t id) noexcept { return of(self).find(id); }
  static void touch(H2Link& link, const H2Attempt& attempt) {
    if (link.touched_.empty() || link.touched_.back() != attempt.id_) link.touched_.push_back(attempt.id_);
  }

  static int begin_headers(nghttp2_session*, const nghttp2_frame* frame, void* self) {
    of(self).answered_ = true;
    if (auto* const one = attempt(self, frame->hd.stream_id)) {
      one->seen_ = true;
      one->coming_.emplace();
    }
    return 0;
  }

  static int header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name, std::size_t name_size,
                    const std::uint8_t* value, std::size_t value_size, std::uint8_t, void* self) {
    auto* const one = attempt(self, frame->hd.stream_id);
    if (one == nullptr || !one->coming_) return 0;
    // Heads that have arrived but were not read yet count as well.
    const auto waiting = one->heads_waiting();
    const auto most = of(self).pool_.head_bytes();
    const auto left = waiting < most ? most - waiting : 0;
    if (one->coming_->add(text_of(name, name_size), text_of(value, value_size), left)) return 0;
    one->too_large_ = true;
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  }

  static int invalid_header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t*, std::size_t,
                            const std::uint8_t*, std::size_t, std::uint8_t, void* self) {
    if (auto* const one = attempt(self, frame->hd.stream_id)) one->malformed_ = true;
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  }

  static int invalid_frame(nghttp2_session*, const nghttp2_frame* frame, int, void* self) {
    if (auto* const one = attempt(self, frame->hd.stream_id)) one->malformed_ = true;
    return 0;
  }

  static int frame_received(nghttp2_session* h2, const nghttp2_frame* frame, void* self) {
    if (frame->hd.type == NGHTTP2_GOAWAY) goes_away(of(self));
    if (frame->hd.type == NGHTTP2_SETTINGS) of(self).greeted_ = true;
    auto* const one = attempt(self, frame->hd.stream_id);
    if (one == nullptr) return 0;
    if (frame->hd.type == NGHTTP2_HEADERS && one->coming_) {
      if (one->coming_->status() == 0) {
        one->late_ = std::move(*one->coming_);
        one->late_.write_to(one->body_.trailers_);
      } else if (one->heads_.size() < kMaxHeads) {
        one->heads_.push_back(std::move(*one->coming_));
      } else {
        one->malformed_ = true;
        nghttp2_submit_rst_stream(h2, NGHTTP2_FLAG_NONE, frame->hd.stream_id, NGHTTP2_ENHANCE_YOUR_CALM);
      }
      one->coming_.reset();
      one->note_held();
      touch(of(self), *one);
    }
    const bool may_end = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
    if (may_end && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) {
      one->ended_ = true;
      touch(of(self), *one);
    }
    return 0;
  }

  static int data_received(nghttp2_session* h2, std::uint8_t, std::int32_t id, const std::uint8_t* bytes,
                           std::size_t size, void* self) {
    auto* const one = attempt(self, id);
    if (one == nullptr) {
      nghttp2_session_consume(h2, id, size);
      return 0;
    }
    one->body_.arrived_.append(text_of(bytes, size));
    one->body_.total_ += size;
    one->note_held();
    touch(of(self), *one);
    return 0;
  }

  static int closed(nghttp2_session*, std::int32_t id, std::uint32_t code, void* self) {
    end(of(self), id, code);
    return 0;
  }

  /// Ends the attempts whose requests were not sent, because the server has sent GOAWAY and will not receive them.
  static void goes_away(H2Link& link) {
    link.retired_ = true;
    for (auto* const each : link.attempts_)
      if (!each->begun_) end(link, each->id_, NGHTTP2_REFUSED_STREAM);
  }

  static void end(H2Link& link, std::int32_t id, std::uint32_t code) {
    link.end_stream(id);
    auto* const one = link.find(id);
    if (one != nullptr && one->reset_by_server_ && code == NGHTTP2_REFUSED_STREAM)
      link.note_refusal();
    else
      link.refusing_ = false;
    if (one == nullptr || one->closed_) return;
    one->closed_ = {.code = code, .by_server = one->reset_by_server_};
    touch(link, *one);
  }

  static int begin_frame(nghttp2_session*, const nghttp2_frame_hd* head, void* self) {
    if (head->type == NGHTTP2_RST_STREAM)
      if (auto* const one = attempt(self, head->stream_id)) one->reset_by_server_ = true;
    return 0;
  }

  /// Called for a request that could not be sent because of a GOAWAY, so that the server has not received it.
  static int not_sent(nghttp2_session*, const nghttp2_frame* frame, int, void* self) {
    auto* const one = frame->hd.type == NGHTTP2_HEADERS ? attempt(self, frame->hd.stream_id) : nullptr;
    if (one != nullptr) end(of(self), one->id_, one->begun_ ? NGHTTP2_INTERNAL_ERROR : NGHTTP2_REFUSED_STREAM);
    return 0;
  }

  /// Called before the first bytes of a frame are made. From then on, the server may receive the request.
  static int sending(nghttp2_session*, const nghttp2_frame* frame, void* self) {
    if (frame->hd.type != NGHTTP2_HEADERS) return 0;
    if (auto* const one = attempt(self, frame->hd.stream_id)) one->begun_ = true;
    return 0;
  }

  static int sent(nghttp2_session*, const nghttp2_frame* frame, void* self) {
    const bool may_end = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
    auto* const one = may_end ? attempt(self, frame->hd.stream_id) : nullptr;
    if (one == nullptr) return 0;
    if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) one->sent_ = true;
    touch(of(self), *one);
    return 0;
  }

  static ssize_t read_request(nghttp2_session* h2, std::int32_t id, std::uint8_t* into, std::size_t size,
                              std::uint32_t* flags, nghttp2_data_source*, void* self) {
    auto* const one = attempt(self, id);
    if (one == nullptr || one->cancelled_) return NGHTTP2_ERR_DEFERRED;  // a reset follows
    const auto count = std::min(size, one->pending_.size());
    if (count > 0) std::memcpy(into, one->pending_.data(), count);
    one->pending_.remove_prefix(count);
    one->moved_ += count;
    const bool all = one->pending_.empty();
    if (all && one->trailers_ != nullptr && !one->trailers_->empty()) {
      *flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
      net::H2Fields out(of(self).heads_sent_);
      out.add(*one->trailers_);
      if (nghttp2_submit_trailer(h2, id, out.data(), out.size()) != 0) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    } else if (all && (one->last_ || one->trailers_ != nullptr)) {
      *flags |= NGHTTP2_DATA_FLAG_EOF;
    } else if (count == 0) {
      return NGHTTP2_ERR_DEFERRED;
    }
    return static_cast<ssize_t>(count);
  }
};

namespace {

/// The callbacks for nghttp2. All connections of a thread use the same object, because nghttp2 copies the callbacks.
struct H2LinkSetup {
  net::H2Calls callbacks;
  net::H2Options options;

  H2LinkSetup() {
    if (!callbacks.made || !options.made) return;
    auto* const calls = callbacks.get;
    nghttp2_session_callbacks_set_on_begin_frame_callback(calls, H2LinkCalls::begin_frame);
    nghttp2_session_callbacks_set_on_begin_headers_callback(calls, H2LinkCalls::begin_headers);
    nghttp2_session_callbacks_set_on_header_callback(calls, H2LinkCalls::header);
    nghttp2_session_callbacks_set_on_invalid_header_callback(calls, H2LinkCalls::invalid_header);
    nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(calls, H2LinkCalls::invalid_frame);
    nghttp2_session_callbacks_set_on_frame_recv_callback(calls, H2LinkCalls::frame_received);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(calls, H2LinkCalls::data_received);
    nghttp2_session_callbacks_set_on_stream_close_callback(calls, H2LinkCalls::closed);
    nghttp2_session_callbacks_set_before_frame_send_callback(calls, H2LinkCalls::sending);
    nghttp2_session_callbacks_set_on_frame_send_callback(calls, H2LinkCalls::sent);
    nghttp2_session_callbacks_set_on_frame_not_send_callback(calls, H2LinkCalls::not_sent);
    auto* const option = options.get;
    nghttp2_option_set_no_auto_window_update(option, 1);
    nghttp2_option_set_max_outbound_ack(option, kMaxAcks);
    nghttp2_option_set_no_closed_streams(option, 1);
    nghttp2_option_set_max_send_header_block_length(option, kMaxSentHead);
  }
};

}  // namespace

nghttp2_data_provider h2_request_body() noexcept { return {{.ptr = nullptr}, H2LinkCalls::read_request}; }

nghttp2_session* make_h2_link(H2Link& link, nghttp2_mem* memory) {
  thread_local const H2LinkSetup setup;
  nghttp2_session* h2 = nullptr;
  if (!setup.callbacks.made || !setup.options.made ||
      nghttp2_session_client_new3(&h2, setup.callbacks.get, &link, setup.options.get, memory) != 0)
    return nullptr;
  const std::array<nghttp2_settings_entry, 3> settings{{
      {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
      {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, 0},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, H2Link::kStreamWindow},
  }};
  if (nghttp2_submit_settings(h2, NGHTTP2_FLAG_NONE, settings.data(), settings.size()) == 0 &&
      nghttp2_session_set_local_window_size(h2, NGHTTP2_FLAG_NONE, 0, H2Link::kConnectionWindow) == 0)
    return h2;
  nghttp2_session_del(h2);
  return nullptr;
}

}  // namespace headgate::upstream
