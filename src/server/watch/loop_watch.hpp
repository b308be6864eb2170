#pragma once
// Measures how late a worker is, with an alarm that should ring once a second.

#include "headgate/core/clock.hpp"
#include "headgate/observe/metric_types.hpp"

#include <memory>

namespace headgate::server {

/// The watch of one worker. Worker thread only. The worker's loop does not end while the watch exists. The clock must
/// outlive the watch.
class LoopWatch {
 public:
  static constexpr Duration kEvery = std::chrono::seconds(1);

  /// Shows each measurement, in seconds, in `gauge`, which outlives it.
  LoopWatch(Clock& clock, observe::Gauge& gauge);
  LoopWatch(const LoopWatch&) = delete;
  LoopWatch& operator=(const LoopWatch&) = delete;

 private:
  static void on_alarm(void* self);
  void plan();

  Clock& clock_;
  observe::Gauge& gauge_;
  Clock::Steady planned_{};
  std::unique_ptr<Alarm> alarm_;
};

}  // namespace headgate::server
