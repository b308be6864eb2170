#pragma once
// Lets one coroutine wait for an event that another one causes. Used by session and upstream.

#include "headgate/core/result.hpp"
#include "headgate/net/timers.hpp"

#include <boost/asio/error.hpp>

#include <coroutine>
#include <utility>

namespace headgate::net {

/// An event. At most one coroutine waits at a time. While it waits, its frame must not be destroyed. Worker thread
/// only.
class Wake {
 public:
  explicit Wake(Timers& timers) noexcept : timers_(timers) {}
  Wake(const Wake&) = delete;
  Wake& operator=(const Wake&) = delete;
  ~Wake() = default;

  class Waiting {
   public:
    Waiting(Wake& wake, Duration most) noexcept : wake_(wake), most_(most) {}
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiter) const noexcept {
      wake_.waiter_ = waiter;
      wake_.timers_.arm(wake_.timer_, most_);
    }
    error_code await_resume() const noexcept { return wake_.result_; }

   private:
    Wake& wake_;
    Duration most_;
  };

  /// Returns an awaitable; co_await it at once. The result is no error once wake() was called, the error of wake(), or
  /// timed_out after `most`.
  Waiting wait(Duration most) noexcept { return {*this, most}; }
  /// Resumes the waiting coroutine within this call, which may destroy this object. Does nothing if no coroutine waits.
  void wake(error_code result = {}) {
    if (!waiter_) return;
    timer_.disarm();
    result_ = result;
    std::exchange(waiter_, nullptr).resume();
  }
  bool waits() const noexcept { return static_cast<bool>(waiter_); }

 private:
  static void expired(void* self) { static_cast<Wake*>(self)->wake(boost::asio::error::timed_out); }

  Timers& timers_;
  Timer timer_{&expired, this};
  std::coroutine_handle<> waiter_;
  error_code result_;
};

}  // namespace headgate::net
