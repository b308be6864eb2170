#include "headgate/net/http_call.hpp"

#include "headgate/core/literals.hpp"
#include "headgate/core/text.hpp"
#include "headgate/net/descriptors.hpp"
#include "headgate/net/read_message.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <algorithm>
#include <array>
#include <exception>

namespace headgate::net {
namespace {

namespace beast_http = boost::beast::http;
using AnswerParser = beast_http::response_parser<beast_http::string_body>;
using ConnectedTo = ConnectError::At;

constexpr std::uint32_t kMaxAnswerHead = 16 * 1024;
constexpr unsigned kMaxInterim = 32;
constexpr std::size_t kAnswerBlock = 2UL * kMaxAnswerHead;

HttpResult no_answer(std::string why) { return HttpResult(boost::system::in_place_error, std::move(why)); }

std::string request_head(const HttpRequest& request) {
  const auto host = request.host.empty() ? authority(request.url) : request.host;
  std::string out = request.method + ' ' + request.url.target + " HTTP/1.1\r\nHost: " + host +
                    "\r\nUser-Agent: headgate/" HEADGATE_VERSION "\r\n" + request.fields + "Connection: close\r\n";
  if (request.method != "GET") out += "Content-Length: " + std::to_string(request.body.size()) + "\r\n";
  return out + "\r\n";
}

std::string why_unread(const error_code& ec, std::uint64_t max_body) {
  if (ec == beast_http::error::body_limit) return "its answer has more than " + size_text(max_body);
  if (ec == beast_http::error::header_limit) return "the head of its answer has more than " + size_text(kMaxAnswerHead);
  if (ec == beast_http::error::end_of_stream) return "it closed the connection without an answer";
  if (ec == beast_http::error::partial_message) return "it closed the connection in the middle of its answer";
  return "its answer cannot be read: " + ec.message();
}

std::string why_not_connected(const ConnectError& why) {
  if (why.at == ConnectedTo::name) return "its name cannot be resolved: " + why.reason;
  if (why.at == ConnectedTo::address && is_own_want(why.code)) return kOwnWant;
  if (why.at == ConnectedTo::address) return "no connection can be opened: " + why.reason;
  return (why.distrusted ? "" : "TLS failed: ") + why.reason;
}

HttpReply head_of(const AnswerParser& parser) {
  HttpReply out;
  out.status = parser.get().result_int();
  for (const auto& field : parser.get()) {
    const auto name = field.name_string();
    const auto value = field.value();
    out.fields.emplace_back(std::string(name.data(), name.size()), std::string(value.data(), value.size()));
  }
  return out;
}

/// Reads one message to its end. Fills `head` as soon as the head of a final answer is complete.
Task<error_code> read_answer(ReadBuffer& buffer, AnswerParser& parser, std::optional<HttpReply>& head) {
  const auto left = [] { return kForever; };
  const auto noted = [&] {
    if (!head && parser.is_header_done() && parser.get().result_int() >= 200) head = head_of(parser);
  };
  co_return co_await read_message(buffer, parser, left, noted);
}

}  // namespace

std::string_view HttpReply::field(std::string_view name) const noexcept {
  const auto found =
      std::find_if(fields.begin(), fields.end(), [name](const auto& one) { return same_word(one.first, name); });
  return found == fields.end() ? std::string_view() : std::string_view(found->second);
}

std::shared_ptr<HttpCall> HttpCall::start(boost::asio::io_context& loop, HttpRequest request, Done done) {
  std::shared_ptr<HttpCall> call(new HttpCall(loop, std::move(request), std::move(done)));
  call->deadline_.expires_after(call->request_.deadline);
  call->deadline_.async_wait([call](const error_code& ec) {
    if (!ec) call->finish(call->without_rest(call->too_late()));
  });
  // The call is posted, because an error before the first wait would otherwise call `done` before this function has
  // returned.
  boost::asio::post(loop, [call] {
    if (call->done_) spawn(run(call), "http_call");
  });
  return call;
}

HttpCall::HttpCall(boost::asio::io_context& loop, HttpRequest request, Done done)
    : request_(std::move(request)),
      done_(std::move(done)),
      connector_(loop, Timers::of(loop), request_.url.host, request_.url.port),
      deadline_(loop) {}

Task<void> HttpCall::run(std::shared_ptr<HttpCall> self) {
  auto result = no_answer({});
  try {
    result = co_await self->ask();
  } catch (const std::exception& bug) {
    result = no_answer(bug.what());
  }
  self->finish(std::move(result));
}

void HttpCall::cancel() {
  done_ = nullptr;
  deadline_.cancel();
  // The look-up of a name cannot be cancelled; its result is ignored.
  connector_.stop();
  if (const auto stream = stream_) stream->close();
}

void HttpCall::finish(HttpResult result) {
  const auto self = shared_from_this();
  const auto done = std::exchange(done_, nullptr);
  cancel();
  if (done) done(std::move(result));
}

HttpResult HttpCall::without_rest(std::string why) {
  if (!head_) return no_answer(std::move(why));
  auto reply = std::move(*head_);
  reply.unfinished = std::move(why);
  return reply;
}

std::string HttpCall::too_late() const {
  return "not done within " + headgate::to_text(request_.deadline) + ": still " + std::string(step());
}

std::string_view HttpCall::step() const noexcept {
  if (!step_.empty()) return step_;
  switch (connector_.at()) {
    case ConnectedTo::name:
      return "resolving its name";
    case ConnectedTo::address:
      return "connecting to it";
    case ConnectedTo::handshake:
      break;
  }
  return "in its TLS handshake";
}

Task<HttpResult> HttpCall::ask() {
  auto connected = co_await connect();
  if (connected.has_error()) co_return no_answer(connected.error());
  stream_ = std::move(*connected);
  co_return co_await exchange();
}

Task<Result<StreamPtr, std::string>> HttpCall::connect() {
  using Made = Result<StreamPtr, std::string>;
  ConnectOptions options{.whole = request_.deadline};
  if (request_.tls) {
    options.tls = request_.tls;
  } else if (request_.url.scheme == Scheme::https) {
    auto trusted = request_.trust->context();
    if (trusted.has_error()) co_return Made(boost::system::in_place_error, trusted.error());
    options.tls = std::move(*trusted);
  }
  connector_.use(request_.addresses);
  auto connected = co_await connector_.connect(options);
  if (connected.has_value()) co_return Made(std::move(connected->stream));
  const auto& why = connected.error();
  if (request_.trust && why.at == ConnectedTo::handshake && why.code != boost::asio::error::operation_aborted)
    request_.trust->doubt();
  // The connector has the same deadline, and may report it first.
  const bool late = why.code == boost::asio::error::timed_out && deadline_.expiry() <= std::chrono::steady_clock::now();
  co_return Made(boost::system::in_place_error, late ? too_late() : why_not_connected(why));
}

/// Sends the request and reads the answer. The waits have no deadlines of their own: the deadline of the call ends each
/// of them, and reports the step that was under way.
Task<HttpResult> HttpCall::exchange() {
  const auto stream = stream_;  // closed by cancel()
  step_ = "sending the request";
  const std::string head = request_head(request_);
  const std::array<std::string_view, 2> pieces{head, request_.body};
  const auto sent = co_await stream->write_all(pieces, kForever);
  if (sent.has_error()) co_return no_answer("the request cannot be sent: " + sent.error().message());

  step_ = "waiting for its answer";
  Blocks blocks{{kAnswerBlock, 0}, {kAnswerBlock, 0}};
  ReadBuffer buffer(stream, blocks);
  for (unsigned interim = 0; interim <= kMaxInterim; ++interim) {
    AnswerParser parser;
    parser.header_limit(kMaxAnswerHead);
    parser.body_limit(request_.max_body);
    parser.eager(true);
    const error_code unread = co_await read_answer(buffer, parser, head_);
    if (unread) co_return without_rest(why_unread(unread, request_.max_body));
    // An interim answer (RFC 9110 section 15.2) is a whole message; the final one follows it.
    if (!head_) continue;
    head_->body = std::move(parser.get().body());
    co_return std::move(*head_);
  }
  co_return no_answer("it keeps sending interim answers");
}

}  // namespace headgate::net
