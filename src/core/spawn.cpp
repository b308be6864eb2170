#include "headgate/core/task.hpp"

#include <cstdio>
#include <exception>

namespace headgate {
namespace {

void say_on_stderr(std::string_view task, std::string_view what) noexcept {
  std::fprintf(stderr, "headgate: bug in task %.*s: %.*s\n", static_cast<int>(task.size()), task.data(),
               static_cast<int>(what.size()), what.data());
}

ReportBug report_bug = say_on_stderr;

/// The root of a chain of tasks. It starts at once and frees itself at its end.
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
    report_bug(name, bug.what());
  } catch (...) {
    report_bug(name, "unknown");
  }
}

}  // namespace

void report_bugs_to(ReportBug tell) noexcept { report_bug = tell != nullptr ? tell : say_on_stderr; }

void spawn(Task<void> task, const char* name) { drive(std::move(task), name); }

}  // namespace headgate
