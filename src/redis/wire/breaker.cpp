#include "headgate/redis/breaker.hpp"

#include <algorithm>

namespace headgate::redis {

Breaker::Breaker() : Breaker(Settings()) {}
Breaker::Breaker(const Settings& settings) : settings_(settings) {}

// Decides about a new call. If the breaker opened because of silence, no call may wait for the probe: if the probe is
// not answered either, each wait takes a whole deadline.
Breaker::Pass Breaker::admit() const noexcept {
  if (state_ == State::closed) return Pass::call;
  return state_ == State::half_open && cause_ == Cause::refusal ? Pass::wait : Pass::refused;
}

void Breaker::succeeded() noexcept {
  streak_ = 0;
  proven_ = true;
}

// Opens the breaker after an error. If the breaker is already open, an answer to a call that was sent before gives no
// new information.
void Breaker::refused(Time now) {
  if (state_ == State::closed) open(now, Cause::refusal);
}

void Breaker::timed_out(Time now, Replies heard) {
  if (state_ != State::closed) return;
  if (heard == Replies::none || ++streak_ >= settings_.slow_streak) open(now, Cause::silence);
}

void Breaker::lost(Time now) {
  connected_ = probing_ = proven_ = false;
  open(now, Cause::lost);
}

void Breaker::connected(Time now) {
  connected_ = true;
  probing_ = proven_ = false;
  look_at_ = now;
}

std::optional<Breaker::Time> Breaker::next_probe() const noexcept {
  const bool needed = state_ == State::open || (state_ == State::closed && !proven_);
  if (!connected_ || probing_ || !needed) return std::nullopt;
  return look_at_;
}

void Breaker::probe_sent() {
  probing_ = true;
  if (state_ == State::open) state_ = State::half_open;
}

void Breaker::probe_overdue(Time now) {
  if (state_ == State::closed) return open(now, Cause::silence);
  state_ = State::open;
  cause_ = Cause::silence;
}

void Breaker::probe_answered(Time now, Answer answer) {
  if (!probing_) return;
  probing_ = false;
  if (answer == Answer::refused) return open(now, Cause::refusal);
  if (answer == Answer::accepted) {
    proven_ = true;
    if (state_ != State::closed) close(now);
    return;
  }
  state_ = State::open;
  cause_ = Cause::silence;
  look_at_ = now + settings_.least;  // the next probe will show whether the server works again or is still slow
}

void Breaker::open(Time now, Cause cause) {
  const bool was_steady = state_ == State::closed && now - closed_at_ >= settings_.steady;
  if (was_steady) pause_ = Duration(0);
  state_ = State::open;
  cause_ = cause;
  streak_ = 0;
  if (cause == Cause::lost) return;  // the connection itself pauses before it connects again
  // After the first silence, the probe is sent at once, because the silence may be a pause of Redis that ends soon
  // after the deadline.
  const Duration pause = cause == Cause::refusal ? std::max(pause_, settings_.least) : pause_;
  pause_ = std::clamp(pause * 2, settings_.least, settings_.most);
  look_at_ = now + pause;
}

void Breaker::close(Time now) {
  state_ = State::closed;
  streak_ = 0;
  closed_at_ = now;
}

}  // namespace headgate::redis
