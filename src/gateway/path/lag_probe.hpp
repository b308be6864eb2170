#pragma once
// Measures how late the worker is with its own work, by an alarm that should ring ten times a second.

#include "headgate/core/clock.hpp"
#include "headgate/observe/metric_types.hpp"
#include "headgate/shed/loop_lag.hpp"

#include <memory>

namespace headgate::gateway {

/// The lag of one worker; its thread only. Lives no longer than its clock.
class LagProbe {
 public:
  LagProbe(Clock& clock, Duration tolerated);
  LagProbe(const LagProbe&) = delete;
  LagProbe& operator=(const LagProbe&) = delete;

  shed::LoopLag& lag() noexcept { return lag_; }
  /// Sets the gauge that shows each measurement; null for none. The gauge must live until the next call.
  void show(observe::Gauge* gauge) noexcept { gauge_ = gauge; }

 private:
  static void on_alarm(void* self);
  void plan();

  Clock& clock_;
  shed::LoopLag lag_;
  observe::Gauge* gauge_ = nullptr;
  Clock::Steady planned_{};
  std::unique_ptr<Alarm> alarm_;
};

}  // namespace headgate::gateway
