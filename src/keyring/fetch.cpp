#include "fetch.hpp"

#include "trust.hpp"

#include "headgate/core/literals.hpp"
#include "headgate/keyring/schedule.hpp"
#include "headgate/net/read_buffer.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <array>
#include <exception>
#include <utility>

namespace headgate::keyring {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using At = net::ConnectError::At;
using Parser = http::response_parser<http::string_body>;

constexpr std::uint32_t kMaxHead = 16 * 1024;
constexpr std::uint64_t kMaxBody = 1024UL * 1024;
constexpr std::size_t kMaxEtag = 256;
constexpr unsigned kMaxInterim = 32;
constexpr std::size_t kMaxQuoted = 200;
constexpr std::size_t kBlock = 2UL * kMaxHead;

FetchResult failed(std::string why) { return FetchResult(boost::system::in_place_error, std::move(why)); }

std::string get(const FetchRequest& request) {
  std::string out = "GET " + request.url.target + " HTTP/1.1\r\nHost: " + authority(request.url) +
                    "\r\nUser-Agent: headgate/" HEADGATE_VERSION
                    "\r\nAccept: application/jwk-set+json, application/json\r\nConnection: close\r\n";
  if (!request.etag.empty()) out += "If-None-Match: " + request.etag + "\r\n";
  return out + "\r\n";
}

std::string why_unread(const error_code& ec) {
  if (ec == http::error::body_limit) return "its answer has more than " + size_text(kMaxBody);
  if (ec == http::error::header_limit) return "the head of its answer has more than " + size_text(kMaxHead);
  if (ec == http::error::end_of_stream) return "it closed the connection without an answer";
  if (ec == http::error::partial_message) return "it closed the connection in the middle of its answer";
  return "its answer cannot be read: " + ec.message();
}

using Reply = http::response<http::string_body>;

std::string field(const Reply& reply, http::field name) {
  const auto value = reply[name];
  return {value.data(), value.size()};
}

/// The result of a complete answer.
FetchResult judge(Reply reply, bool had_some) {
  const unsigned status = reply.result_int();
  auto to = field(reply, http::field::location).substr(0, kMaxQuoted);
  if (const auto query = to.find('?'); query != to.npos) to.replace(query, to.npos, "?...");
  if (status != 304 && status / 100 == 3 && !to.empty())
    return failed("it redirects to " + to + ", which is not followed; if that is where the keys are, write that URL");
  if (status != 200 && !(status == 304 && had_some)) return failed("it answered " + std::to_string(status));

  Fetched out;
  out.unchanged = status == 304;
  out.lifetime = lifetime(field(reply, http::field::cache_control), field(reply, http::field::age));
  out.etag = field(reply, http::field::etag);
  if (out.etag.size() > kMaxEtag) out.etag.clear();
  out.body = std::move(reply.body());
  return out;
}

/// Reads one message to its end.
Task<error_code> read(net::ReadBuffer& buffer, Parser& parser, Duration timeout) {
  while (!parser.is_done()) {
    error_code ec;
    const auto data = buffer.data();
    if (!data.empty()) {
      buffer.consume(parser.put(asio::buffer(data.data(), data.size()), ec));
      if (ec && ec != http::error::need_more) co_return ec;
      if (!ec) continue;
    }
    const auto got = co_await buffer.fill(timeout);
    if (got.has_value()) continue;
    if (got.error() != asio::error::eof) co_return got.error();
    if (!parser.got_some()) co_return error_code(http::error::end_of_stream);
    parser.put_eof(ec);
    co_return ec;
  }
  co_return error_code();
}

std::string why_not_connected(const net::ConnectError& why) {
  if (why.at == At::name) return "its name cannot be looked up: " + why.reason;
  if (why.at == At::address) return "it cannot be connected to: " + why.reason;
  return (why.distrusted ? "" : "TLS failed: ") + why.reason;
}

}  // namespace

std::shared_ptr<Fetch> Fetch::start(asio::io_context& loop, FetchRequest request, Done done) {
  std::shared_ptr<Fetch> fetch(new Fetch(loop, std::move(request), std::move(done)));
  fetch->deadline_.expires_after(fetch->request_.deadline);
  fetch->deadline_.async_wait([fetch](const error_code& ec) {
    if (ec) return;
    const auto most = headgate::to_text(fetch->request_.deadline);
    fetch->finish(failed("not done within " + most + ": still " + std::string(fetch->step())));
  });
  spawn(run(fetch), "fetch");
  return fetch;
}

Fetch::Fetch(asio::io_context& loop, FetchRequest request, Done done)
    : request_(std::move(request)),
      done_(std::move(done)),
      connector_(loop, net::Timers::of(loop), request_.url.host, request_.url.port),
      deadline_(loop) {}

Task<void> Fetch::run(std::shared_ptr<Fetch> self) {
  auto result = failed({});
  try {
    result = co_await self->ask();
  } catch (const std::exception& bug) {
    result = failed(bug.what());
  }
  self->finish(std::move(result));
}

void Fetch::cancel() {
  done_ = nullptr;
  deadline_.cancel();
  // A look-up of a name cannot be cancelled; its result is then ignored.
  connector_.stop();
  if (const auto stream = stream_) stream->close();
}

void Fetch::finish(FetchResult result) {
  const auto self = shared_from_this();
  const auto done = std::exchange(done_, nullptr);
  cancel();
  if (done) done(std::move(result));
}

std::string_view Fetch::step() const noexcept {
  if (!step_.empty()) return step_;
  switch (connector_.at()) {
    case At::name:
      return "looking up its name";
    case At::address:
      return "connecting to it";
    case At::handshake:
      break;
  }
  return "in its TLS handshake";
}

Task<FetchResult> Fetch::ask() {
  auto connected = co_await connect();
  if (connected.has_error()) co_return failed(connected.error());
  stream_ = std::move(*connected);
  co_return co_await exchange();
}

Task<Result<net::StreamPtr, std::string>> Fetch::connect() {
  using Made = Result<net::StreamPtr, std::string>;
  net::ConnectOptions terms{.whole = request_.deadline};
  if (request_.url.scheme == Scheme::https) {
    auto trusted = request_.trust->context();
    if (trusted.has_error()) co_return Made(boost::system::in_place_error, trusted.error());
    terms.tls = std::move(*trusted);
  }
  auto connected = co_await connector_.connect(terms);
  if (connected.has_value()) co_return Made(std::move(connected->stream));
  const auto& why = connected.error();
  if (why.at == At::handshake && why.code != asio::error::operation_aborted) request_.trust->doubt();
  co_return Made(boost::system::in_place_error, why_not_connected(why));
}

Task<FetchResult> Fetch::exchange() {
  const auto stream = stream_;  // cancel() closes it
  step_ = "sending the request";
  const std::string request = get(request_);
  const std::array<std::string_view, 1> pieces{request};
  const auto sent = co_await stream->write_all(pieces, request_.deadline);
  if (sent.has_error()) co_return failed("the request cannot be sent: " + sent.error().message());

  step_ = "waiting for its answer";
  net::Blocks blocks{{kBlock, 0}, {kBlock, 0}};
  net::ReadBuffer buffer(stream, blocks);
  for (unsigned interim = 0; interim <= kMaxInterim; ++interim) {
    Parser parser;
    parser.header_limit(kMaxHead);
    parser.body_limit(kMaxBody);
    parser.eager(true);
    const error_code unread = co_await read(buffer, parser, request_.deadline);
    if (unread) co_return failed(why_unread(unread));
    // An interim answer (RFC 9110 section 15.2) is a whole message; the final one follows it.
    if (parser.get().result_int() >= 200) co_return judge(parser.release(), !request_.etag.empty());
  }
  co_return failed("it keeps sending interim answers");
}

}  // namespace headgate::keyring
