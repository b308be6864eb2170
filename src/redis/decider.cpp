#include "decider.hpp"

#include "headgate/core/literals.hpp"
#include "headgate/limit/script.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace headgate::redis {
namespace {

using namespace std::chrono_literals;

constexpr auto kSilence =
    1s;  // a probe unanswered this long ends the connection: the other side may be gone without a word
constexpr auto kLongestWayBack = 2s;  // longer than all pauses between two looks, so that the others are back by then

}  // namespace

Call::Call(Decider& decider, std::span<const limit::Ask> asks, std::span<limit::Verdict> verdicts, Time deadline,
           Route* route)
    : decider_(decider),
      asks_(asks),
      verdicts_(verdicts),
      route_(route),
      asked_at_(Decider::Clock::now()),
      deadline_(deadline),
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
  probe_.sent.reset();
  stats_->health.store(Health::down, std::memory_order_relaxed);
  finish_all(why);
  go_on();
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
  const auto pass = breaker_.admit();
  if (pass != Breaker::Pass::refused) return pass;
  stats_->turned_away.add();
  return Errc::unavailable;
}

Task<Result<bool>> Decider::decide(std::shared_ptr<Decider> self, std::span<const limit::Ask> asks,
                                   std::span<limit::Verdict> verdicts) {
  const auto deadline = Clock::now() + self->setup_->options.timeout;
  auto pass = self->admit();
  if (pass.has_value() && *pass == Breaker::Pass::wait) {
    auto later = admit_later(self, deadline);
    pass = co_await later;
  }
  if (!pass) co_return Result<bool>(boost::system::in_place_error, pass.error());
  Call call(*self, asks, verdicts, deadline);
  co_return co_await call;
}

Task<Result<Breaker::Pass>> Decider::admit_later(std::shared_ptr<Decider> self, Time deadline) {
  Result<Breaker::Pass> pass = Breaker::Pass::wait;
  while (pass.has_value() && *pass == Breaker::Pass::wait) {
    if (Clock::now() >= deadline) {
      self->stats_->turned_away.add();
      co_return Errc::unavailable;
    }
    Pause pause(self->executor_, deadline);
    self->waiting_.push_back(pause);
    co_await pause;
    pass = self->admit();
  }
  co_return pass;
}

/// The probe has been answered, or will not be in time.
void Decider::go_on() {
  Pauses all;
  all.swap(waiting_);
  while (!all.empty()) all.front().cut();
}

/// Nearly always at the end; a call that was sent on by another node has less time than those before it.
void Decider::queue(Call& call) {
  auto after = calls_.end();
  while (after != calls_.begin() && call.deadline_ < std::prev(after)->deadline_) --after;
  calls_.insert(after, call);
}

std::span<const std::string_view> Decider::words_of(std::span<const limit::Ask> asks, std::string_view command,
                                                    std::string_view script) {
  limit::script_arguments(asks, setup_->options.key_prefix, headgate::now(), arguments_);
  words_.assign({command, script});
  words_.insert(words_.end(), arguments_.begin(), arguments_.end());
  return words_;
}

void Decider::send(Call& call, std::string_view command, std::string_view script) {
  constexpr std::array<std::string_view, 1> kAsking{"ASKING"};
  if (call.route_ != nullptr && call.route_->asking) connection_->send(kAsking);
  connection_->send(words_of(call.asks_, command, script), call);
}

void Decider::connected() {
  const auto now = Clock::now();
  stats_->connects.add();
  breaker_.connected(now);
  look_after_probe(now);
  arm();
}

void Decider::lost(const std::string& reason) {
  const auto now = Clock::now();
  probe_.sent.reset();
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
    log_.error("the answer to a decision has not the shape of one", now);
    return finish(call, Errc::bad_reply);
  }
  stats_->decided_after(std::chrono::duration_cast<Duration>(now - call.asked_at_));
  const bool was_proven = breaker_.proven();
  breaker_.succeeded();
  if (!was_proven) note(now);
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
      breaker_.succeeded();  // the node is well, it only is not the one to ask
      return finish(call, Errc::unavailable);
    }
  }
  if (refusal == Refusal::not_master || error.starts_with("NOAUTH"))
    return connection_->drop("it answered " + std::string(error));  // ends all calls, this one too
  if (refusal == Refusal::cannot_now || refusal == Refusal::denied) {
    breaker_.refused(now);
    trouble_ = "it answered " + std::string(error);
    note(now);
    arm();
  } else {
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

void Decider::abandon(Call& call) { connection_->forget(call); }

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
    // Silence of less than a whole deadline, because a probe or another node had a part of it, proves nothing.
    const bool whole = call.deadline_ - call.asked_at_ >= setup_->options.timeout * 9 / 10;
    breaker_.timed_out(now,
                       whole && call.heard_before_ == heard_ ? Breaker::Heard::nothing : Breaker::Heard::other_replies);
    trouble_ = "no answer within " + to_text(setup_->options.timeout);
    note(now);
    finish(call, Errc::timed_out);
  }
}

void Decider::look_after_probe(Time now) {
  if (probe_.sent) {
    if (now - *probe_.sent >= kSilence) return connection_->drop("no answer at all for 1s");
    if (now - *probe_.sent < setup_->options.timeout || std::exchange(probe_.overdue, true)) return;
    breaker_.probe_overdue(now);
    trouble_ = "no answer within " + to_text(setup_->options.timeout);
    return note(now);
  }
  if (const auto due = breaker_.next_probe(); !due || *due > now) return;
  breaker_.probe_sent();
  probe_.sent = now;
  probe_.overdue = probe_.resent = false;
  send_probe("EVALSHA", limit::decide_script_sha());
  note(now);
}

void Decider::send_probe(std::string_view command, std::string_view script) {
  const std::array<limit::Ask, 1> asks{probe_.ask()};
  connection_->send(words_of(asks, command, script), probe_);
}

void Decider::probe_replied(const Reply& reply, Time now) {
  const bool prompt = probe_.sent && now - *probe_.sent <= setup_->options.timeout;
  auto answer = prompt ? Breaker::Answer::accepted : Breaker::Answer::late;
  if (reply.kind == Reply::Kind::error) {
    const auto refusal = classify(reply.text);
    if (refusal == Refusal::no_script && !std::exchange(probe_.resent, true))
      return send_probe("EVAL", limit::decide_script());
    if (refusal == Refusal::not_master || reply.text.starts_with("NOAUTH"))
      return connection_->drop("it answered " + std::string(reply.text));
    // A node that sends us on is well, it only is not the one to ask.
    const bool sends_on = setup_->options.topology == Topology::cluster && read_redirect(reply.text);
    if (!sends_on) answer = Breaker::Answer::refused;
    if (!sends_on) trouble_ = "it answered " + std::string(reply.text);
  } else if (!probe_.counted(reply)) {
    answer = Breaker::Answer::refused;
    trouble_ = "the answer to a decision has not the shape of one";
  }
  probe_.sent.reset();
  breaker_.probe_answered(now, answer);
  note(now);
  arm();
}

std::optional<Decider::Time> Decider::next_event() const {
  std::optional<Time> next;
  const auto no_later_than = [&](Time time) {
    if (!next || time < *next) next = time;
  };
  if (!calls_.empty()) no_later_than(calls_.front().deadline_);
  if (probe_.sent) no_later_than(*probe_.sent + (probe_.overdue ? Clock::duration(kSilence) : setup_->options.timeout));
  if (const auto due = breaker_.next_probe(); due && !probe_.sent) no_later_than(*due);
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
  const bool up = breaker_.proven();
  const Health health = up ? Health::up : state == Breaker::State::open ? Health::down : Health::trying;
  const Health before = stats_->health.exchange(health, std::memory_order_relaxed);
  log_.note(health, trouble_, now);
  if (up) {
    trouble_.clear();
    if (down_since_) way_back_until_ = now + std::min<Clock::duration>(now - *down_since_, kLongestWayBack);
    down_since_.reset();
  } else if (!down_since_ && !trouble_.empty()) {
    down_since_ = now;
  }
  if (health != before && changed_) changed_();
  if (state == Breaker::State::half_open || waiting_.empty()) return;
  boost::asio::post(executor_, [self = shared_from_this()] { self->go_on(); });
}

}  // namespace headgate::redis
