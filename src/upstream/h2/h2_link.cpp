#include "h2_link.hpp"

#include "h2_link_calls.hpp"
#include "h2_pool.hpp"

#include "headgate/http/h2_fields.hpp"

#include <boost/asio/error.hpp>
#include <boost/system/errc.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

namespace headgate::upstream {

namespace asio_error = boost::asio::error;
namespace {

error_code not_http2() noexcept { return boost::system::errc::make_error_code(boost::system::errc::bad_message); }

}  // namespace

H2Link::H2Link(H2Pool& pool, net::StreamPtr stream, const net::Tcp::endpoint& to, Clock::Steady closes_at)
    : pool_(pool), stream_(std::move(stream)), input_(stream_, pool.blocks()), to_(to), closes_at_(closes_at) {}

H2Link::~H2Link() {
  stream_->close();
  nghttp2_session_del(h2_);
}

bool H2Link::begin() {
  h2_ = make_h2_link(*this);
  if (h2_ == nullptr) return false;
  idle_until_ = pool_.clock().steady() + pool_.idle_timeout();
  flush();
  spawn(read_all(), "http2 server connection");
  return !lost_;
}

bool H2Link::has_room() const noexcept {
  if (lost_ || retired_ || nghttp2_session_check_request_allowed(h2_) == 0) return false;
  if (closes_at_ != Clock::Steady() && pool_.clock().steady() >= closes_at_) return false;
  const auto wanted = nghttp2_session_get_remote_settings(h2_, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
  return streams_ < std::min(kMaxStreams, wanted);
}

void H2Link::retire() {
  retired_ = true;
  end_if_over();
}

/// nghttp2 wants nothing any more: the server has gone away and the last stream has ended, or we have ended it all as
/// what came is no HTTP/2.
void H2Link::end_if_over() {
  if (lost_ || inside_ || in_take_) return;
  if (retired_ && streams_ == 0) return lose(asio_error::eof);
  if (nghttp2_session_want_read(h2_) != 0 || nghttp2_session_want_write(h2_) != 0 || !out_.empty()) return;
  lose(attempts_.empty() ? error_code(asio_error::eof) : not_http2());
}

// Whoever is woken may begin and end other attempts, so the list is not walked meanwhile.
void H2Link::lose(error_code why, bool taken_down) {
  if (std::exchange(lost_, true)) return;
  const H2LinkPtr self(this);
  taken_down_ = taken_down;
  pool_.forget(*this);
  std::vector<H2AttemptPtr> lost;
  for (auto* const each : attempts_)
    if (!each->closed_) lost.emplace_back(each);
  for (const auto& each : lost) each->closed_ = {.cause = why};
  stream_->close();
  for (const auto& each : lost) each->go_on();
}

bool H2Link::open(H2Attempt& attempt, const RequestStart& start, bool ends) {
  if (lost_) return false;
  const auto& fields = *start.fields;
  http::H2Fields out(names_, fields);
  auto& path = *start.room;
  path.assign(start.path).append(start.query);
  const http::H2Digits length(start.framing.length);
  out.add(":method", start.method);
  out.add(":scheme", pool_.scheme());
  out.add(":authority", http::value_of(fields, http::Known::host));
  out.add(":path", path);
  out.add(fields);
  if (start.framing.kind == http::Framing::Kind::length) out.add("content-length", length.text());
  out.add("te", "trailers");  // they are handed on; some servers of gRPC ask for it
  const auto body = h2_request_body();
  const auto id = nghttp2_submit_request(h2_, nullptr, out.data(), out.size(), ends ? nullptr : &body, &attempt);
  if (id < 0) return false;
  attempt.id_ = id;
  attempts_.push_back(&attempt);
  ++streams_;
  used_ = true;
  write_timeout_ = attempt.write_timeout_;
  return true;
}

void H2Link::resume(const H2Attempt& attempt) { nghttp2_session_resume_data(h2_, attempt.id_); }

void H2Link::consumed(std::int32_t id, std::size_t bytes) {
  if (lost_) return;
  nghttp2_session_consume(h2_, id, bytes);
  if (nghttp2_session_want_write(h2_) != 0) flush();
}

void H2Link::leave(const H2Attempt& attempt) {
  std::erase(attempts_, &attempt);
  if (lost_ || attempt.id_ == 0) return;
  const auto held = attempt.body_.arrived_.size() + attempt.body_.given_.size();
  if (held > 0) nghttp2_session_consume(h2_, attempt.id_, held);
  if (!attempt.closed_) {
    nghttp2_session_set_stream_user_data(h2_, attempt.id_, nullptr);
    const bool whole = attempt.ended_ && attempt.body_.arrived_.empty();
    nghttp2_submit_rst_stream(h2_, NGHTTP2_FLAG_NONE, attempt.id_, whole ? NGHTTP2_NO_ERROR : NGHTTP2_CANCEL);
  }
  idle_until_ = pool_.clock().steady() + pool_.idle_timeout();
  if (nghttp2_session_want_write(h2_) != 0) flush();
  end_if_over();
}

void H2Link::make_frames() {
  inside_ = true;
  while (!lost_ && out_.size() < kMaxWritten) {
    const std::uint8_t* bytes = nullptr;
    const auto size = nghttp2_session_mem_send(h2_, &bytes);
    if (size <= 0) break;
    out_.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  }
  inside_ = false;
}

void H2Link::run_touched() {
  while (!touched_.empty()) {
    const auto touched = std::exchange(touched_, {});
    for (const auto& each : touched) each->go_on();
  }
}

void H2Link::flush() {
  if (inside_ || in_take_ || writing_ || lost_) return;
  spawn(write_all(), "http2 server writer");
}

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
  end_if_over();
}

Duration H2Link::patience() const {
  if (streams_ == 0) {
    const auto left = std::chrono::duration_cast<Duration>(idle_until_ - pool_.clock().steady());
    return std::max(left, Duration(1));
  }
  return pinged_ ? kPingPatience : kQuiet;
}

/// Nothing has come for its patience.
bool H2Link::stays() {
  if (streams_ == 0) return pool_.clock().steady() < idle_until_;
  if (std::exchange(pinged_, true)) return false;
  nghttp2_submit_ping(h2_, NGHTTP2_FLAG_NONE, nullptr);
  flush();
  return true;
}

Task<void> H2Link::read_all() {
  const H2LinkPtr self(this);
  while (!lost_) {
    const auto got = co_await input_.fill(patience());
    if (lost_) break;
    if (got.has_error()) {
      if (got.error() == asio_error::timed_out && stays()) continue;
      lose(got.error());
      break;
    }
    pinged_ = false;
    take();
    if (streams_ == 0) input_.release();
  }
}

void H2Link::take() {
  const auto data = input_.data();
  in_take_ = inside_ = true;
  const auto read = nghttp2_session_mem_recv(h2_, reinterpret_cast<const std::uint8_t*>(data.data()), data.size());
  inside_ = false;
  input_.consume(data.size());
  run_touched();
  in_take_ = false;
  if (lost_) return;
  if (read < 0) return lose(not_http2());
  flush();
  end_if_over();
}

}  // namespace headgate::upstream
