#include "headgate/net/h1_body.hpp"

#include "headgate/http/h1/write.hpp"

#include <boost/asio/error.hpp>
#include <boost/system/errc.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>

namespace headgate::net {

using Kind = http::h1::WireFraming::Kind;

namespace {

boost::system::errc::errc_t meaning(const http::h1::ParseError& refusal) noexcept {
  return refusal.status == 413 ? boost::system::errc::message_size : boost::system::errc::bad_message;
}

}  // namespace

void H1Body::begin(const http::h1::WireFraming& framing) {
  framing_ = framing;
  left_ = framing.length;
  ended_ = framing.kind == Kind::none;
  broken_ = {};
  before_wait_ = nullptr;
  if (ended_) return;
  if (framing.kind == Kind::chunked) chunks_ = http::h1::ChunkReader{};
  // the pace of each body is measured anew: several small bodies that are a little late are not one slow body
  pace_ = PaceWatch{};
  received_ = 0;
}

void H1Body::before_wait(BeforeWait action, void* owner) noexcept {
  before_wait_ = action;
  owner_ = owner;
}

bool H1Body::take_at_most(std::uint64_t most) noexcept {
  chunks_.take_at_most(most);
  return framing_.kind != Kind::length || framing_.length <= most;
}

Result<std::string_view> H1Body::take() {
  const auto data = read_buffer_->data();
  switch (framing_.kind) {
    case Kind::none:
      return std::string_view{};
    case Kind::length: {
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left_, data.size()));
      left_ -= count;
      ended_ = left_ == 0;
      read_buffer_->consume(count);
      return data.substr(0, count);
    }
    case Kind::until_close:
      read_buffer_->consume(data.size());
      return data;
    case Kind::chunked:
      return take_chunks();
  }
  return std::string_view{};
}

/// Takes all chunks that have arrived and joins their bytes in place, because small chunks that are forwarded one by
/// one would cost a system call each.
Result<std::string_view> H1Body::take_chunks() {
  char* const start = read_buffer_->place();
  auto rest = read_buffer_->data();
  std::size_t first = 0;
  std::size_t end = 0;
  while (!ended_ && !broken_) {
    const auto step = chunks_.next(rest);
    if (step.has_error()) {
      broken_ = boost::system::errc::make_error_code(meaning(step.error()));
      break;
    }
    if (!step->data.empty()) {
      const auto at = static_cast<std::size_t>(step->data.data() - start);
      if (end == 0) first = end = at;
      if (end != at) std::memmove(start + end, start + at, step->data.size());
      end += step->data.size();
    }
    rest.remove_prefix(step->consumed);
    ended_ = step->ended;
    if (step->consumed == 0 || rest.empty()) break;
  }
  read_buffer_->consume(read_buffer_->data().size() - rest.size());
  // Data before the malformed part is returned first, and the error by the next call.
  if (broken_ && end == first) return broken_;
  return std::string_view(start + first, end - first);
}

const http::Fields& H1Body::trailers() const noexcept {
  static const http::Fields kNone;
  return framing_.kind == Kind::chunked ? chunks_.trailers() : kNone;
}

std::uint64_t H1Body::most_left() const noexcept {
  if (ended_ || broken_) return 0;
  return framing_.kind == Kind::length ? left_ : std::numeric_limits<std::uint64_t>::max();
}

Result<std::string_view> H1Body::ready() {
  return ended_ || read_buffer_->data().empty() ? std::string_view{} : take();
}

Task<Result<std::string_view>> H1Body::read() {
  Duration silent{0};
  while (!ended_) {
    if (!read_buffer_->data().empty()) {
      auto taken = take();
      if (taken.has_error() || !taken->empty() || ended_) co_return taken;
    }
    if (before_wait_) {
      const auto action = std::exchange(before_wait_, nullptr);
      auto done = co_await action(owner_);
      if (done.has_error()) co_return done.error();
    }
    // The rest of a long body is read in larger blocks, but not before more of it has arrived than fits into a small
    // block. So a body costs no memory because of its announced length alone.
    if (read_buffer_->data().empty() && read_buffer_->filled() &&
        (framing_.kind != Kind::length || left_ > 16UL * 1024))
      read_buffer_->grow();
    const auto pace = rule_();
    auto longest = timeout_ - silent;
    if (pace.rate != 0) longest = std::min(longest, pace_.begin(std::chrono::steady_clock::now(), pace));
    auto got = co_await read_buffer_->fill(longest);
    if (pace.rate != 0) {
      const auto waited = pace_.end(std::chrono::steady_clock::now());
      if (got.has_value()) received_ += *got;
      silent = got.has_value() ? Duration(0) : silent + waited;
      const bool over = got.has_error() && got.error() == boost::asio::error::timed_out;
      if (!over || silent < timeout_) {
        if (!pace_.keeps_up(received_)) co_return too_slow();
        if (over) continue;
      }
    }
    if (got.has_value()) continue;
    if (got.error() != boost::asio::error::eof || framing_.kind != Kind::until_close) co_return got.error();
    ended_ = true;
  }
  co_return std::string_view{};
}

Stream::WriteAll H1Output::send(std::string_view head, std::string_view bytes, http::EndStream last,
                                Duration timeout) noexcept {
  using namespace std::string_view_literals;
  std::array<std::string_view, Stream::kMaxPieces> pieces{head, bytes};
  if (chunked_) {
    if (!bytes.empty()) pieces = {head, http::h1::chunk_line(bytes.size(), line_), bytes, "\r\n"sv};
    if (last == http::EndStream::yes) pieces[bytes.empty() ? 1 : 3] = bytes.empty() ? "0\r\n\r\n"sv : "\r\n0\r\n\r\n"sv;
  }
  for (const auto& piece : pieces) bytes_ += piece.size();
  return stream_->write_all(pieces, timeout);
}

Stream::WriteAll H1Output::finish(const http::Fields& trailers, TextBuffer& room, Duration timeout) {
  const std::array<std::string_view, 1> pieces{chunked_ ? http::h1::write_last_chunk(room, trailers)
                                                        : std::string_view()};
  bytes_ += pieces[0].size();
  return stream_->write_all(pieces, timeout);
}

}  // namespace headgate::net
