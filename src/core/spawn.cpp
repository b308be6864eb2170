#include "headgate/core/task.hpp"

#include <spdlog/spdlog.h>

#include <exception>

namespace headgate {
namespace {

/// The root of a chain of tasks: starts at once, frees itself at its end.
struct Root {
  struct promise_type : frame_pool::Pooled {
    Root get_return_object() const noexcept { return {}; }
    std::suspend_never initial_suspend() const noexcept { return {}; }
    std::suspend_never final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    [[noreturn]] void unhandled_exception() const noexcept { std::terminate(); }
  };
};

Root drive(Task<void> task, const char* name) {
  try {
    co_await task;
  } catch (const std::exception& bug) {
    spdlog::error("event=bug task={} what={}", name, bug.what());
  } catch (...) {
    spdlog::error("event=bug task={} what=unknown", name);
  }
}

}  // namespace

void spawn(Task<void> task, const char* name) { drive(std::move(task), name); }

}  // namespace headgate
