#include "node_client.hpp"

#include "headgate/core/literals.hpp"
#include "headgate/redis/errors.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace headgate::redis {
namespace {

using namespace std::chrono_literals;

// If a probe has had no answer for this time, the connection is closed, because the server may have disappeared
// silently.
constexpr auto kSilence = 1s;
constexpr std::string_view kInvalid = "the reply to a decision is invalid";
/// Returns the reason for the log why the server is not called after this error reply.
std::string trouble_of(std::string_view error) {
  const auto help = help_for_scripts(error);
  return help.empty() ? "it answered " + std::string(error) : std::string(help);
}

// longest recovery period after Redis is up again. The period is longer than any pause between two probes, so that all
// gateways have reached Redis again before it ends
constexpr auto kLongestWayBack = 2s;

}  // namespace

Call::Call(NodeClient& node_client, ScriptQuestion& question, Time deadline, ClusterHop* route)
    : node_client_(node_client),
      question_(question),
      route_(route),
      asked_at_(SteadyClock::now()),
      deadline_(deadline),
      heard_before_(node_client.heard_),
      outcome_(Errc::unavailable) {
  node_client_.queue(*this);
  node_client_.stats_->sent.add();
  node_client_.send(*this, NodeClient::Form::sha);
  node_client_.arm();
}

Call::~Call() {
  if (!done_) node_client_.abandon(*this);
}

NodeClient::NodeClient(boost::asio::io_context& loop, std::shared_ptr<const Setup> setup,
                       std::shared_ptr<NodeStats> stats, std::function<void()> changed)
    : executor_(loop.get_executor()),
      setup_(std::move(setup)),
      stats_(std::move(stats)),
      changed_(std::move(changed)),
      connection_(std::make_shared<Connection>(loop, setup_, decide_script().text, decide_script().sha)),
      log_(stats_->name),
      timer_(executor_) {}

void NodeClient::aim(const RedisNode& node, std::shared_ptr<NodeStats> stats) {
  if (stopped_) return;
  connection_->start(shared_from_this());
  connection_->aim(node);
  if (stats == stats_) return;
  stats_ = std::move(stats);
  log_ = HealthLog(stats_->name);
}

void NodeClient::unreachable(const std::string& reason) {
  connection_->discard();
  lost(reason);
}

void NodeClient::stop(Errc why) {
  if (std::exchange(stopped_, true)) return;
  changed_ = nullptr;
  timer_.cancel();
  connection_->stop();
  probe_.sent.reset();
  stats_->health.store(RedisHealth::down, std::memory_order_relaxed);
  finish_all(why);
  go_on();
}

void NodeClient::retire() {
  changed_ = nullptr;
  retired_ = true;
  if (calls_.empty()) stop();
}

Result<Breaker::Pass> NodeClient::admit() {
  if (stopped_) return Errc::stopped;
  if (connection_->in_flight() >= setup_->options.max_in_flight) {
    stats_->not_sent.add();
    return Errc::overloaded;
  }
  const auto pass = breaker_.admit();
  if (pass != Breaker::Pass::refused) return pass;
  stats_->not_sent.add();
  return Errc::unavailable;
}

/// Makes a call. The question of a decision is stored in this coroutine's frame, because a separate coroutine would
/// need one more frame for each request.
template <class AnyQuestion>
Task<Result<bool>> NodeClient::run(std::shared_ptr<NodeClient> self, AnyQuestion question) {
  const auto deadline = SteadyClock::now() + self->setup_->options.timeout;
  auto pass = self->admit();
  if (pass.has_value() && *pass == Breaker::Pass::wait) {
    auto later = admit_later(self, deadline);
    pass = co_await later;
  }
  if (!pass) co_return Result<bool>(boost::system::in_place_error, pass.error());
  Call call(*self, question, deadline);
  co_return co_await call;
}

Task<Result<bool>> NodeClient::ask(std::shared_ptr<NodeClient> self, ScriptQuestion& question) {
  return run<ScriptQuestion&>(std::move(self), question);
}

Task<Result<bool>> NodeClient::decide(std::shared_ptr<NodeClient> self, std::span<const limit::Check> checks,
                                      std::span<limit::Decision> decisions) {
  const DecisionQuestion question(checks, decisions, self->setup_->options.key_prefix);
  return run<DecisionQuestion>(std::move(self), question);
}

Task<Result<Breaker::Pass>> NodeClient::admit_later(std::shared_ptr<NodeClient> self, Time deadline) {
  Result<Breaker::Pass> pass = Breaker::Pass::wait;
  while (pass.has_value() && *pass == Breaker::Pass::wait) {
    if (SteadyClock::now() >= deadline) {
      self->stats_->not_sent.add();
      co_return Errc::unavailable;
    }
    Pause pause(self->executor_, deadline);
    self->waiting_.push_back(pause);
    co_await pause;
    pass = self->admit();
  }
  co_return pass;
}

/// Called when the probe was answered or its deadline has passed.
void NodeClient::go_on() {
  Pauses all;
  all.swap(waiting_);
  while (!all.empty()) all.front().cut();
}

/// Inserts the call in the order of deadlines. Its place is nearly always the end, but a call that another node has
/// redirected has less time left than the calls before it.
void NodeClient::queue(Call& call) {
  auto after = calls_.end();
  while (after != calls_.begin() && call.deadline_ < std::prev(after)->deadline_) --after;
  calls_.insert(after, call);
}

std::span<const std::string_view> NodeClient::words_of(const ScriptQuestion& question, Form form) {
  const Script& script = question.script();
  question.write(arguments_);
  if (form == Form::sha)
    words_.assign({"EVALSHA", script.sha});
  else
    words_.assign({"EVAL", script.text});
  words_.insert(words_.end(), arguments_.begin(), arguments_.end());
  return words_;
}

void NodeClient::send(Call& call, Form form) {
  constexpr std::array<std::string_view, 1> kAsking{"ASKING"};
  if (call.route_ != nullptr && call.route_->asking) connection_->send(kAsking);
  connection_->send(words_of(call.question_, form), call);
}

void NodeClient::connected() {
  const auto now = SteadyClock::now();
  stats_->connects.add();
  breaker_.connected(now);
  look_after_probe(now);
  arm();
}

void NodeClient::lost(const std::string& reason) {
  const auto now = SteadyClock::now();
  probe_.sent.reset();
  breaker_.lost(now);
  trouble_ = reason;
  note(now);
  finish_all(Errc::unavailable);
}

void NodeClient::replied(Recipient* waiter, const Reply& reply) {
  const auto now = SteadyClock::now();
  ++heard_;
  if (waiter == nullptr) return;
  if (waiter == &probe_) return probe_replied(reply, now);
  auto& call = static_cast<Call&>(*waiter);
  if (reply.kind == Reply::Kind::error) return refused(call, reply.text);
  const auto answer = call.question_.read(reply);
  if (answer.has_error()) {
    stats_->refused.add();
    if (!call.question_.heard("the reply is invalid")) log_.error(kInvalid, now);
    return finish(call, answer);
  }
  stats_->decided_after(std::chrono::duration_cast<Duration>(now - call.asked_at_));
  const bool was_proven = breaker_.proven();
  breaker_.succeeded();
  if (!was_proven) note(now);
  finish(call, answer);
}

void NodeClient::refused(Call& call, std::string_view error) {
  const auto now = SteadyClock::now();
  const auto refusal = classify(error);
  if (refusal == ErrorReply::no_script && !std::exchange(call.resent_, true)) return send(call, Form::whole);
  stats_->refused.add();
  if (call.route_ != nullptr) {
    call.route_->redirect = read_redirect(error);
    if (call.route_->redirect) {
      breaker_.succeeded();  // the node works, but does not own the slot
      return finish(call, Errc::unavailable);
    }
  }
  if (refusal == ErrorReply::not_master || error.starts_with("NOAUTH"))
    return connection_->drop("it answered " + std::string(error));  // this ends all calls, including the current one
  const bool of_the_server = refusal == ErrorReply::cannot_now;
  if (!of_the_server && call.question_.heard(error)) return finish(call, Errc::refused_by_server);
  if (of_the_server || refusal == ErrorReply::rejected) {
    breaker_.refused(now);
    trouble_ = trouble_of(error);
    note(now);
    arm();
  } else {
    log_.error(error, now);
  }
  finish(call, Errc::refused_by_server);
}

/// Ends a call with its outcome. Must be the last use of the call, because the coroutine resumes and may destroy
/// anything.
void NodeClient::finish(Call& call, Result<bool> outcome) {
  call.unlink();
  call.done_ = true;
  call.outcome_ = outcome;
  if (retired_ && calls_.empty()) stop();
  if (call.task_) call.task_.resume();
}

void NodeClient::finish_all(Errc why) {
  const auto self = shared_from_this();
  while (!calls_.empty()) finish(calls_.front(), why);
}

void NodeClient::abandon(Call& call) { connection_->forget(call); }

void NodeClient::tick() {
  wakes_at_.reset();
  if (stopped_) return;
  const auto now = SteadyClock::now();
  expire(now);
  if (!stopped_) look_after_probe(now);
  if (!stopped_) arm();
}

void NodeClient::expire(Time now) {
  while (!calls_.empty() && calls_.front().deadline_ <= now) {
    Call& call = calls_.front();
    stats_->timed_out.add();
    connection_->forget(call);
    // A silence proves nothing if it was shorter than a whole deadline: the wait for a probe, or another node, may have
    // used a part of this call's deadline.
    const bool whole = call.deadline_ - call.asked_at_ >= setup_->options.timeout * 9 / 10;
    breaker_.timed_out(now, whole && call.heard_before_ == heard_ ? Breaker::Replies::none : Breaker::Replies::others);
    trouble_ = "it did not answer within " + to_text(setup_->options.timeout);
    note(now);
    finish(call, Errc::timed_out);
  }
}

void NodeClient::look_after_probe(Time now) {
  if (probe_.sent) {
    if (now - *probe_.sent >= kSilence) return connection_->drop("it did not answer at all for 1s");
    if (now - *probe_.sent < setup_->options.timeout || std::exchange(probe_.overdue, true)) return;
    breaker_.probe_overdue(now);
    trouble_ = "it did not answer within " + to_text(setup_->options.timeout);
    return note(now);
  }
  if (const auto due = breaker_.next_probe(); !due || *due > now) return;
  breaker_.probe_sent();
  probe_.sent = now;
  probe_.overdue = probe_.resent = false;
  send_probe(Form::sha);
  note(now);
}

void NodeClient::send_probe(Form form) {
  const std::array<limit::Check, 1> checks{probe_.check()};
  const DecisionQuestion question(checks, {}, setup_->options.key_prefix);
  connection_->send(words_of(question, form), probe_);
}

void NodeClient::probe_replied(const Reply& reply, Time now) {
  const bool prompt = probe_.sent && now - *probe_.sent <= setup_->options.timeout;
  auto answer = prompt ? Breaker::Answer::accepted : Breaker::Answer::late;
  if (reply.kind == Reply::Kind::error) {
    const auto refusal = classify(reply.text);
    if (refusal == ErrorReply::no_script && !std::exchange(probe_.resent, true)) return send_probe(Form::whole);
    if (refusal == ErrorReply::not_master || reply.text.starts_with("NOAUTH"))
      return connection_->drop("it answered " + std::string(reply.text));
    // A node that answers with a redirect works, but does not own the slot.
    const bool sends_on = setup_->options.topology == Topology::cluster && read_redirect(reply.text);
    if (!sends_on) answer = Breaker::Answer::refused;
    if (!sends_on) trouble_ = trouble_of(reply.text);
  } else if (!probe_.counted(reply)) {
    answer = Breaker::Answer::refused;
    trouble_ = kInvalid;
  }
  probe_.sent.reset();
  breaker_.probe_answered(now, answer);
  note(now);
  arm();
}

std::optional<NodeClient::Time> NodeClient::next_event() const {
  std::optional<Time> next;
  const auto no_later_than = [&](Time time) {
    if (!next || time < *next) next = time;
  };
  if (!calls_.empty()) no_later_than(calls_.front().deadline_);
  if (probe_.sent)
    no_later_than(*probe_.sent + (probe_.overdue ? SteadyClock::duration(kSilence) : setup_->options.timeout));
  if (const auto due = breaker_.next_probe(); due && !probe_.sent) no_later_than(*due);
  return next;
}

// Sets the timer, which all calls share, but only if it has fired or must fire earlier. So under load, it is set once
// per deadline and not for each call.
void NodeClient::arm() {
  const auto next = next_event();
  if (!next || stopped_ || (wakes_at_ && *wakes_at_ <= *next)) return;
  wakes_at_ = *next;
  timer_.expires_at(*next);
  timer_.async_wait([self = shared_from_this()](error_code ec) {
    // tick() is posted, so that answers that have already arrived are read first. They did not come too late if only
    // the loop was late.
    if (!ec) boost::asio::post(self->executor_, [self] { self->tick(); });
  });
}

void NodeClient::note(Time now) {
  const auto state = breaker_.state();
  const bool up = breaker_.proven();
  const RedisHealth health = up                              ? RedisHealth::up
                             : state == Breaker::State::open ? RedisHealth::down
                                                             : RedisHealth::trying;
  const RedisHealth before = stats_->health.exchange(health, std::memory_order_relaxed);
  if (setup_->tells) log_.note(health, trouble_, now);
  if (up) {
    trouble_.clear();
    if (down_since_) recovering_until_ = now + std::min<SteadyClock::duration>(now - *down_since_, kLongestWayBack);
    down_since_.reset();
  } else if (!down_since_ && !trouble_.empty()) {
    down_since_ = now;
  }
  if (health != before && changed_) changed_();
  if (state == Breaker::State::half_open || waiting_.empty()) return;
  boost::asio::post(executor_, [self = shared_from_this()] { self->go_on(); });
}

}  // namespace headgate::redis
