#include "headgate/services/top_service.hpp"

#include <utility>

namespace headgate::services {

TopService::TopService(Clock& clock, TakeTops take)
    : clock_(clock),
      calls_(clock),
      take_(std::move(take)),
      alarm_(clock.alarm(
          [](void* self) {
            auto& service = *static_cast<TopService*>(self);
            service.collect({});
            service.alarm_->set(kEvery);
          },
          this)),
      board_(clock.steady()) {}

void TopService::stop() {
  alarm_.reset();
  take_ = nullptr;
  const std::lock_guard lock(mutex_);
  closed_ = true;
}

/// Collects the sketches of all workers. Each worker hands over its own in a task on its own thread, so no worker waits
/// for another.
void TopService::collect(std::function<void()> then) {
  struct Parts {
    std::mutex mutex;
    std::vector<std::vector<observe::LimitSketches>> all;
  };
  if (!take_) return;
  const auto parts = std::make_shared<Parts>();
  take_(
      [parts](std::vector<observe::LimitSketches> taken) {
        const std::lock_guard lock(parts->mutex);
        parts->all.push_back(std::move(taken));
      },
      [self = shared_from_this(), parts, then = std::move(then)] {
        self->calls_.post([to = self.get(), parts, then] {
          for (const auto& part : parts->all) to->board_.add(part, to->clock_.steady());
          if (then) then();
        });
      });
}

void TopService::refresh(std::function<void()> done) {
  const std::lock_guard lock(mutex_);
  if (closed_) return;
  calls_.post([this, done = std::move(done)] { collect(done); });
}

}  // namespace headgate::services
