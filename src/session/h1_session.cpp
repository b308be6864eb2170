#include "h1_session.hpp"

#include "h1_reply.hpp"

#include "headgate/http/h1/refused.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>

namespace headgate::session {
namespace {

namespace error = boost::asio::error;
using http::ParseError;

// Maximum number of bytes of an unread body that are read and discarded so that the connection can stay open.
constexpr std::size_t kMaxDiscarded = 256UL * 1024;

// The part of a connection's turn that one request uses. The turn is over after sixteen requests that the gateway
// answers itself.
constexpr auto kRequest = net::Stream::kTurn / 16;

constexpr const char* kLate = "The request's head did not arrive in time.";

// Number of empty lines that are ignored before a request. RFC 9112 section 2.2 asks servers to ignore at least one.
constexpr unsigned kMaxEmptyLines = 16;

}  // namespace

H1Session::H1Session(Sessions& owner, net::ReadBuffer input, Peer peer)
    : Session(owner, std::move(input), std::move(peer)), body_(read_buffer_, timeouts().body), output_(*stream_) {
  const net::PaceRule rule{&H1Session::pace, this};
  body_.demand_pace(rule);
  stream_->demand_pace(rule);
}

void H1Session::begin() {
  if (peer_.late) return spawn(refuse_unread(408, kLate), "refusal");
  if (read_buffer_.data().empty()) return rest(patience(), false);
  serve();
}

/// Makes the session idle. Over TLS, a part of a record or a message without data may arrive; neither may extend the
/// timeout.
void H1Session::rest(Duration most, bool again) {
  const auto now = clock().steady();
  if (!again) begin_wait(now);
  if (peer_.secured) {
    if (!again) idle_until_ = now + most;
    most = std::clamp(std::chrono::duration_cast<Duration>(idle_until_ - now), Duration(0), most);
  }
  wait_idle(most);
}

// Sends 100 Continue. Bypasses the reply writer, because an answer may be written at the same time. The kernel has room
// for these few bytes, unless the client has stopped reading.
Task<Result<void>> H1Session::say_continue(void* self) {
  auto& session = *static_cast<H1Session*>(self);
  if (session.exchange_.answered() || session.stream_->write_now("HTTP/1.1 100 Continue\r\n\r\n"))
    co_return Result<void>{};
  co_return error_code(error::no_buffer_space);
}

/// Called when the client's socket becomes readable during an exchange. A next request waits; a reset ends the
/// exchange. A client that has closed only its sending side may still read, but looks like a client that has closed the
/// connection. Most clients that close have left, so the exchange ends then as well, unless its route is configured
/// otherwise.
void H1Session::client_active(void* self, net::Stream& stream) {
  auto& session = *static_cast<H1Session*>(self);
  if (stream.timed_out()) return session.watch_client();  // an exchange may last longer than one wait
  const bool left = stream.broken() || (session.exchange_.ends_with_client() && stream.sees_end());
  if (left) return session.close(gateway::ActiveExchange::Because::client_gone);
  // the client may close after it has sent the next request
  stream.watch_on(&H1Session::client_active, self, session.timeouts().tunnel);
}

net::MinPace H1Session::pace(const void* self) {
  const auto& session = *static_cast<const H1Session*>(self);
  return {session.exchange_.min_rate(), session.timeouts().body};
}

void H1Session::watch_client() { stream_->watch(&H1Session::client_active, this, timeouts().tunnel); }

void H1Session::close(gateway::ActiveExchange::Because because) noexcept {
  // The calls below may end the exchange and delete this session, so they only use local variables.
  const net::StreamPtr client = stream_;
  const auto server = exchange_.end_early(because);
  client->close();
  server.cancel();
}

void H1Session::break_off() noexcept { close(gateway::ActiveExchange::Because::broken_off); }

Session::Stopped H1Session::stop(Afterwards afterwards, std::span<const std::uint32_t>) noexcept {
  if (exchange_.answered()) {
    close(gateway::ActiveExchange::Because::operator_);
    return {.broken_off = 1};
  }
  // If the request is not complete, its remaining bytes could be taken for a next request, so the connection must
  // close.
  const bool whole = body_.ended();
  if (afterwards == Afterwards::close || !whole) exchange_.last_of_connection();
  // The calls below may end the exchange and delete this session.
  const net::StreamPtr client = stream_;
  const auto server = exchange_.end_early(gateway::ActiveExchange::Because::operator_);
  if (!whole) client->interrupt_read();
  server.cancel();
  return {.answered = 1};
}

void H1Session::reject() {
  spawn(refuse_unread(503, "This gateway has too many connections. Try again shortly."), "refusal");
}

Task<void> H1Session::refuse_unread(unsigned status, const char* why) {
  auto x = exchanges().take();
  begin_exchange(*x);
  const ParseError refusal{status, why};
  (void)co_await refuse(*x, refusal);
  exchanges().put(std::move(x));
  linger();  // discards the unread rest of the request, which may be a whole upload
}

void H1Session::serve() { spawn(serve_all(), "session"); }

Task<void> H1Session::serve_all() {
  if (out_of_memory() && !draining())
    co_return co_await refuse_unread(503,
                                     "This gateway has too little memory for further requests. Try again shortly.");
  auto x = exchanges().take();
  auto next = Next::close;
  const bool here = !read_buffer_.data().empty();  // bytes that were read together with the PROXY header
  const auto got = here ? Result<std::size_t>(read_buffer_.data().size()) : read_buffer_.fill_now();
  const bool nothing = got.has_error() && got.error() == error::would_block;
  if (got.has_value()) {
    next = co_await serve_each(*x);
  } else if (nothing) {
    next = Next::idle;
  }
  exchanges().put(std::move(x));
  rest_ = std::max(rest_, kUnknownRest);  // after an invalid head, it is unknown how many bytes of the request follow
  if (next == Next::idle && !draining()) co_return rest(timeouts().idle, nothing);
  if (next == Next::idle && fresh_) co_return rest(kFirstRequest, nothing);
  // If the connection were closed with unread bytes, the kernel would reset it, and the client could lose the answer
  // (RFC 9112 section 9.6).
  if (next == Next::close && stream_->is_open() && read_buffer_.fill_now().has_value()) next = Next::linger;
  if (next == Next::linger) co_return linger(rest_);
  end();
}

/// Serves all requests that have arrived, one after another, so that pipelined answers keep their order.
Task<H1Session::Next> H1Session::serve_each(Exchange& x) {
  while (true) {
    begin_exchange(x);
    auto next = Next::exchange;
    if (!take_head(x)) next = co_await read_head(x);
    if (next == Next::exchange) {
      auto reply = begin_answer(x);
      x.reply = &reply;
      watch_client();  // stops the work if the client leaves
      exchange_.begin(x);
      std::exception_ptr thrown;
      try {
        co_await handler().handle(x);
      } catch (...) {
        thrown = std::current_exception();  // co_await is not allowed in a catch block
      }
      if (thrown) co_await answer_bug(handler(), x, thrown);
      exchange_.end();
      stream_->unwatch();
      if (!settled(reply)) next = co_await settle(reply);
    }
    read_buffer_.unpin();
    if (next != Next::exchange) co_return next;
    if (read_buffer_.data().empty()) co_return Next::idle;
    x.reset();
    // With end_waiting, the worker answers at most one request of each connection per turn, so that a busy client does
    // not delay health probes.
    stream_->charge(bounds().if_full == IfFull::end_waiting ? net::Stream::kTurn : kRequest);
    waits_ = true;  // the next request was not examined yet
    const error_code gone = co_await stream_->turn();
    waits_ = false;
    if (gone) co_return Next::close;
  }
}

bool H1Session::take_head(Exchange& x) {
  const auto data = read_buffer_.data();
  std::size_t scanned = 0;
  const auto size = http::h1::head_size(data, scanned);
  if (size == 0 || size > bounds().head.bytes || data.starts_with("\r\n")) return false;
  const http::h1::Limits limits{bounds().head.fields, bounds().head.target_bytes, bounds().paths};
  const auto parsed = http::h1::parse_request(data.substr(0, size), limits, x.request);
  if (parsed.has_error()) return false;
  wire_ = *parsed;
  fresh_ = false;
  read_buffer_.consume(size);
  return true;
}

Task<H1Session::Next> H1Session::read_head(Exchange& x) {
  std::size_t scanned = 0;
  std::size_t checked = 0;
  unsigned empty_lines = 0;
  while (true) {
    for (; read_buffer_.data().starts_with("\r\n"); scanned = checked = 0) {
      if (++empty_lines > kMaxEmptyLines) {
        const ParseError refusal{400, "There are too many empty lines before the request."};
        co_return co_await refuse(x, refusal);
      }
      read_buffer_.consume(2);
    }
    const bool long_head = read_buffer_.full() && read_buffer_.data().size() < bounds().head.bytes;
    const bool no_room = read_buffer_.full() && !(long_head && read_buffer_.widen());
    const auto data = read_buffer_.data();
    const auto size = http::h1::head_size(data, scanned);
    if (size > bounds().head.bytes || (size == 0 && (data.size() >= bounds().head.bytes || no_room))) {
      const auto refusal = http::h1::too_long(data, bounds().head.bytes);
      co_return co_await refuse(x, refusal);
    }
    if (size > 0) {
      fresh_ = false;
      const http::h1::Limits limits{bounds().head.fields, bounds().head.target_bytes, bounds().paths};
      const auto parsed = http::h1::parse_request(data.substr(0, size), limits, x.request);
      if (parsed.has_error()) co_return co_await refuse(x, parsed.error());
      wire_ = *parsed;
      read_buffer_.consume(size);
      x.awaited = std::chrono::duration_cast<Duration>(x.clock->steady() - x.started);
      co_return Next::exchange;
    }
    if (const auto valid = http::h1::check_unfinished(data, checked); valid.has_error())
      co_return co_await refuse(x, valid.error());
    // The time left is computed before each read, so that a client cannot extend the timeout by sending a head in small
    // parts.
    const auto left = timeouts().head - std::chrono::duration_cast<Duration>(x.clock->steady() - x.started);
    auto got = Result<std::size_t>(error_code(error::timed_out));
    waits_ = true;
    if (left > Duration(0)) got = co_await read_buffer_.fill(left);
    waits_ = false;
    if (got.has_value()) continue;
    if (got.error() != error::timed_out || read_buffer_.data().empty()) co_return Next::close;
    const ParseError late{408, kLate};
    co_return co_await refuse(x, late);
  }
}

H1Reply H1Session::begin_answer(Exchange& x) {
  const bool has_body = wire_.framing.kind != http::h1::WireFraming::Kind::none;
  if (has_body || !x.request.upgrade.empty()) read_buffer_.pin();  // the head must stay readable while the body is read
  body_.timeout(timeouts().body);
  body_.begin(wire_.framing);
  if (wire_.expects_continue && read_buffer_.data().empty()) body_.before_wait(&H1Session::say_continue, this);
  x.body = &body_;
  return {output_, body_, x, timeouts().write, wire_};
}

Task<H1Session::Next> H1Session::refuse(Exchange& x, ParseError refusal) {
  wire_ = {};
  wire_.keep_alive = false;
  H1Reply reply(output_, body_, x, timeouts().write, wire_);
  rest_ = 0;
  body_.begin({});
  x.body = &body_;
  x.reply = &reply;
  const http::h1::Limits limits{bounds().head.fields, bounds().head.target_bytes, bounds().paths};
  http::h1::read_refused_head(read_buffer_.data(), limits, x.request);
  handler().name(x);
  x.reason = refusal.why;
  const auto problem = gateway::problem_of_head(refusal.status, refusal.why);
  co_await send_problem(x, problem, gateway::RejectionHeaders::none);
  const auto head = read_buffer_.data().substr(0, bounds().head.bytes);
  handler().refused_head(x, head, http::h1::fault_place(head, limits, refusal));
  handler().refused(x);
  co_return Next::linger;
}

bool H1Session::settled(const H1Reply& reply) const noexcept {
  return reply.complete() && reply.keeps_connection() && body_.clean();
}

/// Brings the connection into a safe state after an exchange: to the start of the next request, or ready to be closed.
Task<H1Session::Next> H1Session::settle(const H1Reply& reply) {
  rest_ = body_.most_left();
  if (!reply.complete()) {
    stream_->reset();
    co_return Next::close;
  }
  if (reply.keeps_connection() && !body_.ended()) {
    const auto until = clock().steady() + timeouts().body;
    for (std::size_t discarded = 0; !body_.ended() && discarded < kMaxDiscarded && clock().steady() < until;) {
      waits_ = true;
      const auto bytes = co_await body_.read();
      waits_ = false;
      if (bytes.has_error()) co_return Next::linger;
      discarded += bytes->size();
    }
  }
  if (reply.keeps_connection() && body_.clean()) co_return Next::exchange;
  co_return body_.ended() && read_buffer_.data().empty() ? Next::close : Next::linger;
}

}  // namespace headgate::session
