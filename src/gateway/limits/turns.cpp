#include "turns.hpp"

#include "gateway/exchange/deadline.hpp"
#include "limit_key.hpp"

#include "headgate/gateway/snapshot.hpp"
#include "headgate/limit/algorithm.hpp"
#include "headgate/limit/limiter.hpp"

#include <algorithm>
#include <chrono>

namespace headgate::gateway {
namespace {

using shed::InQueue;
using std::chrono::milliseconds;

/// The interval at which the first request of a queue asks Redis for a permit, because other gateways do not report
/// returned permits. The interval grows during the wait: with a fixed interval, clients with many keys could cause many
/// calls.
constexpr Duration kAskAgain = milliseconds(25);
constexpr Duration kAskAtLeast = milliseconds(250);
/// The interval after a permit was returned on this gateway, because its own message to Redis may still be on the way.
constexpr Duration kAskSoon = milliseconds(5);
/// The head start in Redis of each higher priority over the next lower one, in milliseconds. It is longer than any
/// wait.
constexpr std::uint32_t kEarlier = 1'000'000'000;

Duration ask_again(Clock::Steady::duration waited) noexcept {
  return std::clamp(std::chrono::duration_cast<Duration>(waited / 8), kAskAgain, kAskAtLeast);
}

bool is_queued_for(const limit::Rule& rule) noexcept { return rule.wait > Duration(0) && !rule.algorithm->refills; }

}  // namespace

bool Turn::can_wait(const limit::Check& check) noexcept {
  return check.how == limit::How::take && is_queued_for(*check.rule);
}

Turn::~Turn() {
  leave();
  if (has_waited()) x_.flight.waited += std::chrono::duration_cast<Duration>(x_.clock->steady() - since_);
}

bool Turn::over() const noexcept {
  return x_.client_gone || (since_ != Clock::Steady() && x_.clock->steady() >= until_);
}

Turn::May Turn::begin(const Batch& batch) {
  waits_ = false;
  if (queued()) {
    if (!is_first()) {
      waits_ = !over();
      return waits_ ? May::wait : May::not_pass;
    }
  } else {
    const auto checks = batch.checks;
    const auto taken = [&](const auto& check) { return can_wait(check) && turns_.anyone_waits(check.hash); };
    const auto found = std::find_if(checks.begin(), checks.end(), taken);
    if (found != checks.end()) {
      if (!stand(batch, static_cast<std::size_t>(found - checks.begin()))) return May::not_pass;
      waits_ = !called_;
      if (waits_) return May::wait;
    }
  }
  called_ = false;
  if (batch.source == Source::redis) tell_redis(batch);
  return May::ask;
}

bool Turn::stays(const Batch& batch) {
  waits_ = false;
  const auto& [checks, decisions, source, limits] = batch;
  std::size_t full = checks.size();
  for (std::size_t i = checks.size(); i-- > 0;) {
    if (checks[i].how != limit::How::take || decisions[i].allowed) continue;
    if (!can_wait(checks[i])) return false;
    full = i;
  }
  if (full == checks.size() || over()) return false;
  if (queued() && queue() == checks[full].hash) return waits_ = true;
  leave();
  return waits_ = stand(batch, full);
}

/// Queues the request. The wait begins when the request is queued for the first time, and lasts at most as long as this
/// limit and the client allow. For a place at the upstream, the wait is also bounded by the route's timeout.
bool Turn::stand(const Batch& batch, std::size_t at) {
  const auto& check = batch.checks[at];
  const auto now = x_.clock->steady();
  auto until = until_;
  if (since_ == Clock::Steady()) {
    auto longest = check.rule->wait;
    if (for_ == For::place) longest = std::min(longest, x_.route->timeout);
    if (const auto left = time_left(x_)) longest = std::min(longest, *left);
    until = now + longest;
  }
  if (until <= now) return false;
  if (for_ == For::place) {
    priority = x_.shedding.effective;
    line = line_of(x_);
  }
  if (!stand_in(check.hash, check.rule->queue)) return false;
  if (since_ == Clock::Steady()) {
    since_ = now;
    until_ = until;
  }
  for (const auto& checked : batch.limits)
    if (at + batch.limits.front().first >= checked.first) x_.flight.waited_for = checked.tier;
  in_redis_ = batch.source != Source::memory;
  return true;
}

/// Writes into the checks whether the request is queued, and since when.
void Turn::tell_redis(const Batch& batch) {
  if (!queued() || over()) return;
  const auto waited = std::chrono::duration_cast<milliseconds>(x_.clock->steady() - since_);
  for (auto& check : batch.checks) {
    if (check.hash != queue() || !can_wait(check)) continue;
    // Redis knows only the order of arrival, so a request of a higher priority is registered with a much earlier
    // arrival.
    const auto earlier =
        kEarlier * static_cast<std::uint32_t>(shed::kPriorities - 1 - static_cast<std::size_t>(priority));
    check.waited = static_cast<std::uint32_t>(waited.count() + 1) + (for_ == For::place ? earlier : 0);
    told_ = check;
  }
}

Task<void> Turn::wait() {
  if (called_ || over()) co_return;
  auto time = std::chrono::duration_cast<Duration>(until_ - x_.clock->steady());
  if (in_redis_ && is_first()) time = std::min(time, soon_ ? kAskSoon : ask_again(x_.clock->steady() - since_));
  co_await wait_for_turn(time);
  soon_ = called_;
}

void Turn::leave() noexcept {
  leave_line();
  if (!told_) return;
  const auto back = given_back(*told_);
  told_.reset();
  x_.snapshot->redis->settle({&back, 1});
}

bool InLine::stand_in(const Hash& queue, std::size_t most) {
  turns_.queues_.leave(*this);
  const auto place = turns_.queues_.join(*this, queue, most);
  // The first request in the queue may ask at once, because a permit may have been returned since its rejection.
  called_ = place == InQueue::first;
  return place != InQueue::full;
}

bool InLine::is_first() const noexcept { return turns_.queues_.is_first(*this); }

Task<void> InLine::wait_for_turn(Duration time) {
  Delay delay(*x_.clock, time, Delay::For::place);
  delay_ = x_.delay = &delay;
  co_await delay;
  delay_ = x_.delay = nullptr;
}

void InLine::its_turn() noexcept {
  const std::lock_guard lock(turns_.mutex_);
  if (!in_called_.is_linked()) turns_.called_.push_back(*this);
  turns_.bell_->ring();
}

void InLine::leave_line() noexcept {
  turns_.queues_.leave(*this);
  const std::lock_guard lock(turns_.mutex_);
  if (in_called_.is_linked()) turns_.called_.erase(turns_.called_.iterator_to(*this));
}

Turns::Turns(Clock& clock, shed::WaitQueues& queues) : queues_(queues), bell_(clock.bell(&Turns::on_bell, this)) {}

Turns::~Turns() = default;

void Turns::freed(std::span<const limit::Check> checks) noexcept {
  for (const auto& check : checks)
    if (is_queued_for(*check.rule)) queues_.freed(check.hash);
}

void Turns::on_bell(void* self) { static_cast<Turns*>(self)->call_in(); }

void Turns::call_in() {
  const std::lock_guard lock(mutex_);
  while (!called_.empty()) {
    auto& turn = called_.front();
    called_.pop_front();
    turn.called_ = true;
    if (turn.delay_) turn.delay_->end();
  }
}

}  // namespace headgate::gateway
