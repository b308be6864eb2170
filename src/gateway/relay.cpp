#include "relay.hpp"

#include "check_body.hpp"
#include "forward.hpp"
#include "presented.hpp"
#include "request_body.hpp"
#include "settle.hpp"
#include "tunnel.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>
#include <exception>

namespace headgate::gateway {
namespace {

using Step = std::optional<Problem>;
using upstream::Failed;
using upstream::Failure;
using upstream::kTakesNoMore;

constexpr unsigned kMaxInterim = 32;

/// Methods that may be sent twice (RFC 9110 section 9.2.2).
bool idempotent(std::string_view method) noexcept {
  return method == "GET" || method == "HEAD" || method == "PUT" || method == "DELETE" || method == "OPTIONS" ||
         method == "TRACE";
}

/// One relay. Its functions stand in the order in which they run.
class Relay {
 public:
  Relay(Exchange& x, upstream::Upstream& upstream, const CompiledConfig& compiled)
      : x_(x), upstream_(upstream), compiled_(compiled), options_(compiled.options()), identity_(compiled.identity()) {}

  Task<Step> run() {
    forward_request_fields(x_, compiled_);
    start_.method = x_.request.method;
    start_.path = x_.request.path_to_send();
    start_.query = forwarded_query(x_, identity_);
    start_.fields = &x_.fields;
    start_.framing = x_.request.framing;
    start_.write_timeout = options_.timeouts.write;
    start_.between_bytes = x_.route->between_bytes;
    start_.room = &x_.head;
    if (auto problem = take_first_bytes()) co_return problem;
    auto outcome = co_await attempt(Over::any_connection);
    // A pooled connection may have been closed meanwhile. Try once more if sending twice does no harm, on a new
    // connection: other pooled ones may be closed too.
    if (outcome.has_error() && may_retry(outcome.error())) outcome = co_await attempt(Over::new_connection);
    if (outcome.has_error()) co_return failed(outcome.error());
    co_return *outcome;
  }

 private:
  enum class Over { any_connection, new_connection };

  Step take_first_bytes() {
    const auto bytes = x_.body->ready();
    if (bytes.has_error()) return problem_of_body(bytes.error());
    first_ = *bytes;
    whole_ = x_.body->ended() && x_.body->trailers().empty();
    x_.body_bytes += first_.size();
    return {};
  }

  Step failed(const Failure& failure) {
    if (!failure.server.empty()) x_.server = failure.server;
    x_.reason = reason_of(failure, x_.text);
    const auto what = failure.what;
    if (what == Failed::no_connection || what == Failed::connect_timeout || what == Failed::reply_timeout ||
        what == Failed::untrusted || what == Failed::handshake)
      x_.slot.dropped(x_.clock->steady());
    return problem_of(failure);
  }

  bool may_retry(const Failure& failure) const noexcept {
    return failure.reused && whole_ && idempotent(x_.request.method) && !x_.reply->started();
  }

  Task<Result<Step, Failure>> attempt(Over over) {
    ++x_.attempts;
    auto server = over == Over::any_connection ? upstream_.take_idle() : nullptr;
    if (!server) {
      auto connected = co_await upstream_.connect();
      if (connected.has_error()) co_return connected.error();
      server = std::move(*connected);
    }
    if (x_.client_gone) co_return client_gone();
    x_.server = server->server();
    sent_at_ = x_.clock->steady();
    const auto sent = co_await server->send(start_, first_, whole_ ? http::EndStream::yes : http::EndStream::no);
    if (sent.has_error() && sent.error() == boost::asio::error::timed_out)
      co_return Failure{.what = Failed::reply_timeout, .cause = sent.error(), .why = kTakesNoMore};
    // After any other error go on: a server may answer and close before it has read everything.
    const bool broken = sent.has_error();
    RequestBody body(x_, *server);
    x_.attempt = server.get();
    if (!whole_ && !broken) body.start();
    Result<Step, Failure> outcome = Step{};
    std::exception_ptr bug;
    try {
      outcome = co_await answer(*server, body);
    } catch (...) {
      bug = std::current_exception();  // the task of the body must end first: it refers to this frame
    }
    co_await body.stop();
    x_.attempt = nullptr;
    if (bug) std::rethrow_exception(bug);
    if (x_.client_gone) co_return client_gone();
    if (body.problem() && !x_.reply->started()) co_return Step(*body.problem());
    const bool kept = outcome.has_value() && (whole_ || body.delivered()) && !broken;
    if (kept) upstream_.give_back(std::move(server), std::chrono::duration_cast<Duration>(x_.upstream_time));
    co_return outcome;
  }

  /// Reads heads and forwards interim ones until the final head, then relays the answer.
  Task<Result<Step, Failure>> answer(upstream::Attempt& server, RequestBody& body) {
    for (unsigned interim = 0; interim <= kMaxInterim; ++interim) {
      auto head = co_await await_head(server, body);
      if (head.has_error()) co_return head.error();
      const auto status = x_.answer.status;
      if (status == 101 || status >= 200) note_latency(body);
      if (status == 101) co_return co_await switch_protocols(server);
      if (status >= 200) {
        x_.upstream_time = x_.clock->steady() - sent_at_;
        co_return co_await relay_answer(server);
      }
      if (status == 100) continue;  // the gateway has answered the client's Expect itself
      forward_reply_fields(x_, compiled_, RejectionHeaders::none);
      const http::ReplyStart start{.status = status, .reason = x_.answer.reason, .fields = &x_.fields};
      const auto told = co_await x_.reply->interim(start);
      if (told.has_error()) co_return client_gone();
    }
    co_return Failure{.what = Failed::malformed, .why = "the server keeps sending interim answers"};
  }

  /// From here on the server is not asked for this answer any more: its body flows as the client takes it, and a tunnel
  /// may stay open for hours. A fast refusal of the server's does not say that it is fast.
  void note_latency(const RequestBody& body) {
    if (!x_.slot.held()) return;
    if (body.running() || x_.answer.status >= 500) return x_.slot.leave();
    x_.slot.answered(whole_ ? x_.slot.since() : body.ended_at(), x_.clock->steady());
  }

  /// The timeout of the route counts from the end of the request. Until then the body has its own timeouts.
  Task<Result<void, Failure>> await_head(upstream::Attempt& server, RequestBody& body) {
    return body.running() ? await_head_beside(server, body) : server.read_head(x_.answer, x_.route->timeout);
  }

  Task<Result<void, Failure>> await_head_beside(upstream::Attempt& server, RequestBody& body) {
    const auto timeout = x_.route->timeout;
    auto wait = timeout;
    while (true) {
      auto head = co_await server.read_head(x_.answer, wait);
      if (head.has_value() || head.error().what != Failed::reply_timeout) co_return head;
      if (body.running()) continue;
      const auto since = std::chrono::duration_cast<Duration>(x_.clock->steady() - std::max(sent_at_, body.ended_at()));
      if (since >= timeout) co_return head;
      wait = timeout - since;
    }
  }

  Task<Result<Step, Failure>> relay_answer(upstream::Attempt& server) {
    auto& from = server.body();
    if (x_.route->settles) note_costs(x_);
    forward_reply_fields(x_, compiled_, options_.rejection.headers);
    const auto first = from.ready();
    if (first.has_error()) co_return Failure{.what = Failed::malformed, .cause = first.error()};
    x_.status = x_.answer.status;
    const http::ReplyStart start{
        .status = x_.answer.status, .reason = x_.answer.reason, .fields = &x_.fields, .framing = x_.answer.framing};
    const auto ends_here = from.ended() && from.trailers().empty();
    auto sent = co_await x_.reply->send(start, *first, ends_here ? http::EndStream::yes : http::EndStream::no);
    if (ends_here) co_return sent.has_error() ? client_gone() : Result<Step, Failure>(Step{});
    while (sent.has_value()) {
      const auto bytes = co_await from.read();
      if (bytes.has_error()) co_return broken_off(bytes.error());
      if (bytes->empty()) {
        const auto trailers = forward_trailers(from.trailers(), compiled_);
        sent = co_await x_.reply->finish(trailers);
        if (sent.has_error()) break;
        co_return Step{};
      }
      const auto last = from.ended() && from.trailers().empty() ? http::EndStream::yes : http::EndStream::no;
      sent = co_await x_.reply->write(*bytes, last);
      if (last == http::EndStream::yes && sent.has_value()) co_return Step{};
    }
    co_return client_gone();
  }

  Task<Result<Step, Failure>> switch_protocols(upstream::Attempt& server) {
    if (x_.request.upgrade.empty())
      co_return Failure{.what = Failed::malformed, .why = "the server switches protocols without a request for it"};
    x_.status = 101;
    forward_reply_fields(x_, compiled_, options_.rejection.headers);
    const http::ReplyStart start{.status = 101, .reason = x_.answer.reason, .fields = &x_.fields};
    const auto sent = co_await x_.reply->send(start, {}, http::EndStream::no);
    if (sent.has_error()) co_return client_gone();
    co_await tunnel(x_, server, options_.timeouts.tunnel);
    co_return Step{};
  }

  static Failure broken_off(const error_code& cause) noexcept {
    const bool late = cause == boost::asio::error::timed_out;
    // Over TLS a close alone does not say that the answer is whole: anybody on the network path can close.
    const bool unannounced = cause == boost::asio::error::connection_aborted;
    return {.what = late ? Failed::reply_timeout : Failed::closed,
            .cause = cause,
            .why = late          ? "it was silent for too long during its answer"
                   : unannounced ? "it closed without the close_notify of TLS, so its answer may be cut off"
                                 : ""};
  }

  /// The client is gone, so there is no answer to send.
  Result<Step, Failure> client_gone() {
    x_.ended_by = EndedBy::client_closed;
    return Step{};
  }

  Exchange& x_;
  upstream::Upstream& upstream_;
  const CompiledConfig& compiled_;
  const Options& options_;
  const identity::Options& identity_;
  upstream::RequestStart start_;
  std::string_view first_;
  bool whole_ = true;
  Clock::Steady sent_at_;
};

}  // namespace

Task<Step> relay(Exchange& x, upstream::Upstream& upstream, const CompiledConfig& compiled) {
  x.upstream = upstream.name();
  Relay one(x, upstream, compiled);
  co_return co_await one.run();
}

}  // namespace headgate::gateway
