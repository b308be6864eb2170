#include "headgate/upstream/counted_attempt.hpp"

#include <chrono>

namespace headgate::upstream {

void CountedAttempt::lend(std::size_t at) noexcept {
  at_ = at;
  lent_ = true;
  balance::add_in_flight(row_, 1);
  row_.tally.begin(counted_);
}

void CountedAttempt::take_back() noexcept {
  if (!std::exchange(lent_, false)) return;
  balance::add_in_flight(row_, -1);
  row_.tally.end(counted_);
  if (place_.held()) place_.leave(std::chrono::duration_cast<Duration>(clock_.steady().time_since_epoch()));
}

}  // namespace headgate::upstream
