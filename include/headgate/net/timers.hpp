#pragma once
// The coarse timers of a worker: any number of deadlines on one tick, each armed and disarmed in constant time. (A
// kernel timer per operation was measured to cost four timerfd_settime calls per request.) Used by streams and
// sessions.

#include "headgate/core/time.hpp"

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/intrusive/list.hpp>

#include <array>
#include <chrono>
#include <cstdint>

namespace headgate::net {

class Timers;

/// A deadline. A Timer is a member of the object that it guards. Unlinks itself when disarmed, fired or destroyed.
class Timer : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  using Action = void (*)(void* owner);
  Timer(Action action, void* owner) noexcept : action_(action), owner_(owner) {}
  void disarm() noexcept {
    if (is_linked()) unlink();
  }
  bool armed() const noexcept { return is_linked(); }

 private:
  friend class Timers;
  Action action_;
  void* owner_;
  std::uint64_t due_ = 0;  // tick at which the timer fires
};

/// A hashed timer wheel. Worker thread only; outlives its armed timers. It ticks only while a timer is armed, so a loop
/// with nothing else to do can end.
class Timers {
 public:
  static constexpr auto kTick =
      std::chrono::milliseconds(50);  ///< a deadline fires at most this much late and never early

  explicit Timers(boost::asio::io_context& loop);
  /// Returns the timers of a loop, for a loop without timers of its own. They are created and started at first use, and
  /// stopped when the loop is destroyed.
  static Timers& of(boost::asio::io_context& loop);
  /// Arms or re-arms `timer`, which fires once, `after` from now or up to a tick later.
  void arm(Timer& timer, Duration after) noexcept;
  /// Starts ticking. No timer fires before this call.
  void start();
  /// Stops ticking, so that no timer fires any more. May be called from an action.
  void stop();

 private:
  using Slot = boost::intrusive::list<Timer, boost::intrusive::constant_time_size<false>>;
  class Service;
  void start_ticking();
  void await_tick();
  void fire(Slot& slot);
  bool any_armed() const noexcept;

  static constexpr std::size_t kSlots = 512;
  std::array<Slot, kSlots> slots_;
  std::uint64_t tick_ = 0;
  bool ticking_ = false;
  bool started_ = false;
  bool stopped_ = false;
  boost::asio::basic_waitable_timer<std::chrono::steady_clock, boost::asio::wait_traits<std::chrono::steady_clock>,
                                    boost::asio::io_context::executor_type>
      clock_;
};

}  // namespace headgate::net
