#include "headgate/shed/slot.hpp"

#include <algorithm>
#include <utility>

namespace headgate::shed {

void Slot::take(Concurrency& from, Priority priority, Steady now) noexcept {
  leave();
  from.enter(priority, now);
  from_ = &from;
  priority_ = priority;
  since_ = now;
}

void Slot::answered(Steady sent, Steady now) {
  if (auto* const from = std::exchange(from_, nullptr))
    from->answered(priority_, std::chrono::duration_cast<Duration>(now - std::max(sent, since_)), now);
}

void Slot::dropped(Steady now) {
  if (auto* const from = std::exchange(from_, nullptr)) from->dropped(priority_, now);
}

void Slot::missed(Steady now) {
  if (!held()) return;
  from_->enter(priority_);  // Keeps the place for the next attempt, so that no other request gets it.
  from_->dropped(priority_, now);
}

void Slot::abandoned(Steady now) {
  if (!held()) return;
  if (now - since_ > from_->usual_latency() && from_->usual_latency() > Duration(0)) return answered(since_, now);
  leave();
}

}  // namespace headgate::shed
