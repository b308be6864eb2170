#include "headgate/services/main_calls.hpp"

#include <utility>

namespace headgate::services {

void MainCalls::post(std::function<void()> what) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(what));
  }
  bell_->ring();
}

void MainCalls::dispatch(std::function<void()> what) {
  if (std::this_thread::get_id() == main_) return what();
  post(std::move(what));
}

void MainCalls::run(void* self) {
  auto& calls = *static_cast<MainCalls*>(self);
  std::vector<std::function<void()>> due;
  {
    const std::lock_guard lock(calls.mutex_);
    due.swap(calls.waiting_);
  }
  for (const auto& each : due) each();
}

}  // namespace headgate::services
