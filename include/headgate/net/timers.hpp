#pragma once
// The coarse timer of a worker: any number of deadlines on one tick, armed and disarmed in constant time.
// (A kernel timer an operation costs four timerfd_settime a request; measured.)

#include "headgate/core/time.hpp"

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/intrusive/list.hpp>

#include <array>
#include <chrono>
#include <cstdint>

namespace headgate::net {

class Timers;

/// One deadline. Owned by what it guards; leaves its wheel when disarmed, fired or destroyed.
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
  std::uint64_t due_ = 0;  // tick
};

/// A hashed wheel. Worker thread only; outlives its timers' being armed. Ticks only while something is armed, so a loop
/// that has nothing else to wait for runs dry.
class Timers {
 public:
  static constexpr auto kTick = std::chrono::milliseconds(50);  ///< a deadline fires up to this much late, never early

  explicit Timers(boost::asio::io_context& loop);
  /// Those of a loop that has none of its own: made at first use, started, stopped when the loop ends.
  static Timers& of(boost::asio::io_context& loop);
  /// (Re)arms: `timer` fires once, `after` from now or up to a tick later.
  void arm(Timer& timer, Duration after) noexcept;
  /// Nothing fires before.
  void start();
  /// Nothing fires any more; from within an action too.
  void stop();

 private:
  using Slot = boost::intrusive::list<Timer, boost::intrusive::constant_time_size<false>>;
  class Service;
  void tick_on();
  void turn();
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
