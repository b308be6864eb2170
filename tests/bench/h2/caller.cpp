#include "caller.hpp"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace headgate::bench {
namespace {

constexpr std::uint32_t kWindow = (1U << 30) - 1;  // never what a proxy waits for
constexpr std::uint32_t kUsualWindow = 65'535;
constexpr std::uint32_t kAcknowledged = 1U << 24;

const FieldBlocks& request_blocks(H2Kind kind) {
  static const auto get = [](std::string_view scheme) {
    return blocks_of({{{":method", "GET"},
                       {":scheme", scheme},
                       {":authority", "127.0.0.1"},
                       {":path", "/bench"},
                       {"user-agent", "bench"},
                       {"accept", "*/*"}}})[0];
  };
  static const auto plain = get("http");
  static const auto secure = get("https");
  static const auto call_of = [](std::string_view path) {
    return blocks_of({{{":method", "POST"},
                       {":scheme", "http"},
                       {":authority", "127.0.0.1"},
                       {":path", path},
                       {"te", "trailers"},
                       {"content-type", "application/grpc"},
                       {"user-agent", "grpc-bench/1.0"},
                       {"grpc-accept-encoding", "identity,deflate,gzip"}}})[0];
  };
  static const auto grpc = call_of("/bench.Echo/Call");
  static const auto decision = call_of("/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit");
  switch (kind) {
    case H2Kind::get:
      return plain;
    case H2Kind::get_https:
      return secure;
    case H2Kind::grpc_unary:
      return grpc;
    case H2Kind::decision:
      return decision;
  }
  return plain;
}

std::string with_prefix(const std::string& message) {
  std::string out(1, '\0');
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(message.size() >> shift & 0xFF);
  return out + message;
}

}  // namespace

H2Caller::H2Caller(const Calls& calls) : calls_(calls) {
  for (auto& message : calls_.messages) message = with_prefix(message);
  if (nghttp2_hd_inflate_new(&inflater_) != 0) throw std::runtime_error("no memory for fields");
  out_ = kPreface;
  append_settings(out_, {{NGHTTP2_SETTINGS_ENABLE_PUSH, 0}, {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kWindow}});
  append_window_update(out_, kWindow - kUsualWindow);
  for (unsigned i = 0; i < calls_.streams; ++i) call();
}

H2Caller::~H2Caller() { nghttp2_hd_inflate_del(inflater_); }

void H2Caller::open_more(unsigned streams) {
  calls_.streams += streams;
  if (calls_.requests > 0) calls_.requests += streams;
  for (unsigned i = 0; i < streams; ++i) call();
}

void H2Caller::call() {
  if (leaving_ || (calls_.requests > 0 && sent_ == calls_.requests)) return;
  const auto id = next_;
  next_ += 2;
  streams_.emplace(id, Stream{});
  const auto& blocks = request_blocks(calls_.kind);
  const bool has_body = calls_.kind == H2Kind::grpc_unary || calls_.kind == H2Kind::decision;
  const std::uint8_t flags = kEndHeaders | (has_body ? 0 : kEndStream);
  append_frame(out_, {FrameType::headers, flags, id, sent_ == 0 ? blocks.first : blocks.later});
  static const auto same = std::string("\0\0\0\0\x80", 5) + std::string(kGrpcMessage - 5, 'x');
  const auto& message = calls_.messages.empty() ? same : calls_.messages[sent_ % calls_.messages.size()];
  if (has_body) append_frame(out_, {FrameType::data, kEndStream, id, message});
  ++sent_;
}

H2Caller::News H2Caller::take(std::string_view bytes) {
  News news;
  in_.add(bytes);
  for (Frame frame; news.why == nullptr && in_.next(frame);) news.why = take(frame, news);
  if (unacknowledged_ > kAcknowledged) append_window_update(out_, std::exchange(unacknowledged_, 0));
  return news;
}

const char* H2Caller::take(const Frame& frame, News& news) {
  const bool ends = (frame.flags & kEndStream) != 0;
  switch (frame.type) {
    case FrameType::headers: {
      const auto stream = streams_.find(frame.stream);
      if (stream == streams_.end()) return "fields of no stream";
      if (const auto* const why = take_fields(frame, stream->second)) return why;
      return ends ? answered(frame.stream, news) : nullptr;
    }
    case FrameType::data:
      if (const auto* const why = take_data(frame)) return why;
      return ends ? answered(frame.stream, news) : nullptr;
    case FrameType::reset:
      return streams_.contains(frame.stream) ? "a stream was reset" : nullptr;
    case FrameType::settings:
      if ((frame.flags & kAck) == 0) append_frame(out_, {FrameType::settings, kAck, 0, {}});
      return nullptr;
    case FrameType::ping:
      if ((frame.flags & kAck) == 0) append_frame(out_, {FrameType::ping, kAck, 0, frame.payload});
      return nullptr;
    case FrameType::goaway:
      if (number_in(frame.payload, 4) != NGHTTP2_NO_ERROR) return "the proxy ended the connection";
      go_away(number_in(frame.payload, 0));
      return nullptr;
    case FrameType::window_update:
      return nullptr;  // what is under way is less than the smallest window
  }
  return nullptr;
}

const char* H2Caller::take_fields(const Frame& frame, Stream& stream) {
  if ((frame.flags & ~(kEndStream | kEndHeaders)) != 0 || (frame.flags & kEndHeaders) == 0)
    return "a head is in parts, or padded";
  const auto* at = reinterpret_cast<const std::uint8_t*>(frame.payload.data());
  auto left = frame.payload.size();
  while (true) {
    nghttp2_nv field{};
    int flags = 0;
    const auto read = nghttp2_hd_inflate_hd2(inflater_, &field, &flags, at, left, 1);
    if (read < 0) return "fields that cannot be decoded";
    at += read;
    left -= static_cast<std::size_t>(read);
    if ((flags & NGHTTP2_HD_INFLATE_EMIT) != 0) {
      const std::string_view name(reinterpret_cast<const char*>(field.name), field.namelen);
      const std::string_view value(reinterpret_cast<const char*>(field.value), field.valuelen);
      if (name == ":status") stream.ok = value == "200";
      if (name == "grpc-status") stream.grpc_ok = value == "0";
    }
    if ((flags & NGHTTP2_HD_INFLATE_FINAL) != 0) break;
  }
  nghttp2_hd_inflate_end_headers(inflater_);
  return nullptr;
}

const char* H2Caller::take_data(const Frame& frame) {
  const auto stream = streams_.find(frame.stream);
  if (stream == streams_.end()) return "data of no stream";
  if ((frame.flags & ~kEndStream) != 0) return "data is padded";
  if (stream->second.body == 0) stream->second.decided = frame.payload.substr(0, 7).ends_with("\x08\x01");
  stream->second.body += frame.payload.size();
  unacknowledged_ += static_cast<std::uint32_t>(frame.payload.size());
  return nullptr;
}

const char* H2Caller::answered(std::int32_t id, News& news) {
  const auto stream = streams_.find(id);
  const bool right = is_right(stream->second);
  streams_.erase(stream);
  if (!right) return "a wrong answer";
  ++news.right;
  call();
  return nullptr;
}

bool H2Caller::is_right(const Stream& stream) const {
  if (calls_.kind == H2Kind::decision) return stream.ok && stream.grpc_ok && stream.decided;
  return stream.ok && stream.body == calls_.answer && (calls_.kind != H2Kind::grpc_unary || stream.grpc_ok);
}

/// Streams beyond the last one were not looked at, and are begun anew elsewhere.
void H2Caller::go_away(std::uint32_t last) {
  leaving_ = true;
  std::erase_if(streams_, [last](const auto& each) { return static_cast<std::uint32_t>(each.first) > last; });
}

}  // namespace headgate::bench
