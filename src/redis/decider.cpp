#include "decider.hpp"

#include "headgate/core/literals.hpp"
#include "headgate/limit/script.hpp"

#include <boost/asio/post.hpp>

#include <array>
#include <iterator>
#include <utility>

namespace headgate::redis {
namespace {

using namespace std::chrono_literals;

constexpr auto kSilence =
    1s;  // a PING unanswered this long ends the connection: the other side may be gone without a word

}  // namespace

Call::Call(Decider& decider, std::span<const limit::Ask> asks, std::span<limit::Verdict> verdicts, Breaker::Pass pass)
    : Call(decider, asks, verdicts, pass, nullptr) {}

Call::Call(Decider& decider, std::span<const limit::Ask> asks, std::span<limit::Verdict> verdicts, Breaker::Pass pass,
           Route& route)
    : Call(decider, asks, verdicts, pass, &route) {}

Call::Call(Decider& decider, std::span<const limit::Ask> asks, std::span<limit::Verdict> verdicts, Breaker::Pass pass,
           Route* route)
    : decider_(decider),
      asks_(asks),
      verdicts_(verdicts),
      pass_(pass),
      route_(route),
      asked_at_(Decider::Clock::now()),
      deadline_(route != nullptr ? route->deadline : asked_at_ + decider.setup_->options.timeout),
      heard_before_(decider.heard_),
      outcome_(Errc::unavailable) {
  decider_.queue(*this);
  decider_.stats_->asked.add();
  decider_.send(*this, "EVALSHA", limit::decide_script_sha());
  decider_.arm();
}

Call::~Call() {
  if (!done_) decider_.abandon(*this);
}

Decider::Decider(boost::asio::io_context& loop, std::shared_ptr<const Setup> setup, std::shared_ptr<NodeStats> stats,
                 std::function<void()> changed)
    : executor_(loop.get_executor()),
      setup_(std::move(setup)),
      stats_(std::move(stats)),
      changed_(std::move(changed)),
      connection_(std::make_shared<Connection>(loop, setup_, limit::decide_script(), limit::decide_script_sha())),
      log_(stats_->name),
      timer_(executor_) {}

void Decider::aim(const Node& node, std::shared_ptr<NodeStats> stats) {
  if (stopped_) return;
  connection_->start(shared_from_this());
  connection_->aim(node);
  if (stats == stats_) return;
  stats_ = std::move(stats);
  log_ = HealthLog(stats_->name);
}

void Decider::unreachable(const std::string& reason) {
  connection_->discard();
  lost(reason);
}

void Decider::stop(Errc why) {
  if (std::exchange(stopped_, true)) return;
  changed_ = nullptr;
  timer_.cancel();
  connection_->stop();
  probe_sent_.reset();
  stats_->health.store(Health::down, std::memory_order_relaxed);
  finish_all(why);
}

void Decider::retire() {
  changed_ = nullptr;
  retired_ = true;
  if (calls_.empty()) stop();
}

Result<Breaker::Pass> Decider::admit() {
  if (stopped_) return Errc::stopped;
  if (connection_->in_flight() >= setup_->options.max_in_flight) {
    stats_->turned_away.add();
    return Errc::overloaded;
  }
  const auto pass = breaker_.admit(Clock::now());
  if (pass != Breaker::Pass::refused) return pass;
  stats_->turned_away.add();
  return Errc::unavailable;
}

/// Nearly always at the end; a call that was sent on by another node has less time than those before it.
void Decider::queue(Call& call) {
  auto after = calls_.end();
  while (after != calls_.begin() && call.deadline_ < std::prev(after)->deadline_) --after;
  calls_.insert(after, call);
}

void Decider::send(Call& call, std::string_view command, std::string_view script) {
  limit::script_arguments(call.asks_, setup_->options.key_prefix, headgate::now(), arguments_);
  words_.assign({command, script});
  words_.insert(words_.end(), arguments_.begin(), arguments_.end());
  constexpr std::array<std::string_view, 1> kAsking{"ASKING"};
  if (call.route_ != nullptr && call.route_->asking) connection_->send(kAsking);
  connection_->send(words_, call);
}

void Decider::connected(Clock::duration round_trip) {
  const auto now = Clock::now();
  connected_once_ = true;
  stats_->connects.add();
  breaker_.connected(now, round_trip <= setup_->options.timeout ? Breaker::Answer::prompt : Breaker::Answer::late);
  note(now);
  arm();
}

void Decider::lost(const std::string& reason) {
  const auto now = Clock::now();
  probe_sent_.reset();
  breaker_.lost(now);
  trouble_ = reason;
  note(now);
  finish_all(Errc::unavailable);
}

void Decider::replied(Recipient* waiter, const Reply& reply) {
  const auto now = Clock::now();
  ++heard_;
  if (waiter == nullptr) return;
  if (waiter == &probe_) return probe_replied(reply, now);
  auto& call = static_cast<Call&>(*waiter);
  if (reply.kind == Reply::Kind::error) return refused(call, reply.text);
  bool all_allowed = false;
  if (!reply.all_integers || !limit::read_script_reply(reply.integers, call.asks_, call.verdicts_, all_allowed)) {
    stats_->refused.add();
    breaker_.released(now, call.pass_);
    log_.error("the answer to a decision has not the shape of one", now);
    return finish(call, Errc::bad_reply);
  }
  stats_->decided_after(std::chrono::duration_cast<Duration>(now - call.asked_at_));
  breaker_.succeeded(now, call.pass_);
  if (call.pass_ == Breaker::Pass::trial) note(now);
  finish(call, all_allowed);
}

void Decider::refused(Call& call, std::string_view error) {
  const auto now = Clock::now();
  const auto refusal = classify(error);
  if (refusal == Refusal::no_script && !std::exchange(call.resent_, true))
    return send(call, "EVAL", limit::decide_script());
  stats_->refused.add();
  if (call.route_ != nullptr) {
    call.route_->redirect = read_redirect(error);
    if (call.route_->redirect) {
      breaker_.succeeded(now, call.pass_);  // the node is well, it only is not the one to ask
      return finish(call, Errc::unavailable);
    }
  }
  if (refusal == Refusal::not_master || error.starts_with("NOAUTH"))
    return connection_->drop("it answered " + std::string(error));  // ends all calls, this one too
  if (refusal == Refusal::cannot_now || refusal == Refusal::denied) {
    breaker_.refused(now, call.pass_);
    trouble_ = "it answered " + std::string(error);
    note(now);
  } else {
    breaker_.released(now, call.pass_);
    log_.error(error, now);
  }
  finish(call, Errc::refused_by_server);
}

/// The last thing to be done with a call: the coroutine goes on, and may end anything.
void Decider::finish(Call& call, Result<bool> outcome) {
  call.unlink();
  call.done_ = true;
  call.outcome_ = outcome;
  if (retired_ && calls_.empty()) stop();
  if (call.task_) call.task_.resume();
}

void Decider::finish_all(Errc why) {
  const auto self = shared_from_this();
  while (!calls_.empty()) finish(calls_.front(), why);
}

void Decider::abandon(Call& call) {
  connection_->forget(call);
  breaker_.released(Clock::now(), call.pass_);
}

void Decider::tick() {
  wakes_at_.reset();
  if (stopped_) return;
  const auto now = Clock::now();
  expire(now);
  if (!stopped_) look_after_probe(now);
  if (!stopped_) arm();
}

void Decider::expire(Time now) {
  while (!calls_.empty() && calls_.front().deadline_ <= now) {
    Call& call = calls_.front();
    stats_->timed_out.add();
    connection_->forget(call);
    // Silence of less than a whole deadline, because another node had the call first, proves nothing.
    const bool whole = call.deadline_ - call.asked_at_ >= setup_->options.timeout;
    breaker_.timed_out(now, call.pass_,
                       whole && call.heard_before_ == heard_ ? Breaker::Heard::nothing : Breaker::Heard::other_replies);
    trouble_ = "no answer within " + to_text(setup_->options.timeout);
    note(now);
    finish(call, Errc::timed_out);
  }
}

void Decider::look_after_probe(Time now) {
  if (probe_sent_) {
    if (now - *probe_sent_ >= kSilence) return connection_->drop("no answer at all for 1s");
    if (now - *probe_sent_ < setup_->options.timeout || std::exchange(probe_overdue_, true)) return;
    breaker_.probe_overdue();
    return note(now);
  }
  if (const auto due = breaker_.next_probe(); !due || *due > now) return;
  constexpr std::array<std::string_view, 1> kPing{"PING"};
  breaker_.probe_sent();
  probe_sent_ = now;
  probe_overdue_ = false;
  connection_->send(kPing, probe_);
  note(now);
}

void Decider::probe_replied(const Reply& reply, Time now) {
  const bool prompt = probe_sent_ && now - *probe_sent_ <= setup_->options.timeout;
  probe_sent_.reset();
  // An error is an answer too ("LOADING", "MISCONF"): the next call will hear the same and is told so at once.
  static_cast<void>(reply);
  breaker_.probe_answered(now, prompt ? Breaker::Answer::prompt : Breaker::Answer::late);
  note(now);
  arm();
}

std::optional<Decider::Time> Decider::next_event() const {
  std::optional<Time> next;
  const auto no_later_than = [&](Time time) {
    if (!next || time < *next) next = time;
  };
  if (!calls_.empty()) no_later_than(calls_.front().deadline_);
  if (probe_sent_) no_later_than(*probe_sent_ + (probe_overdue_ ? Clock::duration(kSilence) : setup_->options.timeout));
  if (const auto due = breaker_.next_probe(); due && !probe_sent_) no_later_than(*due);
  return next;
}

// One timer for all calls. It is set again only when it fires or must fire earlier: under load once a deadline, not
// once a call.
void Decider::arm() {
  const auto next = next_event();
  if (!next || stopped_ || (wakes_at_ && *wakes_at_ <= *next)) return;
  wakes_at_ = *next;
  timer_.expires_at(*next);
  timer_.async_wait([self = shared_from_this()](error_code ec) {
    // Posted, so that answers which have arrived are read first: a loop that was late itself must not blame Redis.
    if (!ec) boost::asio::post(self->executor_, [self] { self->tick(); });
  });
}

void Decider::note(Time now) {
  const auto state = breaker_.state();
  const bool up = state == Breaker::State::closed && connected_once_;
  const Health health = up ? Health::up : state == Breaker::State::open ? Health::down : Health::trying;
  const Health before = stats_->health.exchange(health, std::memory_order_relaxed);
  log_.note(health, trouble_, now);
  if (up) trouble_.clear();
  if (health != before && changed_) changed_();
}

}  // namespace headgate::redis
