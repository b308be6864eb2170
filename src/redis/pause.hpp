#pragma once
// A wait within a decision. It can end before its time.

#include "headgate/core/time.hpp"

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/intrusive/list.hpp>

#include <chrono>
#include <coroutine>
#include <memory>
#include <utility>

namespace headgate::redis {

/// The wait. Await it once: it ends at its time or when cut() is called. The object lives in the frame that awaits it,
/// and the frame may be destroyed before the wait ends.
class Pause : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  Pause(const boost::asio::io_context::executor_type& executor, SteadyClock::time_point until)
      : timer_(executor, until), self_(std::make_shared<Pause*>(this)) {}
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;
  ~Pause() { *self_ = nullptr; }

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> task) {
    task_ = task;
    timer_.async_wait([self = self_](const auto&) {
      if (*self != nullptr) (*self)->cut();
    });
  }
  void await_resume() const noexcept {}

  /// Resumes the waiting coroutine, which may destroy this object.
  void cut() {
    unlink();
    if (task_) std::exchange(task_, nullptr).resume();
  }

 private:
  using Timer = boost::asio::basic_waitable_timer<SteadyClock, boost::asio::wait_traits<SteadyClock>,
                                                  boost::asio::io_context::executor_type>;

  Timer timer_;
  std::shared_ptr<Pause*> self_;  ///< the timer's handler may run after the object is destroyed
  std::coroutine_handle<> task_;
};

using Pauses = boost::intrusive::list<Pause, boost::intrusive::constant_time_size<false>>;

}  // namespace headgate::redis
