#pragma once
// Calls from other threads that a service handles on its own thread.

#include "headgate/core/clock.hpp"

#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace headgate::services {

/// A queue of calls for one thread: the thread that creates the queue and runs the clock's loop. Waiting calls are
/// dropped on destruction, so a call may hold its owner by a plain pointer.
class MainCalls {
 public:
  explicit MainCalls(Clock& clock) : bell_(clock.bell(&MainCalls::run, this)) {}
  MainCalls(const MainCalls&) = delete;
  MainCalls& operator=(const MainCalls&) = delete;

  /// Runs `what` on that thread soon, in the order of the calls. Any thread.
  void post(std::function<void()> what);
  /// Does the same as post(), but runs `what` at once if called on that thread.
  void dispatch(std::function<void()> what);

 private:
  static void run(void* self);

  const std::thread::id main_ = std::this_thread::get_id();
  std::mutex mutex_;
  std::vector<std::function<void()>> waiting_;
  std::unique_ptr<Bell> bell_;
};

}  // namespace headgate::services
