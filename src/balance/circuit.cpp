#include "headgate/balance/circuit.hpp"

namespace headgate::balance {

bool Circuit::step(Steady now, const CircuitNews& news) {
  switch (state_) {
    case CircuitState::closed:
      window_.add(now, news.good, news.bad);
      return window_.total() >= options_.at_least && window_.reaches(options_.open_at) &&
             become(CircuitState::open, now);
    case CircuitState::open:
      // Exchanges that end now began before the circuit opened.
      return now >= until_ && become(CircuitState::half_open, now);
    case CircuitState::half_open:
      break;
  }
  if (news.probes_failed > 0) return become(CircuitState::open, now);
  passed_ += news.probes_passed;
  if (passed_ >= options_.trials) return become(CircuitState::closed, now);
  // A probe that ended without an outcome is repeated. If probes do not end, new ones may pass after `try_again`.
  probes_ += news.probes_left;
  if (now < until_) return false;
  until_ = now + options_.try_again;
  probes_ = probes_ > 0 ? probes_ : options_.trials;
  return false;
}

bool Circuit::become(CircuitState state, Steady now) {
  state_ = state;
  since_ = now;
  until_ = now + options_.try_again;
  passed_ = 0;
  probes_ = state == CircuitState::half_open ? options_.trials : 0;
  if (state == CircuitState::closed) window_.clear();
  return true;
}

}  // namespace headgate::balance
