#include "headgate/redis/breaker.hpp"

#include <algorithm>

namespace headgate::redis {

Breaker::Breaker() : Breaker(Settings()) {}
Breaker::Breaker(const Settings& settings) : settings_(settings) {}

Breaker::Pass Breaker::admit(Time now) {
  if (state_ == State::closed) return Pass::call;
  const bool try_one = state_ == State::open && connected_ && cause_ == Cause::refusal && now >= look_at_;
  if (!try_one) return Pass::refused;
  state_ = State::half_open;
  return Pass::trial;
}

void Breaker::succeeded(Time now, Pass pass) {
  streak_ = 0;
  if (pass == Pass::trial) close(now);
}

void Breaker::refused(Time now, Pass pass) {
  // Answers to calls sent before it opened say nothing new.
  if (state_ == State::closed || pass == Pass::trial) open(now, Cause::refusal);
}

void Breaker::timed_out(Time now, Pass pass, Heard heard) {
  if (pass != Pass::trial && state_ != State::closed) return;
  if (pass == Pass::trial || heard == Heard::nothing || ++streak_ >= settings_.slow_streak) open(now, Cause::silence);
}

void Breaker::released(Time now, Pass pass) {
  if (pass != Pass::trial || state_ != State::half_open) return;
  state_ = State::open;
  look_at_ = now;
}

void Breaker::lost(Time now) {
  connected_ = probing_ = false;
  open(now, Cause::lost);
}

void Breaker::connected(Time now, Answer handshake) {
  connected_ = true;
  probing_ = false;
  if (handshake == Answer::prompt) return close(now);
  state_ = State::open;
  cause_ = Cause::silence;
  look_at_ = now;
}

std::optional<Breaker::Time> Breaker::next_probe() const noexcept {
  if (state_ != State::open || cause_ != Cause::silence || !connected_ || probing_) return std::nullopt;
  return look_at_;
}

void Breaker::probe_sent() {
  probing_ = true;
  state_ = State::half_open;
}

void Breaker::probe_overdue() {
  if (state_ == State::half_open && cause_ == Cause::silence) state_ = State::open;
}

void Breaker::probe_answered(Time now, Answer answer) {
  if (!probing_) return;
  probing_ = false;
  if (cause_ != Cause::silence || state_ == State::closed) return;
  if (answer == Answer::prompt) return close(now);
  state_ = State::open;
  look_at_ = now + settings_.least;  // awake again or still slow: the next one will tell
}

void Breaker::open(Time now, Cause cause) {
  const bool was_steady = state_ == State::closed && now - closed_at_ >= settings_.steady;
  if (was_steady) pause_ = Duration(0);
  state_ = State::open;
  cause_ = cause;
  streak_ = 0;
  if (cause == Cause::lost) return;  // the connection has a pause of its own
  // After the first silence ask at once: a hiccup just longer than the deadline is over by the time the PING arrives.
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
