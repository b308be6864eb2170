#pragma once
// Task: headgate's coroutine. Lazy, owned by the coroutine that awaits it, one frame, no executor (measured: no more
// CPU time than callbacks). Used by all modules with I/O.

#include "headgate/core/frame_pool.hpp"
#include "headgate/core/result.hpp"

#include <coroutine>
#include <exception>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

namespace headgate {

template <class T>
class Task;

namespace detail {

struct TaskPromiseBase : frame_pool::Pooled {
  std::coroutine_handle<> parent = std::noop_coroutine();
  std::exception_ptr thrown;
  bool starting = false;  // true if the parent's await is still on the stack
  bool ended = false;

  struct ToParent {
    bool await_ready() const noexcept { return false; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> self) const noexcept {
      self.promise().ended = true;
      // A parent that is still starting this task continues on its own, so that many children that never wait do not
      // pile up on the stack. Symmetric transfer alone prevents that only in optimised builds.
      return self.promise().starting ? std::noop_coroutine() : self.promise().parent;
    }
    void await_resume() const noexcept {}
  };
  std::suspend_always initial_suspend() const noexcept { return {}; }
  ToParent final_suspend() const noexcept { return {}; }
  void unhandled_exception() noexcept { thrown = std::current_exception(); }
};

template <class T>
inline constexpr bool takes_itself_for_a_value = false;
template <class T, class E>
inline constexpr bool takes_itself_for_a_value<Result<T, E>> = std::is_constructible_v<T, const Result<T, E>>;

/// Whether a coroutine with result T may return a U. A `Result` is refused where a bool is expected: use `has_value()`.
/// A const Result<bool> is refused as well. Because it cannot be moved from, the constructor of Result<bool> that takes
/// a value would be chosen, and would turn an error into true.
template <class U, class T>
concept ReturnedAs = std::is_convertible_v<U, T> && !(std::is_same_v<U, const T> && takes_itself_for_a_value<T>);

template <class T>
struct TaskPromise : TaskPromiseBase {
  std::optional<T> value;
  Task<T> get_return_object() noexcept;
  template <ReturnedAs<T> U>
  void return_value(U&& result) {
    value.emplace(std::forward<U>(result));
  }
  T take() {
    if (thrown) std::rethrow_exception(thrown);
    return std::move(*value);
  }
};

template <>
struct TaskPromise<void> : TaskPromiseBase {
  Task<void> get_return_object() noexcept;
  void return_void() const noexcept {}
  void take() const {
    if (thrown) std::rethrow_exception(thrown);
  }
};

}  // namespace detail

/// A coroutine that runs when awaited, on the awaiting thread, and resumes its parent at its end. Move-only; destroying
/// it destroys the frame. An exception inside is rethrown in the parent.
template <class T = void>
class [[nodiscard]] Task {
 public:
  using promise_type = detail::TaskPromise<T>;

  explicit Task(std::coroutine_handle<promise_type> handle) noexcept : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      if (handle_) handle_.destroy();
      handle_ = std::exchange(other.handle_, nullptr);
    }
    return *this;
  }
  ~Task() {
    if (handle_) handle_.destroy();
  }

  bool await_ready() const noexcept { return false; }
  /// Returns false if the child ended without waiting; the parent then continues at once.
  bool await_suspend(std::coroutine_handle<> parent) noexcept {
    auto& promise = handle_.promise();
    promise.parent = parent;
    promise.starting = true;
    handle_.resume();
    promise.starting = false;
    return !promise.ended;
  }
  T await_resume() { return handle_.promise().take(); }

 private:
  std::coroutine_handle<promise_type> handle_;
};

template <class T>
Task<T> detail::TaskPromise<T>::get_return_object() noexcept {
  return Task<T>(std::coroutine_handle<TaskPromise<T>>::from_promise(*this));
}
inline Task<void> detail::TaskPromise<void>::get_return_object() noexcept {
  return Task<void>(std::coroutine_handle<TaskPromise<void>>::from_promise(*this));
}

/// Receives the text of an exception that nobody caught. It exists because this module cannot use the log of a higher
/// module. The default writes to stderr. Set it once at startup, before other threads run.
using ReportBug = void (*)(std::string_view task, std::string_view what) noexcept;
void report_bugs_to(ReportBug tell) noexcept;

/// Starts `task` at once on this thread and keeps it alive until its end. So the frame of the task, and the frames of
/// the tasks that it awaits, are never destroyed while they wait. `name` (static storage) names the task in the log. An
/// exception that escapes the task is logged as a bug and not rethrown.
void spawn(Task<void> task, const char* name);

}  // namespace headgate
