#pragma once
// A task that runs beside its parent: structured, for the parent waits for its end before it leaves.

#include "headgate/core/task.hpp"

#include <coroutine>
#include <utility>

namespace headgate {

/// One child at a time; same thread as its parent. Must be done or never started when destroyed.
class Child {
 public:
  /// Runs `task` at once until it first waits. `name` has static storage.
  void start(Task<void> task, const char* name) {
    running_ = true;
    spawn(run(std::move(task)), name);
  }
  bool done() const noexcept { return !running_; }

  /// co_await child.join(): until the child has ended.
  auto join() noexcept {
    struct Joined {
      Child& child;
      bool await_ready() const noexcept { return child.done(); }
      void await_suspend(std::coroutine_handle<> parent) const noexcept { child.parent_ = parent; }
      void await_resume() const noexcept {}
    };
    return Joined{*this};
  }

 private:
  Task<void> run(Task<void> task) {
    const Ended ended{*this};
    co_await task;
  }

  /// Tells the parent however the task ends; by the time it runs on, this frame is only waiting to be freed.
  struct Ended {
    Child& child;
    ~Ended() {
      child.running_ = false;
      if (child.parent_) std::exchange(child.parent_, nullptr).resume();
    }
  };

  bool running_ = false;
  std::coroutine_handle<> parent_;
};

}  // namespace headgate
