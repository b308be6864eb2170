#include "fetch.hpp"

#include "trust.hpp"

#include "headgate/core/literals.hpp"
#include "headgate/keyring/schedule.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>

#include <algorithm>
#include <exception>
#include <utility>
#include <vector>

namespace headgate::keyring {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;

constexpr auto kAwait = asio::as_tuple(asio::use_awaitable);
constexpr std::uint32_t kMostHead = 16 * 1024;
constexpr std::uint64_t kMostBody = 1024UL * 1024;
constexpr std::size_t kMostEtag = 256;
constexpr unsigned kMostInterim = 32;
constexpr std::size_t kMostQuoted = 200;

FetchResult failed(std::string why) { return FetchResult(boost::system::in_place_error, std::move(why)); }

std::string get(const FetchRequest& request) {
  std::string out = "GET " + request.url.target + " HTTP/1.1\r\nHost: " + authority(request.url) +
                    "\r\nUser-Agent: headgate/" HEADGATE_VERSION
                    "\r\nAccept: application/jwk-set+json, application/json\r\nConnection: close\r\n";
  if (!request.etag.empty()) out += "If-None-Match: " + request.etag + "\r\n";
  return out + "\r\n";
}

std::string why_unread(const error_code& ec) {
  if (ec == http::error::body_limit) return "its answer has more than " + size_text(kMostBody);
  if (ec == http::error::header_limit) return "the head of its answer has more than " + size_text(kMostHead);
  if (ec == http::error::end_of_stream) return "it closed the connection without an answer";
  if (ec == http::error::partial_message) return "it closed the connection in the middle of its answer";
  return "its answer cannot be read: " + ec.message();
}

using Reply = http::response<http::string_body>;

std::string field(const Reply& reply, http::field name) {
  const auto value = reply[name];
  return {value.data(), value.size()};
}

/// What an answer that was read whole means for the one who asked.
FetchResult judge(Reply reply, bool had_some) {
  const unsigned status = reply.result_int();
  auto to = field(reply, http::field::location).substr(0, kMostQuoted);
  if (const auto query = to.find('?'); query != to.npos) to.replace(query, to.npos, "?...");
  if (status != 304 && status / 100 == 3 && !to.empty())
    return failed("it redirects to " + to + ", which is not followed; if that is where the keys are, write that URL");
  if (status != 200 && !(status == 304 && had_some)) return failed("it answered " + std::to_string(status));

  Fetched out;
  out.unchanged = status == 304;
  out.lifetime = lifetime(field(reply, http::field::cache_control), field(reply, http::field::age));
  out.etag = field(reply, http::field::etag);
  if (out.etag.size() > kMostEtag) out.etag.clear();
  out.body = std::move(reply.body());
  return out;
}

}  // namespace

std::shared_ptr<Fetch> Fetch::start(asio::io_context& loop, FetchRequest request, Done done) {
  std::shared_ptr<Fetch> fetch(new Fetch(loop, std::move(request), std::move(done)));
  fetch->run(loop);
  return fetch;
}

Fetch::Fetch(asio::io_context& loop, FetchRequest request, Done done)
    : request_(std::move(request)), done_(std::move(done)), resolver_(loop), socket_(loop), deadline_(loop) {}

void Fetch::run(asio::io_context& loop) {
  const auto self = shared_from_this();
  deadline_.expires_after(request_.deadline);
  deadline_.async_wait([self](const error_code& ec) {
    if (!ec)
      self->finish(failed("not done within " + headgate::to_text(self->request_.deadline) + ": still " + self->step_));
  });
  asio::co_spawn(loop, ask(), [self](const std::exception_ptr& thrown, FetchResult result) {
    if (!thrown) return self->finish(std::move(result));
    try {
      std::rethrow_exception(thrown);
    } catch (const std::exception& bug) {
      self->finish(failed(bug.what()));
    }
  });
}

void Fetch::cancel() {
  done_ = nullptr;
  deadline_.cancel();
  // A name that is being looked up cannot be hurried: its answer then finds nobody.
  resolver_.cancel();
  error_code ignored;
  socket_.close(ignored);
}

void Fetch::finish(FetchResult result) {
  const auto done = std::move(done_);
  cancel();
  if (done) done(std::move(result));
}

asio::awaitable<FetchResult> Fetch::ask() {
  const auto connected = co_await connect();
  if (connected.has_error()) co_return failed(connected.error());
  if (request_.url.scheme == Scheme::http) co_return co_await exchange(socket_);

  step_ = "in its TLS handshake";
  const auto trusted = request_.trust->context();
  if (trusted.has_error()) co_return failed(trusted.error());
  asio::ssl::stream<tcp::socket&> stream(socket_, **trusted);
  if (!expect_certificate_for(request_.url.host, stream.native_handle()))
    co_return failed("no certificate can be for " + request_.url.host);
  const auto [ec] = co_await stream.async_handshake(asio::ssl::stream_base::client, kAwait);
  if (ec) {
    request_.trust->doubt();
    co_return failed(why_not_trusted(stream.native_handle(), ec));
  }
  co_return co_await exchange(stream);
}

asio::awaitable<Result<void, std::string>> Fetch::connect() {
  using Connected = Result<void, std::string>;
  // Not "address configured": that leaves out ::1 where loopback is all there is.
  const auto [unknown, found] = co_await resolver_.async_resolve(request_.url.host, std::to_string(request_.url.port),
                                                                 tcp::resolver::numeric_service, kAwait);
  if (unknown) co_return Connected(boost::system::in_place_error, "its name cannot be looked up: " + unknown.message());
  if (found.empty()) co_return Connected(boost::system::in_place_error, "its name has no address");
  if (!done_) co_return Connected(boost::system::in_place_error, "nobody waits for it any more");
  std::vector<tcp::endpoint> endpoints;
  endpoints.reserve(found.size());
  for (const auto& entry : found) endpoints.push_back(entry.endpoint());
  // An address that never answers takes the whole deadline; the next try begins with another.
  const auto first = static_cast<std::ptrdiff_t>(request_.turn % endpoints.size());
  std::rotate(endpoints.begin(), endpoints.begin() + first, endpoints.end());

  step_ = "connecting to it";
  const auto [refused, endpoint] = co_await asio::async_connect(socket_, endpoints, kAwait);
  if (refused) co_return Connected(boost::system::in_place_error, "it cannot be connected to: " + refused.message());
  co_return Connected();
}

template <class Stream>
asio::awaitable<FetchResult> Fetch::exchange(Stream& stream) {
  step_ = "sending the request";
  const std::string request = get(request_);
  const auto [unsent, sent] = co_await asio::async_write(stream, asio::buffer(request), kAwait);
  if (unsent) co_return failed("the request cannot be sent: " + unsent.message());

  step_ = "waiting for its answer";
  boost::beast::flat_buffer buffer;
  for (unsigned interim = 0; interim <= kMostInterim; ++interim) {
    http::response_parser<http::string_body> parser;
    parser.header_limit(kMostHead);
    parser.body_limit(kMostBody);
    const auto [unread, read] = co_await http::async_read(stream, buffer, parser, kAwait);
    if (unread) co_return failed(why_unread(unread));
    // An interim answer (RFC 9110 section 15.2) is a whole message; the one that was asked for follows it.
    if (parser.get().result_int() >= 200) co_return judge(parser.release(), !request_.etag.empty());
  }
  co_return failed("it keeps sending interim answers");
}

}  // namespace headgate::keyring
