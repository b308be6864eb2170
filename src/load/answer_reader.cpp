#include "answer_reader.hpp"

#include "headgate/core/whole_number.hpp"
#include "headgate/http/date.hpp"
#include "headgate/net/read_message.hpp"

#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/optional/optional.hpp>

#include <algorithm>
#include <chrono>
#include <string>

namespace headgate::load {
namespace {

namespace beast_http = boost::beast::http;
using SteadyMoment = std::chrono::steady_clock::time_point;

constexpr unsigned kMaxInterim = 32;
constexpr std::uint32_t kMaxHead = 16 * 1024;
constexpr auto kLongestWait = std::chrono::hours(24 * 366);

/// A body type for Beast's parsers that keeps only the size of the body and its beginning.
struct CountedBody {
  static constexpr std::size_t kKept = 512;
  struct value_type {
    std::uint64_t size = 0;
    std::string begin;
  };
  class reader {
   public:
    template <bool kIsRequest, class F>
    reader(beast_http::header<kIsRequest, F>& /*head*/, value_type& body) : body_(body) {}
    // The names and forms below are those of Beast.
    void init(const boost::optional<std::uint64_t>& /*length*/, error_code& ec) { ec = {}; }
    template <class Buffers>
    std::size_t put(const Buffers& buffers, error_code& ec) {
      ec = {};
      const auto bytes = boost::asio::buffer_size(buffers);
      body_.size += bytes;
      if (const auto had = body_.begin.size(); had < kKept) {
        body_.begin.resize(std::min(kKept, had + bytes));
        boost::asio::buffer_copy(boost::asio::buffer(body_.begin.data() + had, body_.begin.size() - had), buffers);
      }
      return bytes;
    }
    void finish(error_code& ec) { ec = {}; }

   private:
    value_type& body_;
  };
};
using AnswerParser = beast_http::response_parser<CountedBody>;

std::string_view field_of(const AnswerParser& parser, std::string_view name) {
  const auto found = parser.get().find({name.data(), name.size()});
  if (found == parser.get().end()) return {};
  const auto value = found->value();
  return {value.data(), value.size()};
}

/// Retry-After-Ms is specific to headgate and exact; Retry-After has whole seconds.
std::optional<Duration> wait_of(const AnswerParser& parser) {
  if (const auto exact = field_of(parser, "Retry-After-Ms"); !exact.empty()) {
    if (const auto value = whole_number<std::int64_t>(exact, 0, std::chrono::milliseconds(kLongestWait).count()))
      return std::chrono::milliseconds(*value);
  }
  return http::read_retry_after(field_of(parser, "Retry-After"), now(), kLongestWait);
}

SeenAnswer seen_by(const AnswerParser& parser) {
  SeenAnswer out;
  out.status = parser.get().result_int();
  out.bytes = parser.get().body().size;
  out.ticket = field_of(parser, "Waiting-Room-Ticket");
  const bool refused = out.status == 429 || out.status == 503;
  if (refused) out.wait = wait_of(parser);
  // The first answer of a waiting room has a ticket. Later answers can only be recognised by their body.
  out.in_line = refused && (!out.ticket.empty() ||
                            parser.get().body().begin.find(R"("code": "waiting_room")") != std::string::npos);
  return out;
}

/// Reads one message, which may be interim, to its end.
Task<error_code> read_one(net::ReadBuffer& buffer, AnswerParser& parser, bool& began, SteadyMoment until) {
  const auto left = [until] { return std::chrono::duration_cast<Duration>(until - std::chrono::steady_clock::now()); };
  const auto noted = [&began] { began = true; };
  co_return co_await net::read_message(buffer, parser, left, noted);
}

}  // namespace

Task<ReadAnswer> read_answer(net::ReadBuffer& buffer, bool head_only, SteadyMoment until) {
  ReadAnswer out;
  for (unsigned interim = 0; interim <= kMaxInterim; ++interim) {
    AnswerParser parser;
    parser.header_limit(kMaxHead);
    parser.body_limit(boost::none);
    parser.eager(true);
    parser.skip(head_only);
    out.failed = co_await read_one(buffer, parser, out.began, until);
    if (out.failed) co_return out;
    // An interim answer (RFC 9110 section 15.2) is a whole message; the final one follows it.
    if (parser.get().result_int() < 200 && parser.get().result_int() != 101) continue;
    out.seen = seen_by(parser);
    out.keep_alive = parser.keep_alive() && buffer.data().empty();
    co_return out;
  }
  out.failed = beast_http::error::bad_status;
  co_return out;
}

}  // namespace headgate::load
