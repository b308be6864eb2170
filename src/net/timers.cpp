#include "headgate/net/timers.hpp"

namespace headgate::net {

Timers::Timers(boost::asio::io_context& loop) : clock_(loop) {}

void Timers::arm(Timer& timer, Duration after) noexcept {
  timer.disarm();
  const auto tick = std::chrono::duration_cast<Duration>(kTick).count();
  // One more tick than fits, for part of the present one is over.
  timer.due_ = tick_ + static_cast<std::uint64_t>((after.count() + tick - 1) / tick) + 1;
  slots_[timer.due_ % kSlots].push_back(timer);
}

void Timers::start() {
  clock_.expires_after(kTick);
  turn();
}

void Timers::stop() {
  stopped_ = true;
  clock_.cancel();
}

void Timers::turn() {
  clock_.async_wait([this](const boost::system::error_code& ec) {
    if (ec) return;
    // After a stall (a suspended machine) all that was missed is made good at once.
    const auto now = std::chrono::steady_clock::now();
    while (!stopped_ && clock_.expiry() <= now) {
      ++tick_;
      fire(slots_[tick_ % kSlots]);
      clock_.expires_at(clock_.expiry() + kTick);
    }
    if (!stopped_) turn();
  });
}

void Timers::fire(Slot& slot) {
  // An action may arm or disarm any timer, so the slot is emptied first and what is not due yet goes back.
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
