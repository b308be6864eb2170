#include "headgate/net/timers.hpp"

#include <algorithm>

namespace headgate::net {

/// The timers of a loop, which live as long as the loop.
class Timers::Service final : public boost::asio::execution_context::service {
 public:
  using key_type = Service;
  inline static boost::asio::execution_context::id id;

  explicit Service(boost::asio::execution_context& context)
      : service(context), timers(static_cast<boost::asio::io_context&>(context)) {
    timers.start();
  }

  Timers timers;

 private:
  void shutdown() override { timers.stop(); }
};

Timers& Timers::of(boost::asio::io_context& loop) { return boost::asio::use_service<Service>(loop).timers; }

Timers::Timers(boost::asio::io_context& loop) : clock_(loop) {}

void Timers::arm(Timer& timer, Duration after) noexcept {
  timer.disarm();
  const auto tick = std::chrono::duration_cast<Duration>(kTick).count();
  // One tick is added, because a part of the current tick has already passed.
  timer.due_ = tick_ + static_cast<std::uint64_t>((after.count() + tick - 1) / tick) + 1;
  slots_[timer.due_ % kSlots].push_back(timer);
  if (!ticking_) start_ticking();
}

void Timers::start() {
  started_ = true;
  if (!ticking_ && any_armed()) start_ticking();
}

void Timers::start_ticking() {
  if (!started_ || stopped_) return;
  ticking_ = true;
  clock_.expires_after(kTick);
  await_tick();
}

bool Timers::any_armed() const noexcept {
  return std::any_of(slots_.begin(), slots_.end(), [](const Slot& slot) { return !slot.empty(); });
}

void Timers::stop() {
  stopped_ = true;
  clock_.cancel();
}

void Timers::await_tick() {
  clock_.async_wait([this](const boost::system::error_code& ec) {
    if (ec) return;
    // After a pause, such as a suspended machine, all timers that were missed fire at once.
    const auto now = std::chrono::steady_clock::now();
    while (!stopped_ && clock_.expiry() <= now) {
      ++tick_;
      fire(slots_[tick_ % kSlots]);
      clock_.expires_at(clock_.expiry() + kTick);
    }
    ticking_ = !stopped_ && any_armed();
    if (ticking_) await_tick();
  });
}

void Timers::fire(Slot& slot) {
  // The slot is emptied first, because an action may arm or disarm any timer. Timers that are not due yet are put back.
  Slot due;
  due.swap(slot);
  while (!stopped_ && !due.empty()) {
    Timer& timer = due.front();
    due.pop_front();
    if (timer.due_ > tick_) {
      slot.push_back(timer);
    } else {
      timer.action_(timer.owner_);
    }
  }
}

}  // namespace headgate::net
