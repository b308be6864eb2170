#include "relay.hpp"

#include "answer_readers.hpp"
#include "drain_answer.hpp"
#include "gateway/admission/messages.hpp"
#include "gateway/answers/compressed_reply.hpp"
#include "gateway/bodies/body_values.hpp"
#include "gateway/callers/presented.hpp"
#include "gateway/exchange/body_problem.hpp"
#include "gateway/forward/edit_fields.hpp"
#include "gateway/forward/forward.hpp"
#include "gateway/forward/mirrors.hpp"
#include "gateway/forward/rewrite.hpp"
#include "gateway/grpc/grpc_call.hpp"
#include "gateway/grpc/grpc_deadline.hpp"
#include "gateway/limits/grpc_outcome.hpp"
#include "gateway/limits/limit_key.hpp"
#include "gateway/limits/settle.hpp"
#include "gateway/limits/unanswered.hpp"
#include "gateway/path/path.hpp"
#include "gateway/record/trace.hpp"
#include "head_wait.hpp"
#include "held_body.hpp"
#include "request_body.hpp"
#include "retry.hpp"
#include "tries.hpp"
#include "tunnel.hpp"

#include "headgate/core/hash.hpp"
#include "headgate/gateway/answer.hpp"
#include "headgate/http/body_look.hpp"
#include "headgate/net/pace.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>

namespace headgate::gateway {
namespace {

using upstream::Failed;
using upstream::Failure;

constexpr unsigned kMaxInterim = 32;

/// The relay of one exchange. Its functions are in the order in which they run.
class Relay {
 public:
  Relay(Path& path, Exchange& x)
      : x_(x),
        upstream_(*x.snapshot->upstreams[x.route->upstream]),
        compiled_(*x.snapshot->compiled),
        options_(compiled_.options()),
        path_(path) {
    if (x.route->asks_http2() && counts_messages(*x.route)) messages_ = std::make_unique<Messages>(path, x);
  }

  Task<MaybeProblem> run() {
    forward_request_fields(x_, compiled_);
    if (x_.request.by_connect()) [[unlikely]]
      websocket_key_ = add_websocket_key(x_);
    start_.method = x_.request.method;
    start_.path = path_for_server(x_);
    start_.query = forwarded_query(x_, compiled_.identity());
    start_.fields = &x_.fields;
    start_.framing = x_.request.framing;
    start_.write_timeout = options_.write_timeout;
    start_.between_bytes = x_.route->between_bytes;
    start_.room = &x_.head;
    if (x_.route->balance_per) choice_.key = server_key(x_);
    choice_.over = &x_.client_gone;
    if (x_.shedding.server_place.held()) choice_.place = std::move(x_.shedding.server_place);
    if (auto problem = take_first_bytes()) co_return problem;
    if (const auto times = messages_ ? messages_->begun(first_) : 0; times > 0) {
      auto taking = messages_->take(times);
      if (auto problem = co_await taking) co_return problem;
      if (x_.client_gone) co_return *client_gone();
    }
    if (x_.route->forwarding) prepare_forwarding(*x_.route->forwarding);
    while (true) {
      auto outcome = co_await attempt(Over::any_connection);
      if (x_.trace) trace_end(outcome);
      // The server may have closed the pooled connection in the meantime. If it does no harm to send the request twice,
      // try once more. This try uses a new connection, because other pooled connections may be closed as well.
      if (outcome.has_error() && may_repeat(outcome.error())) {
        outcome = co_await attempt(Over::new_connection);
        if (x_.trace) trace_end(outcome);
      }
      if (tries_ && another_follows(outcome)) {
        if (at_) choice_.tried.add(*at_);
        co_await tries_->pause();
        if (!x_.client_gone) continue;
        outcome = client_gone();
      }
      if (outcome.has_error()) note_wait(x_.clock->steady());
      if (outcome.has_error()) co_return failed(outcome.error());
      co_return *outcome;
    }
  }

 private:
  enum class Over { any_connection, new_connection };

  /// Extends x.awaited to the end of its scope, in which bytes flow at the pace of server and client.
  struct WaitUntilEnd {
    explicit WaitUntilEnd(Relay& whose) noexcept : relay(whose) {}
    WaitUntilEnd(const WaitUntilEnd&) = delete;
    WaitUntilEnd& operator=(const WaitUntilEnd&) = delete;
    ~WaitUntilEnd() { relay.note_wait(relay.x_.clock->steady()); }
    Relay& relay;
  };

  MaybeProblem take_first_bytes() {
    if (x_.held) {
      first_ = x_.held->bytes();  // the bytes were counted when they were read
    } else {
      const auto bytes = x_.body->ready();
      if (bytes.has_error()) return problem_of_body(bytes.error());
      first_ = *bytes;
      x_.body_bytes += first_.size();
    }
    whole_ = x_.body->ended() && x_.body->trailers().empty();
    if (whole_ && x_.bodies && x_.bodies->plan().drains_answer) x_.drained_now = &path_.drained;
    return {};
  }

  void prepare_forwarding(const Forwarding& forwarding) {
    const bool held = x_.body->ended();
    if (forwarding.mirror) path_.mirrors->copy(x_, start_, first_, held);
    if (forwarding.retry != nullptr)
      tries_.emplace(x_, *forwarding.retry, *x_.snapshot->retries[x_.route->upstream], held);
  }

  bool another_follows(const Result<MaybeProblem, Failure>& outcome) {
    if (x_.client_gone) return false;
    return outcome.has_error() ? tries_->again(outcome.error()) : tries_->scheduled();
  }

  MaybeProblem failed(const Failure& failure) {
    if (!failure.server.empty()) x_.server = failure.server;
    x_.reason = reason_of(failure, x_.text);
    const auto what = failure.what;
    if (what == Failed::no_connection || what == Failed::connect_timeout || what == Failed::reply_timeout ||
        what == Failed::untrusted || what == Failed::handshake)
      x_.shedding.slot.dropped(x_.clock->steady());
    return problem_of(failure);
  }

  bool may_repeat(const Failure& failure) const noexcept {
    const bool safe = failure.unseen || (failure.reused && is_idempotent(x_.request.method));
    return safe && whole_ && !x_.reply->started();
  }

  void trace_end(const Result<MaybeProblem, Failure>& outcome) {
    const unsigned status = answered_ ? x_.answer.status : 0;
    if (outcome.has_error()) {
      if (!outcome.error().server.empty()) x_.server = outcome.error().server;
      return end_attempt(x_, status, upstream::to_text(outcome.error().what));
    }
    const bool left = x_.client_gone || x_.ended_by == EndedBy::client_closed;
    const auto& problem = *outcome;
    end_attempt(x_, status, problem ? to_text(problem->ended_by) : left ? to_text(EndedBy::client_closed) : "");
  }

  Task<Result<MaybeProblem, Failure>> attempt(Over over) {
    if (deadline_.over()) co_return GrpcDeadline::failure();
    ++x_.attempts;
    at_.reset();
    answered_ = false;
    if (x_.trace) begin_attempt(x_);
    auto server = over == Over::any_connection ? upstream_.take_idle(choice_) : nullptr;
    if (!server) {
      if (since_ == Clock::Steady()) since_ = x_.clock->steady();
      auto connected = co_await upstream_.connect(choice_);
      if (connected.has_error()) {
        if (x_.client_gone) co_return client_gone();
        co_return connected.error();
      }
      server = std::move(*connected);
    }
    if (x_.client_gone) co_return client_gone();
    if (!deadline_.pass_on()) {
      upstream_.give_back(std::move(server));  // no request was sent on it
      co_return GrpcDeadline::failure();
    }
    at_ = server->at();
    x_.server = server->server();
    if (x_.route->edits) name_server(x_, x_.server);
    sent_at_ = x_.clock->steady();
    x_.unanswered = true;
    if (since_ == Clock::Steady()) since_ = sent_at_;
    const auto sent = co_await server->send(start_, first_, whole_ ? http::EndStream::yes : http::EndStream::no);
    if (sent.has_error() && sent.error() == boost::asio::error::timed_out) {
      upstream_.note(*server, balance::AttemptOutcome::timeout, Duration(-1));
      upstream_.count(*at_, upstream::kNoAnswer, Duration(0));
      if (x_.client_gone) co_return client_gone();
      co_return Failure{.what = Failed::reply_timeout, .cause = sent.error(), .why = upstream::kTakesNoMore};
    }
    // After any other error, read the answer: a server may answer and close before it has read everything.
    const bool broken = sent.has_error();
    RequestBody body(x_, *server, messages_.get());
    x_.attempt = server.get();
    if (!whole_ && !broken) body.start();
    Result<MaybeProblem, Failure> outcome = MaybeProblem{};
    std::exception_ptr bug;
    try {
      outcome = co_await answer(*server, body);
    } catch (...) {
      bug = std::current_exception();  // the task of the body must end first, because it refers to this frame
    }
    co_await body.stop();
    x_.attempt = nullptr;
    if (bug) std::rethrow_exception(bug);
    if (x_.client_gone) co_return client_gone();
    if (body.problem() && (outcome.has_error() || !x_.reply->started())) co_return MaybeProblem(*body.problem());
    // A request that is repeated at once on a new connection is no evidence against the server.
    const bool repeated =
        over == Over::any_connection && outcome.has_error() && (outcome.error().reused || may_repeat(outcome.error()));
    if (outcome.has_error() && !repeated && !body.problem()) {
      if (!answered_) upstream_.count(*at_, upstream::kNoAnswer, Duration(0));
      if (outcome.error().what == Failed::deadline) co_return outcome;
      upstream_.note(*server, upstream::outcome_of(outcome.error().what), Duration(-1));
    }
    const bool kept = outcome.has_value() && (whole_ || body.delivered()) && !broken;
    if (kept) upstream_.give_back(std::move(server));
    co_return outcome;
  }

  /// Reads heads and forwards interim ones until the final head, then relays the answer.
  Task<Result<MaybeProblem, Failure>> answer(upstream::Attempt& server, RequestBody& body) {
    HeadWait heads(x_, server, body, tries_ ? &*tries_ : nullptr, deadline_, sent_at_);
    for (unsigned interim = 0; interim <= kMaxInterim; ++interim) {
      auto head = co_await heads.next();
      if (head.has_error()) co_return head.error();
      const auto status = x_.answer.status;
      if (status >= 200 && x_.route->asks_http2()) note_grpc_head(x_);
      if (status == 101 || status >= 200) note_answer(server, body);
      if (status >= 200 && tries_ && tries_->again_after_answer()) co_return throw_away(server);
      if (status == 101 || status >= 200) note_latency(body);
      if (status == 101) co_return co_await switch_protocols(server);
      if (status / 100 == 2 && x_.request.by_connect()) [[unlikely]]
        co_return websocket_not_opened(x_);
      if (status >= 200) co_return co_await relay_answer(server);
      if (status == 100) continue;  // the gateway has answered the client's Expect itself
      take_over_fields(x_, RejectionHeaders::none);
      AnswerStart interim_answer{.start = {.status = status, .reason = x_.answer.reason}};
      if (tries_) tries_->answer_began();
      const auto told = co_await send_answer<AnswerFrom::interim>(x_, interim_answer, {}, http::EndStream::no);
      if (told.has_error()) co_return client_gone();
    }
    co_return Failure{.what = Failed::malformed, .why = "the server keeps sending interim answers"};
  }

  void note_answer(upstream::Attempt& server, const RequestBody& body) {
    const auto now = x_.clock->steady();
    answered_ = true;
    note_wait(now);
    upstream_.count(*at_, x_.answer.status, std::chrono::duration_cast<Duration>(now - sent_at_));
    if (x_.answer.status != 101) x_.upstream_time = now - sent_at_;
    const auto since = whole_ ? sent_at_ : std::max(sent_at_, body.ended_at());
    const auto took = body.running() ? Duration(-1) : std::chrono::duration_cast<Duration>(now - since);
    const bool failed = says_that_server_failed(x_);
    upstream_.note(server, failed ? balance::AttemptOutcome::server_error : balance::AttemptOutcome::answered, took);
  }

  /// Records the time since the start of the first attempt, including the pauses between attempts.
  void note_wait(Clock::Steady now) noexcept {
    if (since_ != Clock::Steady()) x_.awaited = awaited_ + std::chrono::duration_cast<Duration>(now - since_);
  }

  /// Reports the latency of the server to the adaptive limit before the body or tunnel, whose pace depends on the
  /// client. A failure is not reported, because a quick failure does not show that the server is fast.
  void note_latency(const RequestBody& body) {
    if (!x_.shedding.slot.held()) return;
    if (body.running() || x_.answer.status >= 500 || says_that_server_failed(x_)) return x_.shedding.slot.leave();
    const auto begun =
        // the time of earlier attempts does not count for this attempt
        x_.attempts > 1 ? sent_at_ : x_.shedding.slot.since();
    x_.shedding.slot.answered(whole_ ? begun : body.ended_at(), x_.clock->steady());
  }

  /// Discards the answer, because another attempt follows. If its body is not complete, the connection is closed.
  static Result<MaybeProblem, Failure> throw_away(upstream::Attempt& server) {
    auto& from = server.body();
    while (!from.ended()) {
      const auto bytes = from.ready();
      if (bytes.has_error() || bytes->empty()) break;
    }
    return MaybeProblem{};
  }

  /// Returns the server's answer, and puts its fields into x_.fields.
  AnswerStart taken_over() {
    const auto limits = options_.rejection.headers;
    take_over_fields(x_, limits);
    const auto& head = x_.answer;
    return {.start = {.status = head.status, .reason = head.reason, .framing = head.framing}, .limits = limits};
  }

  Task<Result<MaybeProblem, Failure>> relay_answer(upstream::Attempt& server) {
    AnswerReaders readers(x_, server.body());
    if (x_.held && whole_) x_.held.reset();  // the request is not repeated any more, so its body is not needed
    note_told(x_);
    auto& from = readers.for_client(path_, x_);
    const auto first = from.ready();
    if (first.has_error()) co_return Failure{.what = Failed::malformed, .cause = first.error()};
    if (!first->empty()) note_answering(x_);
    auto answer = taken_over();
    const auto ends_here = from.ended() && from.trailers().empty();
    auto last = ends_here ? http::EndStream::yes : http::EndStream::no;
    std::optional<http::Fields> trailers;
    if (from.ended() && !ends_here)
      answer.start.trailers = &trailers.emplace(forward_trailers(x_, from.trailers(), Towards::client));
    auto sent = co_await send_answer<AnswerFrom::server>(x_, answer, *first, last);
    if (ends_here && sent.has_value()) co_return MaybeProblem{};
    const WaitUntilEnd streaming(*this);
    while (sent.has_value()) {
      auto bytes = Result<std::string_view>(std::string_view());
      if (!from.ended()) bytes = co_await from.read();
      if (bytes.has_error()) co_return broken_off(bytes.error());
      if (bytes->empty()) {
        if (!trailers) trailers = forward_trailers(x_, from.trailers(), Towards::client);
        if ((x_.grpc_answer || is_grpc_for_server(x_)) && note_grpc_trailers(x_, from.trailers()))
          upstream_.note(server, balance::AttemptOutcome::server_error, Duration(-1));
        sent = co_await x_.reply->finish(*trailers);
        if (sent.has_error()) break;
        co_return MaybeProblem{};
      }
      note_answering(x_);
      last = from.ended() && from.trailers().empty() ? http::EndStream::yes : http::EndStream::no;
      sent = co_await x_.reply->write(*bytes, last);
      if (last == http::EndStream::yes && sent.has_value()) co_return MaybeProblem{};
    }
    if (sent.error() != net::too_slow()) co_await drain_answer(x_, readers.observed());
    co_return client_gone(sent.error());
  }

  Task<Result<MaybeProblem, Failure>> switch_protocols(upstream::Attempt& server) {
    if (x_.request.upgrade.empty())
      co_return Failure{.what = Failed::malformed, .why = "the server switches protocols without a request for it"};
    if (x_.request.by_connect())
      if (const auto* const flaw = flaw_of_handshake(x_.answer, websocket_key_))
        co_return Failure{.what = Failed::malformed, .why = flaw};
    note_told(x_);
    auto answer = taken_over();
    answer.start.framing = {};
    const auto sent = co_await send_answer<AnswerFrom::tunnel>(x_, answer, {}, http::EndStream::no);
    if (sent.has_error()) co_return client_gone();
    const WaitUntilEnd streaming(*this);
    co_await tunnel(x_, server, options_.tunnel_timeout);
    co_return MaybeProblem{};
  }

  /// Ends without an answer, because the client is gone or takes its answer too slowly.
  Result<MaybeProblem, Failure> client_gone(const error_code& cause = {}) {
    if (cause == compression_failed()) {
      x_.ended_by = EndedBy::bug;
      x_.reason = "there was no memory for the rest of its answer";
      return MaybeProblem{};
    }
    const bool slow = cause == net::too_slow();
    x_.ended_by = slow ? EndedBy::timeout_client : EndedBy::client_closed;
    if (slow) note_slow(x_, cause);
    return slow ? MaybeProblem{} : problem_of_operator(x_);
  }

  Exchange& x_;
  upstream::Upstream& upstream_;
  const CompiledConfig& compiled_;
  const PathOptions& options_;
  Path& path_;
  std::unique_ptr<Messages> messages_;  ///< null if no limit counts the messages of this call
  std::optional<Tries> tries_;          ///< not set if the upstream has no retries
  upstream::RequestStart start_;
  balance::Choice choice_;
  std::optional<std::size_t> at_;  ///< the server of the last attempt
  std::string_view first_;
  std::string_view websocket_key_;  ///< the key that the gateway sent; empty if the client's key was forwarded
  bool whole_ = true;
  GrpcDeadline deadline_{x_};
  Clock::Steady sent_at_;
  const Duration awaited_ = x_.awaited;  ///< the value of x.awaited at the beginning of this step
  Clock::Steady since_;                  ///< beginning of the first attempt; zero before it
  bool answered_ = false;                ///< whether the final head of the answer has arrived
};

}  // namespace

Task<MaybeProblem> relay(Path& path, Exchange& x) {
  Relay one(path, x);
  x.upstream = x.snapshot->upstreams[x.route->upstream]->name();
  co_return co_await one.run();
}

}  // namespace headgate::gateway
