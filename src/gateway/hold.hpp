#pragma once
// Holds a request back until its permit: precise, unlike the worker's coarse timer, so that what leaves is evenly
// spaced.

#include "headgate/core/time.hpp"

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <coroutine>

namespace headgate::gateway {

/// co_await hold; resumes after `time`, or at once when ended. Worker thread only; lives in the awaiting frame.
class Hold {
 public:
  Hold(boost::asio::io_context& loop, Duration time) : timer_(loop.get_executor(), time) {}
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

  void end() { timer_.cancel(); }

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> task) {
    timer_.async_wait([task](const auto&) { task.resume(); });
  }
  void await_resume() const noexcept {}

 private:
  using Clock = std::chrono::steady_clock;
  boost::asio::basic_waitable_timer<Clock, boost::asio::wait_traits<Clock>, boost::asio::io_context::executor_type>
      timer_;
};

}  // namespace headgate::gateway
