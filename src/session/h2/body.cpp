// Reads the body of a request from its HTTP/2 stream.

#include "h2_session.hpp"
#include "stream.hpp"

#include <boost/system/errc.hpp>

#include <algorithm>
#include <chrono>

namespace headgate::session {
namespace {

/// Maximum size in bytes of the buffer that an idle tunnel keeps.
constexpr std::size_t kKept = 1024;

}  // namespace

void H2Body::begin(const http::Framing& framing, bool expects_continue) noexcept {
  framing_ = framing;
  if (framing.kind == http::Framing::Kind::none) ended_ = true;
  tells_continue_ = expects_continue && !ended_;
}

void H2Body::tunnel(Duration timeout) noexcept {
  closed_ = false;
  most_ = UINT64_MAX;
  timeout_ = timeout;
}

bool H2Body::take_at_most(std::uint64_t most) noexcept {
  most_ = most;
  return framing_.kind != http::Framing::Kind::length || framing_.length <= most;
}

void H2Body::arrived(std::string_view bytes) {
  arrived_.append(bytes);
  memory_.is(arrived_.capacity() + given_.capacity());
  total_ += bytes.size();
  received_ += bytes.size();
}

void H2Body::give_back() {
  if (given_.empty()) return;
  const auto bytes = given_.size();
  given_.clear();
  session_.consumed(id_, bytes);
}

/// Releases a buffer larger than kKept, because a tunnel may be silent for a long time.
void H2Body::release() {
  if (arrived_.capacity() + given_.capacity() <= kKept) return;
  PooledString().swap(arrived_);
  PooledString().swap(given_);
  memory_.is(0);
}

Result<std::string_view> H2Body::take() {
  give_back();
  if (failed_.failed()) return failed_;
  if (closed_) return std::string_view();
  if (total_ > most_) return boost::system::errc::make_error_code(boost::system::errc::message_size);
  std::swap(given_, arrived_);
  return std::string_view(given_);
}

Task<Result<std::string_view>> H2Body::read() {
  Duration silent{0};
  while (true) {
    auto bytes = take();
    if (bytes.has_error() || !bytes->empty() || ended_) co_return bytes;
    if (std::exchange(tells_continue_, false)) session_.say_continue(id_);
    if (is_tunnel_) release();
    const auto pace = session_.pace_of(id_);
    auto longest = timeout_ - silent;
    if (pace.rate != 0) longest = std::min(longest, pace_.begin(std::chrono::steady_clock::now(), pace));
    const auto before = received_;
    const error_code woken = co_await wake_.wait(longest);
    const bool late = woken == boost::asio::error::timed_out;
    if (woken.failed() && !late) co_return failed_.failed() ? failed_ : woken;
    if (pace.rate == 0) {
      if (late) co_return woken;
      continue;
    }
    const auto waited = pace_.end(std::chrono::steady_clock::now());
    silent = received_ != before ? Duration(0) : silent + waited;
    if (silent >= timeout_) co_return error_code(boost::asio::error::timed_out);
    if (!pace_.keeps_up(received_)) co_return net::too_slow();
  }
}

}  // namespace headgate::session
