#include "headgate/engine/virtual_clock.hpp"

#include <algorithm>
#include <utility>

namespace headgate::engine {

class VirtualClock::OnThisClock final : public Alarm, public frame_pool::Pooled {
 public:
  OnThisClock(VirtualClock& clock, Ring ring, void* owner) noexcept : clock_(clock), ring_(ring), owner_(owner) {}
  OnThisClock(const OnThisClock&) = delete;
  OnThisClock& operator=(const OnThisClock&) = delete;
  ~OnThisClock() override { clock_.forget(*this); }
  void set(Duration after) override { clock_.set(*this, after); }

 private:
  friend class VirtualClock;
  static constexpr std::size_t kNotSet = ~std::size_t{0};

  VirtualClock& clock_;
  Ring ring_;
  void* owner_;
  std::size_t at_ = kNotSet;  ///< position in the heap
};

class VirtualClock::AlarmBell final : public Bell {
 public:
  AlarmBell(VirtualClock& clock, Alarm::Ring what, void* owner) noexcept : alarm_(clock, what, owner) {}
  void ring() override { alarm_.set(Duration(0)); }

 private:
  OnThisClock alarm_;
};

std::unique_ptr<Alarm> VirtualClock::alarm(Alarm::Ring ring, void* owner) {
  return std::make_unique<OnThisClock>(*this, ring, owner);
}

std::unique_ptr<Bell> VirtualClock::bell(Alarm::Ring ring, void* owner) {
  return std::make_unique<AlarmBell>(*this, ring, owner);
}

void VirtualClock::advance_to(Instant moment) {
  const auto until = moment - start_;
  while (!due_.empty() && due_.front().at <= until) ring_first();
  passed_ = std::max(passed_, until);
}

bool VirtualClock::advance_to_alarm() {
  if (due_.empty()) return false;
  ring_first();
  return true;
}

void VirtualClock::ring_first() {
  const auto next = due_.front();
  forget(*next.alarm);
  passed_ = std::max(passed_, next.at);
  next.alarm->ring_(next.alarm->owner_);  // the call may destroy the alarm
}

void VirtualClock::set(OnThisClock& alarm, Duration after) {
  const Due due{.at = passed_ + std::max(after, Duration(0)), .number = ++numbered_, .alarm = &alarm};
  forget(alarm);
  due_.push_back(due);
  rise(due_.size() - 1, due);
}

void VirtualClock::forget(OnThisClock& alarm) noexcept {
  if (alarm.at_ == OnThisClock::kNotSet) return;
  const auto gap = std::exchange(alarm.at_, OnThisClock::kNotSet);
  const auto last = due_.back();
  due_.pop_back();
  if (gap == due_.size()) return;
  if (gap > 0 && last.before(due_[(gap - 1) / 2]))
    rise(gap, last);
  else
    sink(gap, last);
}

void VirtualClock::put(std::size_t at, const Due& due) noexcept {
  due_[at] = due;
  due.alarm->at_ = at;
}

/// Puts `due` into the gap at `at` of the heap, or above it.
void VirtualClock::rise(std::size_t at, Due due) noexcept {
  for (; at > 0 && due.before(due_[(at - 1) / 2]); at = (at - 1) / 2) put(at, due_[(at - 1) / 2]);
  put(at, due);
}

/// Puts `due` at `at` of the heap or below it. `due` was the last entry, which rarely belongs near the top, so the gap
/// moves down to a leaf first.
void VirtualClock::sink(std::size_t at, Due due) noexcept {
  for (auto child = 2 * at + 1; child < due_.size(); child = 2 * at + 1) {
    if (child + 1 < due_.size() && due_[child + 1].before(due_[child])) ++child;
    put(at, due_[child]);
    at = child;
  }
  rise(at, due);
}

}  // namespace headgate::engine
