#include "compressed_reply.hpp"

#include "compressible.hpp"
#include "gateway/record/access_record.hpp"
#include "vary.hpp"

#include "headgate/gateway/exchange_counters.hpp"
#include "headgate/http/fields.hpp"

#include <boost/asio/error.hpp>

namespace headgate::gateway {
namespace {

using http::EndStream;
using http::Framing;
using http::Known;

constexpr std::size_t kStep = 16UL * 1024;

/// Of the body that a GET gets; nothing: it is not known.
std::optional<std::uint64_t> size_of(const Exchange& x, const http::ReplyStart& start) {
  if (start.framing.kind == Framing::Kind::length) return start.framing.length;
  if (!x.request.head())
    return start.framing.kind == Framing::Kind::none ? std::optional<std::uint64_t>(0) : std::nullopt;
  const auto length = http::value_of(x.fields, Known::content_length);
  std::uint64_t out = 0;
  for (const char c : length) out = out * 10 + static_cast<std::uint64_t>(c - '0');  // the codec has read it already
  return length.empty() ? std::nullopt : std::optional(out);
}

bool is_event_stream(const http::Fields& fields) {
  constexpr std::string_view kEvents = "text/event-stream";
  return same_word(http::value_of(fields, Known::content_type).substr(0, kEvents.size()), kEvents);
}

}  // namespace

CompressedReply::CompressedReply(Exchange& x, net::LentBytes::Share* lent) : x_(x), to_(*x.reply), lent_(lent) {
  x.reply = this;
}

void CompressedReply::count_memory() noexcept {
  const auto now = encoder_ ? encoder_->memory() + kStep : 0;
  if (lent_ != nullptr) lent_->add(static_cast<std::int64_t>(now) - static_cast<std::int64_t>(counted_));
  counted_ = now;
}

void CompressedReply::end() noexcept {
  encoder_.reset();
  out_.reset();
  count_memory();
}

/// False if there is no memory for it: then the answer goes out as it is. Slow readers hold what it takes, which is far
/// more than a connection needs: half of the bound is left to connections.
bool CompressedReply::begins(std::optional<std::uint64_t> size) {
  const auto bound = x_.snapshot->compiled->options().buffered;
  if (bound == 0 || lent_ == nullptr || lent_->all() < bound / 2)
    encoder_ = compress::make_encoder(*coding_, x_.route->options->compression->level, size);
  if (!encoder_) {
    x_.snapshot->counters->not_compressed();
    return false;
  }
  out_ = std::make_unique_for_overwrite<char[]>(kStep);
  count_memory();
  return true;
}

std::string_view CompressedReply::fill(std::string_view& bytes, Upto upto) noexcept {
  std::span<char> room(out_.get(), kStep);
  const auto all = bytes.size();
  progress_ = encoder_->encode(bytes, room, upto);
  before_ += all - bytes.size();
  const auto made = kStep - room.size();
  after_ += made;
  if (made == 0 && progress_ == Progress::more) progress_ = Progress::failed;  // it would never end
  count_memory();
  return {out_.get(), made};
}

CompressedReply::Upto CompressedReply::upto(EndStream last) const noexcept {
  return last == EndStream::yes ? Upto::end : each_piece_ ? Upto::here : Upto::whatever;
}

/// Whether the answer is compressed; then its first bytes are encoded.
bool CompressedReply::compresses(const http::ReplyStart& start, std::string_view first, EndStream last) {
  const auto& compression = *x_.route->options->compression;
  const auto size = size_of(x_, start);
  if (!is_compressible(x_, compression, start.status, size)) return false;
  const bool own = x_.attempts == 0;
  if (own && size.value_or(0) > kMaxOwnCompressed) return false;
  vary_by(x_, "Accept-Encoding", x_.fields);
  coding_ = coding_for_client(x_, compression);
  if (!coding_) return false;
  start_ = start;
  if (x_.request.head()) {
    start_.framing = {};  // the length is known only when the body was encoded (section 9.3.2)
    return true;
  }
  each_piece_ = start.framing.kind == Framing::Kind::unknown || is_event_stream(x_.fields);
  if (begins(size)) {
    made_ = fill(first, upto(last));
    const bool whole = last == EndStream::yes && progress_ == Progress::done;
    if (progress_ != Progress::failed && !(whole && made_.size() >= before_)) {
      start_.framing = whole ? Framing{Framing::Kind::length, made_.size()} : Framing{Framing::Kind::unknown, 0};
      return true;
    }
    end();
    before_ = after_ = 0;
  }
  coding_.reset();
  return false;
}

// Not a coroutine: what is not compressed needs no frame for this.
Task<Result<void>> CompressedReply::send(const http::ReplyStart& start, std::string_view first, EndStream last) {
  const bool coded = compresses(start, first, last);
  if (coded)
    mark_compressed(x_, *coding_);
  else if (start.status == 304)
    mark_not_modified(x_, *x_.route->options->compression);
  if (x_.route->logs_answer) note_logged_answer(x_);
  if (!coded) return to_.send(start, first, last);
  if (!encoder_) {  // HEAD
    coding_.reset();
    return to_.send(start_, {}, last);
  }
  return send_first(first.substr(before_), last);
}

Task<Result<void>> CompressedReply::send_first(std::string_view rest, EndStream last) {
  const auto how = upto(last);
  const bool whole = how == Upto::end && progress_ == Progress::done;
  const auto sent = co_await to_.send(start_, made_, whole ? EndStream::yes : EndStream::no);
  if (sent.has_error() || progress_ == Progress::done) {
    if (whole) end();
    co_return sent;
  }
  co_return co_await write_on(rest, how, last);
}

Task<Result<void>> CompressedReply::write(std::string_view bytes, EndStream last) {
  if (!encoder_) return to_.write(bytes, last);
  return write_on(bytes, upto(last), last);
}

/// `last`: of the answer, which trailers may follow though its bytes end here.
Task<Result<void>> CompressedReply::write_on(std::string_view bytes, Upto how, EndStream last) {
  do {
    made_ = fill(bytes, how);
    if (progress_ == Progress::failed) co_return error_code(boost::asio::error::no_memory);
    const bool ends = last == EndStream::yes && progress_ == Progress::done;
    if (made_.empty() && !ends) continue;
    const auto sent = co_await to_.write(made_, ends ? EndStream::yes : EndStream::no);
    if (sent.has_error()) co_return sent;
  } while (progress_ == Progress::more);
  if (how == Upto::end) end();
  co_return Result<void>{};
}

Task<Result<void>> CompressedReply::finish(const http::Fields& trailers) {
  if (!encoder_) return to_.finish(trailers);
  return finish_after(trailers);
}

Task<Result<void>> CompressedReply::finish_after(const http::Fields& trailers) {
  const auto sent = co_await write_on({}, Upto::end, EndStream::no);
  if (sent.has_error()) co_return sent;
  http::Fields kept = trailers;
  std::erase_if(kept, is_made_over_bytes);
  co_return co_await to_.finish(kept);
}

}  // namespace headgate::gateway
