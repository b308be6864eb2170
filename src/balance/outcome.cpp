#include "headgate/balance/outcome.hpp"

#include <utility>

namespace headgate::balance {

void Tally::note(AttemptTally& counted, AttemptOutcome outcome, Duration took) noexcept {
  if (counted.era != era.load(std::memory_order_relaxed)) return;
  if (std::exchange(counted.noted, true)) {
    if (outcome != AttemptOutcome::answered) add(late);
    return;
  }
  add(ended[static_cast<std::size_t>(outcome)]);
  if (std::exchange(counted.owed, false)) add(settled);
  const bool head = outcome == AttemptOutcome::answered || outcome == AttemptOutcome::server_error;
  if (head && took >= Duration(0)) add(latencies[latency_bucket(took)]);
  if (!counted.trial) return;
  if (outcome == AttemptOutcome::answered) trial_took.store(took.count(), std::memory_order_relaxed);
  add(outcome == AttemptOutcome::answered ? trials_passed : trials_failed);
}

void Tally::end(AttemptTally& counted) noexcept {
  open.store(open.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
  if (counted.noted || counted.era != era.load(std::memory_order_relaxed)) return;
  counted.noted = true;
  if (std::exchange(counted.owed, false)) {
    add(settled);
    add(abandoned);
  }
  if (counted.trial) add(trials_abandoned);
}

}  // namespace headgate::balance
