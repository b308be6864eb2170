#pragma once
// A clock that is a variable: time passes only when a test says so, and alarms ring at their times.

#include "support/rules.hpp"

#include "headgate/core/clock.hpp"
#include "headgate/core/result.hpp"

#include <algorithm>
#include <coroutine>
#include <utility>
#include <vector>

namespace headgate::test {

class VirtualClock final : public Clock {
 public:
  Steady steady() const noexcept override { return Steady(std::chrono::hours(1000) + passed_); }
  Instant wall() const noexcept override { return kStart + passed_; }
  std::time_t second() const noexcept override {
    return std::chrono::duration_cast<std::chrono::seconds>(wall().time_since_epoch()).count();
  }
  std::unique_ptr<Alarm> alarm(Alarm::Ring ring, void* owner) override {
    return std::make_unique<OnThisClock>(*this, ring, owner);
  }

  std::unique_ptr<Bell> bell(Alarm::Ring ring, void* owner) override {
    return std::make_unique<AlarmBell>(*this, ring, owner);
  }

  /// Lets time pass. Alarms that are set for a time in between ring at that time, in order.
  void advance(Duration by) {
    const auto until = passed_ + by;
    while (auto* const next = earliest(until)) {
      passed_ = std::max(passed_, next->due);
      next->armed = false;
      next->ring(next->owner);
    }
    passed_ = until;
  }
  Duration passed() const noexcept { return passed_; }  ///< time since the construction
  Duration late{0};                                     ///< how much later alarms ring than they should
  std::size_t armed() const {
    return static_cast<std::size_t>(std::count_if(all_.begin(), all_.end(), [](auto* one) { return one->armed; }));
  }

 private:
  struct OnThisClock final : Alarm {
    OnThisClock(VirtualClock& whose, Ring what, void* of) : clock(whose), ring(what), owner(of) {
      clock.all_.push_back(this);
    }
    OnThisClock(const OnThisClock&) = delete;
    OnThisClock& operator=(const OnThisClock&) = delete;
    ~OnThisClock() override { std::erase(clock.all_, this); }
    void set(Duration after) override {
      due = clock.passed_ + std::max(after, Duration(0)) + clock.late;
      armed = true;
    }
    VirtualClock& clock;
    Ring ring;
    void* owner;
    Duration due{0};
    bool armed = false;
  };

  /// A bell. After ring(), its owner is called at the next advance(), even if no time passes.
  struct AlarmBell final : Bell {
    AlarmBell(VirtualClock& whose, Alarm::Ring what, void* of) : alarm(whose, what, of) {}
    void ring() override { alarm.set(Duration(0)); }
    OnThisClock alarm;
  };

  OnThisClock* earliest(Duration until) const {
    OnThisClock* found = nullptr;
    for (auto* const one : all_)
      if (one->armed && one->due <= until && (!found || one->due < found->due)) found = one;
    return found;
  }

  Duration passed_{0};
  std::vector<OnThisClock*> all_;
};

/// A wait: `co_await wait` ends when the time is over (without an error), or when the wait is ended early.
class Wait {
 public:
  Wait(Clock& clock, Duration time) : alarm_(clock.alarm(&Wait::over, this)), time_(time) {}
  Wait(const Wait&) = delete;
  Wait& operator=(const Wait&) = delete;

  void end(error_code why) {
    why_ = why;
    alarm_.reset();
    if (task_) std::exchange(task_, nullptr).resume();
  }

  bool await_ready() const noexcept { return time_ <= Duration(0) || why_; }
  void await_suspend(std::coroutine_handle<> task) {
    task_ = task;
    alarm_->set(time_);
  }
  error_code await_resume() const noexcept { return why_; }

 private:
  static void over(void* self) { std::exchange(static_cast<Wait*>(self)->task_, nullptr).resume(); }

  std::unique_ptr<Alarm> alarm_;
  Duration time_;
  error_code why_;
  std::coroutine_handle<> task_;
};

}  // namespace headgate::test
