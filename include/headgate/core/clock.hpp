#pragma once
// What time it is, and being called: when a time has come, or when another thread asks for it. An interface: what reads
// time through it runs in a test on a clock that is a variable.

#include "headgate/core/time.hpp"

#include <chrono>
#include <ctime>
#include <memory>

namespace headgate {

/// One wait, its owner's. On its clock's thread, and lives no longer than its clock.
class Alarm {
 public:
  using Ring = void (*)(void* owner);
  /// It rings no more. Its own ring may destroy it.
  virtual ~Alarm() = default;
  /// Rings once, `after` from now or a little later, and not from within this call. An earlier time is forgotten.
  virtual void set(Duration after) = 0;
};

/// Calls its owner on the thread of the loop, once for all rings since the last call. Destroyed on that thread, or when
/// the loop runs no more; then its owner is called no more.
class Bell {
 public:
  virtual ~Bell() = default;
  /// Any thread. The owner is called soon, and not from within this call.
  virtual void ring() = 0;
};

/// The two clocks. The real one is net::LoopClock. Reading: any thread. Alarms: the thread of the loop that rings them.
class Clock {
 public:
  using Steady = std::chrono::steady_clock::time_point;

  virtual ~Clock() = default;
  /// Never set back: what durations are measured by.
  virtual Steady steady() const noexcept = 0;
  /// The time of day: what limits are counted by, and what expires does so by.
  virtual Instant wall() const noexcept = 0;
  /// The same in whole seconds, at a fraction of the price.
  virtual std::time_t second() const noexcept = 0;
  /// Not set yet; `ring(owner)` is what it calls.
  virtual std::unique_ptr<Alarm> alarm(Alarm::Ring ring, void* owner) = 0;
  /// For other threads to ring.
  virtual std::unique_ptr<Bell> bell(Alarm::Ring ring, void* owner) = 0;
};

}  // namespace headgate
