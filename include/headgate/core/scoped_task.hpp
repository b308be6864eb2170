#pragma once
// A task that runs beside its parent. The parent ends only after it has waited for the end of this task. Used by
// gateway.

#include "headgate/core/task.hpp"

#include <coroutine>
#include <utility>

namespace headgate {

/// The child of a task; one at a time, on the thread of its parent. When this object is destroyed, the child must have
/// ended or never started. The frame that joins the child must not be destroyed while it waits, because the child
/// resumes that frame. Spawned tasks are never destroyed while they wait (core/task.hpp).
class ScopedTask {
 public:
  /// Runs `task` until its first wait, then returns. `name` has static storage.
  void start(Task<void> task, const char* name) {
    running_ = true;
    spawn(run(std::move(task)), name);
  }
  bool done() const noexcept { return !running_; }

  /// co_await child.join() waits until the child has ended.
  auto join() noexcept {
    struct Joined {
      ScopedTask& child;
      bool await_ready() const noexcept { return child.done(); }
      void await_suspend(std::coroutine_handle<> parent) const noexcept { child.parent_ = parent; }
      void await_resume() const noexcept {}
    };
    return Joined{*this};
  }

 private:
  Task<void> run(Task<void> task) {
    const ResumeParent ended{*this};
    co_await task;
  }

  /// Resumes the parent, however the task ends. At that point, this frame only needs to be freed.
  struct ResumeParent {
    ScopedTask& child;
    ~ResumeParent() {
      child.running_ = false;
      if (child.parent_) std::exchange(child.parent_, nullptr).resume();
    }
  };

  bool running_ = false;
  std::coroutine_handle<> parent_;
};

}  // namespace headgate
