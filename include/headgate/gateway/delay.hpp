#pragma once
// The wait of a request for its permit, for the auth service, or for the next part of a stream of the admin interface.
// A Delay is precise, unlike the coarse timers of the worker, so that requests leave evenly spaced. If Exchange::delay
// points to the Delay, the wait also ends when the client leaves.

#include "headgate/core/clock.hpp"

#include <coroutine>
#include <cstdint>
#include <memory>

namespace headgate::gateway {

/// `co_await delay` resumes after `time`, or soon after end(). Worker thread only. A delay lives in the coroutine frame
/// that awaits it, and destroying the frame cancels the alarm.
class Delay {
 public:
  /// The subject of the wait, for lists of requests under way.
  enum class For : std::uint8_t { permit, place, retry, auth };

  Delay(Clock& clock, Duration time, For what = For::permit)
      : alarm_(clock.alarm(&Delay::over, this)), time_(time), what_(what) {}
  Delay(const Delay&) = delete;
  Delay& operator=(const Delay&) = delete;

  For waits_for() const noexcept { return what_; }
  /// Ends the wait. The loop resumes the coroutine later, not inside this call.
  void end() { alarm_->set(Duration(0)); }

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> task) {
    task_ = task;
    alarm_->set(time_);
  }
  void await_resume() const noexcept {}

 private:
  static void over(void* self) { static_cast<Delay*>(self)->task_.resume(); }

  std::unique_ptr<Alarm> alarm_;
  Duration time_;
  For what_;
  std::coroutine_handle<> task_;
};

}  // namespace headgate::gateway
