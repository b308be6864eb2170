#include "compressed_reply.hpp"

#include "compressible.hpp"
#include "gateway/record/access_record.hpp"
#include "vary.hpp"

#include "headgate/compress/memory.hpp"
#include "headgate/gateway/delay.hpp"
#include "headgate/http/fields.hpp"
#include "headgate/observe/families/upstreams.hpp"

#include <charconv>
#include <utility>

namespace headgate::gateway {
namespace {

using http::EndStream;
using http::Framing;
using http::Known;

constexpr std::size_t kStep = 16UL * 1024;
constexpr std::size_t kMaxTaken = 32UL * 1024;  ///< maximum number of bytes of the body that one step encodes
constexpr std::size_t kTurn = 64UL * 1024;

/// Returns the total size in a Content-Range such as "bytes 0-9/5000"; empty if the field does not state it.
std::optional<std::uint64_t> size_of_whole(std::string_view content_range) {
  const auto slash = content_range.rfind('/');
  if (slash == content_range.npos) return std::nullopt;
  const auto* const end = content_range.data() + content_range.size();
  std::uint64_t out = 0;
  const auto [last, error] = std::from_chars(content_range.data() + slash + 1, end, out);
  return error == std::errc() && last == end ? std::optional(out) : std::nullopt;
}

/// Returns the size of the body that a GET without a range would get; empty if it is unknown.
std::optional<std::uint64_t> size_of(const Exchange& x, const http::ReplyStart& start) {
  if (start.status == 206) return size_of_whole(http::value_of(x.fields, Known::content_range));
  // A 304 has no body. The size of the full answer is known only if the route has a fixed answer.
  if (start.status == 304)
    return x.attempts == 0 && x.route->respond ? std::optional(x.route->respond->body.size()) : std::nullopt;
  if (start.framing.kind == Framing::Kind::length) return start.framing.length;
  if (!x.request.head())
    return start.framing.kind == Framing::Kind::none ? std::optional<std::uint64_t>(0) : std::nullopt;
  const auto length = http::value_of(x.fields, Known::content_length);
  std::uint64_t out = 0;
  // The codec has already validated the digits.
  for (const char c : length) out = out * 10 + static_cast<std::uint64_t>(c - '0');
  return length.empty() ? std::nullopt : std::optional(out);
}

bool is_event_stream(const http::Fields& fields) {
  constexpr std::string_view kEvents = "text/event-stream";
  return same_word(http::value_of(fields, Known::content_type).substr(0, kEvents.size()), kEvents);
}

}  // namespace

CompressionCounters::CompressionCounters(const Counting& counting) {
  namespace family = observe::family;
  if (!counting.any_takes(kStep)) return;
  auto& registry = counting.registry;
  for (std::size_t i = 0; i < codings.size(); ++i) {
    const std::string coding(compress::kCodingWords[i]);
    codings[i] = {.answers = &registry.counter(counting.worker, family::compressed, {coding}),
                  .bytes_before = &registry.counter(counting.worker, family::compressed_bytes, {coding, "before"}),
                  .bytes_after = &registry.counter(counting.worker, family::compressed_bytes, {coding, "after"})};
  }
  no_memory = &registry.counter(counting.worker, family::not_compressed, {});
}

void CompressionCounters::count(const Exchange& x) const {
  if (!x.compressed || !x.compressed->coding()) return;
  const auto& of_coding = codings[static_cast<std::size_t>(*x.compressed->coding())];
  of_coding.answers->add();
  of_coding.bytes_before->add(x.compressed->bytes_before());
  of_coding.bytes_after->add(x.compressed->bytes_after());
}

CompressedReply::CompressedReply(Exchange& x, std::shared_ptr<EncoderPlaces> places)
    : x_(x), to_(*x.reply), places_(std::move(places)) {
  x.reply = this;
}

void CompressedReply::end() noexcept {
  encoder_.reset();
  out_.reset();
  places_->give_back(place_);
}

/// Takes a place for an encoder and creates the encoder. Returns false if there is no place or not enough memory; the
/// answer is then sent uncompressed.
bool CompressedReply::begins(std::optional<std::uint64_t> size) {
  const auto level = x_.route->options->compression->level;
  const auto address = x_.caller.ip_key.empty() ? x_.peer_text : x_.caller.ip_key;
  const auto bytes = compress::most_memory(*coding_, level) + kStep;
  if (!places_->take(address, bytes, x_.snapshot->compiled->options().buffered, place_)) return false;
  encoder_ = compress::make_encoder(*coding_, level, size);
  if (!encoder_) {
    end();
    return false;
  }
  out_ = std::make_unique_for_overwrite<char[]>(kStep);
  return true;
}

std::string_view CompressedReply::fill(std::string_view& bytes, Upto upto) noexcept {
  std::span<char> room(out_.get(), kStep);
  auto some = bytes.substr(0, kMaxTaken);
  const bool all = some.size() == bytes.size();
  progress_ = encoder_->encode(some, room, all ? upto : Upto::whatever);
  const auto taken = std::min(kMaxTaken, bytes.size()) - some.size();
  bytes.remove_prefix(taken);
  before_ += taken;
  this_turn_ += taken;
  const auto made = kStep - room.size();
  after_ += made;
  if (progress_ == Progress::done && !all) progress_ = Progress::more;
  // An encoder that takes nothing and makes nothing would keep the loop running for ever.
  if (made == 0 && taken == 0 && progress_ == Progress::more) progress_ = Progress::failed;
  return {out_.get(), made};
}

CompressedReply::Upto CompressedReply::upto(EndStream last) const noexcept {
  return last == EndStream::yes ? Upto::end : each_piece_ ? Upto::here : Upto::whatever;
}

/// Decides whether the answer is compressed, and returns the decision. If it is compressed, encodes its first bytes,
/// except for HEAD.
bool CompressedReply::compresses(const http::ReplyStart& start, std::string_view first, EndStream last) {
  const auto& compression = *x_.route->options->compression;
  const auto size = size_of(x_, start);
  const bool own = x_.attempts == 0;
  if (own && size.value_or(0) > kMaxOwnCompressed) return false;
  if (start.status == 304) {
    mark_not_modified(x_, compression, size);
    return false;
  }
  if (!may_vary(x_, compression, start.status, size)) return false;
  vary_by(x_, "Accept-Encoding", x_.fields);
  if (start.status == 206) return false;
  // Without a size it is not known whether the answer to a GET would be large enough to be compressed.
  if (x_.request.head() && !size) return false;
  coding_ = coding_for_client(x_, compression);
  if (!coding_) return false;
  start_ = start;
  start_.trailers = nullptr;  // The encoder may still have output that must be sent before the trailers.
  if (x_.request.head()) {
    start_.framing = {};  // The length is known only after the body has been encoded (section 9.3.2).
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
    if (progress_ == Progress::failed) x_.snapshot->counters->of<CompressionCounters>().no_memory->add();
    end();
    before_ = after_ = 0;
  } else {
    x_.snapshot->counters->of<CompressionCounters>().no_memory->add();
  }
  coding_.reset();
  return false;
}

// This function is not a coroutine because an uncompressed answer needs no frame for it.
Task<Result<void>> CompressedReply::send(const http::ReplyStart& start, std::string_view first, EndStream last) {
  if (passes_) return to_.send(start, first, last);
  const bool coded = compresses(start, first, last);
  if (coded) mark_compressed(x_, *coding_);
  if (x_.route->logged) note_logged_answer(x_);
  if (!coded) return to_.send(start, first, last);
  if (!encoder_) {  // Only an answer to HEAD has no encoder here.
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

/// Encodes and writes `bytes`. `last` says whether the answer ends here; trailers may still follow the last bytes.
Task<Result<void>> CompressedReply::write_on(std::string_view bytes, Upto how, EndStream last) {
  do {
    if (this_turn_ >= kTurn) {
      this_turn_ = 0;
      Delay turn(*x_.clock, Duration(0));
      co_await turn;
    }
    made_ = fill(bytes, how);
    if (progress_ == Progress::failed) co_return compression_failed();
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
