#pragma once
// Interfaces for reading the time, for alarms, and for calls from other threads. Code that uses them can run in a test
// on a clock that is a variable. Used by nearly all modules.

#include "headgate/core/time.hpp"

#include <chrono>
#include <ctime>
#include <memory>

namespace headgate {

/// An alarm, owned by its user. Use it only on the thread of its clock. Must not outlive the clock.
class Alarm {
 public:
  using Ring = void (*)(void* owner);
  /// Cancels the alarm. May be called from its own ring.
  virtual ~Alarm() = default;
  /// Rings once, `after` from now or slightly later, and never from within this call. Replaces an earlier time.
  virtual void set(Duration after) = 0;
};

/// A bell that other threads can ring. Calls its owner on the thread of the loop, once for all rings since the last
/// call. Destroy it on that thread, or after the loop has stopped; its owner is not called afterwards.
class Bell {
 public:
  virtual ~Bell() = default;
  /// Rings. Any thread. The owner is called soon, and not from within this call.
  virtual void ring() = 0;
};

/// The two clocks, steady and wall. The implementation for production is net::LoopClock. Reading: any thread. Alarms:
/// the thread of the loop that rings them.
class Clock {
 public:
  using Steady = std::chrono::steady_clock::time_point;

  virtual ~Clock() = default;
  /// Returns a time that is never set back, to measure durations.
  virtual Steady steady() const noexcept = 0;
  /// Returns the time of day, by which limits count and things expire.
  virtual Instant wall() const noexcept = 0;
  /// Returns the time of day in whole seconds, at a fraction of the cost of wall().
  virtual std::time_t second() const noexcept = 0;
  /// Creates an alarm that is not set. The alarm calls `ring(owner)`.
  virtual std::unique_ptr<Alarm> alarm(Alarm::Ring ring, void* owner) = 0;
  /// Creates a bell that other threads can ring. The bell calls `ring(owner)`.
  virtual std::unique_ptr<Bell> bell(Alarm::Ring ring, void* owner) = 0;
};

}  // namespace headgate
