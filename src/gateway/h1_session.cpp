#include "h1_session.hpp"

#include "h1_reply.hpp"
#include "hold.hpp"
#include "request_id.hpp"

#include "headgate/observe/event.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>

namespace headgate::gateway {
namespace {

namespace error = boost::asio::error;
using http::h1::Refusal;
using Clock = std::chrono::steady_clock;

// How much of a body that nobody wants is read so that its connection can be kept.
constexpr std::size_t kMostDiscarded = 256UL * 1024;

// What a request counts as in its connection's turn: sixteen that are answered here are one turn.
constexpr auto kRequest = net::Stream::kTurn / 16;

// RFC 9112 section 2.2 wants one passed over.
constexpr unsigned kMostEmptyLines = 16;

}  // namespace

H1Session::H1Session(Sessions& owner, net::StreamPtr stream, const boost::asio::ip::address& peer)
    : owner_(owner),
      stream_(std::move(stream)),
      input_(stream_, owner.blocks_),
      body_(input_, owner.timeouts_.body),
      output_(*stream_) {
  speak_for(peer);
}

void H1Session::speak_for(const boost::asio::ip::address& peer) {
  peer_ = peer;
  // A mapped address is the IPv4 address it stands for.
  if (peer_.is_v6() && peer_.to_v6().is_v4_mapped())
    peer_ = boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, peer_.to_v6());
  peer_text_ = peer_.to_string();
}

H1Session::~H1Session() { stream_->close(); }

// Not by the reply writer: an answer may be on its way at the same time, and these few bytes fit or the client does not
// read.
Task<Result<void>> H1Session::say_continue(void* self) {
  auto& session = *static_cast<H1Session*>(self);
  const bool answered = session.current_ && session.current_->reply->started();
  if (answered || session.stream_->write_now("HTTP/1.1 100 Continue\r\n\r\n")) co_return Result<void>{};
  co_return error_code(error::no_buffer_space);
}

void H1Session::rest(Duration timeout) {
  state_ = State::resting;
  input_.rest();
  stream_->watch(&H1Session::event, this, proxy_header_due_ ? std::min(timeout, left_for_proxy_header()) : timeout);
}

void H1Session::event(void* self, net::Stream& stream) {
  auto& session = *static_cast<H1Session*>(self);
  session.state_ = State::serving;
  if (stream.timed_out()) return session.owner_.remove(session);
  spawn(session.serve(), "session");
}

/// Something came while an answer is being made: a next request can wait, a reset ends it. A client that only closed
/// its sending side may still want to read.
void H1Session::stirred(void* self, net::Stream& stream) {
  auto& session = *static_cast<H1Session*>(self);
  if (stream.timed_out()) return session.watch_client();  // an answer may take, or last, longer than any one wait
  if (stream.broken()) session.close();
}

void H1Session::watch_client() { stream_->watch(&H1Session::stirred, this, owner_.timeouts_.tunnel); }

void H1Session::close() noexcept {
  // Whoever is woken by this may end the exchange and this session with it: nothing of either is touched afterwards.
  const net::StreamPtr client = stream_;
  const net::StreamPtr server = current_ ? current_->server_stream : nullptr;
  Hold* const hold = current_ ? current_->hold : nullptr;
  if (current_) current_->client_gone = true;
  if (hold) hold->end();  // wakes from the loop, not from here
  client->close();
  if (server) server->interrupt();
}

void H1Session::drain() {
  if (!resting()) return;
  state_ = State::serving;
  stream_->unwatch();
  spawn(serve(), "session");
}

void H1Session::turn_away() { spawn(refuse_service(), "refusal"); }

Task<void> H1Session::refuse_service() {
  auto x = owner_.exchanges_.take();
  begin_exchange(*x);
  const Refusal refusal{503, "This gateway has too many connections. Try again shortly."};
  (void)co_await refuse(*x, refusal);
  owner_.exchanges_.put(std::move(x));
  linger();
}

Task<void> H1Session::serve() {
  auto x = owner_.exchanges_.take();
  auto next = Next::close;
  const auto got = input_.fill_now();
  if (got.has_value()) {
    next = proxy_header_due_ ? co_await read_proxy_header() : Next::exchange;
    if (next == Next::exchange) next = co_await serve_all(*x);
  } else if (got.error() == error::would_block) {
    next = Next::rest;
  }
  owner_.exchanges_.put(std::move(x));
  if (next == Next::rest && !owner_.draining()) co_return rest(owner_.timeouts_.idle);
  if (next == Next::rest && fresh_) co_return rest(kFirstRequest);
  // What came behind the last answer must not make the kernel reset the connection under it (RFC 9112 section 9.6).
  if (next == Next::close && stream_->is_open() && input_.fill_now().has_value()) next = Next::linger;
  if (next == Next::linger) co_return linger();
  owner_.remove(*this);
}

/// All requests that have arrived, one after another (pipelining keeps their order).
Task<H1Session::Next> H1Session::serve_all(Exchange& x) {
  while (true) {
    begin_exchange(x);
    auto next = co_await read_head(x);
    if (next == Next::exchange) next = co_await serve_one(x);
    input_.unpin();
    if (next != Next::exchange) co_return next;
    if (input_.data().empty()) co_return Next::rest;
    x.reset();
    stream_->charge(kRequest);
    const error_code gone = co_await stream_->turn();
    if (gone) co_return Next::close;
  }
}

void H1Session::begin_exchange(Exchange& x) {
  x.peer = peer_;
  x.peer_text = peer_text_;
  x.started = Clock::now();
  x.draining = &owner_.winding_down_;
  x.client_tls = client_tls_;
  x.client_certificate = client_certificate_;
  x.source_untold = source_untold_;
}

Task<H1Session::Next> H1Session::read_head(Exchange& x) {
  const auto& bounds = owner_.bounds_;
  std::size_t scanned = 0;
  std::size_t checked = 0;
  unsigned empty_lines = 0;
  while (true) {
    for (; input_.data().starts_with("\r\n"); scanned = checked = 0) {
      if (++empty_lines > kMostEmptyLines) {
        const Refusal refusal{400, "There are too many empty lines before the request."};
        co_return co_await refuse(x, refusal);
      }
      input_.consume(2);
    }
    const auto data = input_.data();
    const auto size = http::h1::head_size(data, scanned);
    if (size > bounds.head_bytes || (size == 0 && (data.size() >= bounds.head_bytes || input_.full()))) {
      const bool in_target = data.substr(0, bounds.head_bytes).find('\n') == std::string_view::npos;
      const Refusal refusal = in_target ? Refusal{414, "The request's target is too long."}
                                        : Refusal{431, "The request's head is too large."};
      co_return co_await refuse(x, refusal);
    }
    if (size > 0) {
      fresh_ = false;
      const http::h1::Limits limits{bounds.head_fields, bounds.target_bytes};
      const auto parsed = http::h1::parse_request(data.substr(0, size), limits, x.request);
      if (parsed.has_error()) co_return co_await refuse(x, parsed.error());
      input_.consume(size);
      co_return Next::exchange;
    }
    if (const auto sound = http::h1::check_unfinished(data, checked); sound.has_error())
      co_return co_await refuse(x, sound.error());
    // Not only where nothing comes: a head that never stops coming is late as well.
    const auto left = owner_.timeouts_.head - std::chrono::duration_cast<Duration>(Clock::now() - x.started);
    auto got = Result<std::size_t>(error_code(error::timed_out));
    if (left > Duration(0)) got = co_await input_.fill(left);
    if (got.has_value()) continue;
    if (got.error() != error::timed_out || input_.data().empty()) co_return Next::close;
    const Refusal late{408, "The request's head did not arrive in time."};
    co_return co_await refuse(x, late);
  }
}

Task<H1Session::Next> H1Session::serve_one(Exchange& x) {
  const bool has_body = x.request.framing.kind != http::Framing::Kind::none;
  if (has_body || !x.request.upgrade.empty()) input_.pin();  // the head must stay readable while the body flows
  body_.timeout(owner_.timeouts_.body);
  body_.begin(x.request.framing);
  if (x.request.expects_continue && input_.data().empty()) body_.before_wait(&H1Session::say_continue, this);
  H1Reply reply(output_, body_, x, owner_.timeouts_.write,
                x.request.keep_alive ? H1Reply::Close::may_keep : H1Reply::Close::must_close);
  x.body = &body_;
  x.reply = &reply;
  // Work for a client that is gone is work for nobody.
  current_ = &x;
  watch_client();
  bool bug = false;
  try {
    co_await owner_.handler_.handle(x);
  } catch (const std::exception& thrown) {
    observe::event(observe::LogLevel::error, "bug", "an exception that nobody expected",
                   {{"task", "exchange"}, {"what", thrown.what()}});
    bug = true;
  }
  if (bug) {
    x.server_stream = nullptr;  // whoever set these is gone
    x.hold = nullptr;
    const Problem problem{500, EndedBy::bug, "Something went wrong inside this gateway.", {}, 0, {}};
    co_await tell(x, problem, RejectionHeaders::none);
    owner_.handler_.refused(x);
  }
  stream_->unwatch();
  current_ = nullptr;
  co_return co_await settle(reply);
}

Task<H1Session::Next> H1Session::refuse(Exchange& x, Refusal refusal) {
  H1Reply reply(output_, body_, x, owner_.timeouts_.write, H1Reply::Close::must_close);
  body_.begin({});
  x.body = &body_;
  x.reply = &reply;
  x.request_id = request_id(x);
  x.request.authority = {};  // not believed, so not logged
  const auto problem = problem_of_head(refusal.status, refusal.why);
  co_await tell(x, problem, RejectionHeaders::none);
  owner_.handler_.refused(x);
  co_return Next::linger;
}

/// Leaves the connection behind an exchange in a safe state: right before the next request, or closed.
Task<H1Session::Next> H1Session::settle(const H1Reply& reply) {
  if (!reply.complete()) {
    stream_->reset();
    co_return Next::close;
  }
  if (reply.keeps_connection() && !body_.ended()) {
    for (std::size_t discarded = 0; !body_.ended() && discarded < kMostDiscarded;) {
      const auto bytes = co_await body_.read();
      if (bytes.has_error()) co_return Next::linger;
      discarded += bytes->size();
    }
  }
  if (reply.keeps_connection() && body_.clean()) co_return Next::exchange;
  co_return body_.ended() && input_.data().empty() ? Next::close : Next::linger;
}

}  // namespace headgate::gateway
