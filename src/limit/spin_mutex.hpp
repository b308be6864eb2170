#pragma once
// A lock for critical sections of about ten nanoseconds. Used by MemoryStore.

#include <atomic>
#include <cstdint>

namespace headgate::limit {

/// A mutex that spins for about a microsecond before it sleeps. std::mutex sleeps at once, and a wake-up costs a
/// hundred times as much as the critical section. Like std::mutex, it has no queue, so a thread may overtake another.
/// No thread starves, because each thread must compete for the lock every time. Any thread.
class SpinMutex {
 public:
  void lock() noexcept {
    if (!try_lock()) wait();
  }
  bool try_lock() noexcept {
    std::uint32_t free = kFree;
    return state_.compare_exchange_strong(free, kHeld, std::memory_order_acquire, std::memory_order_relaxed);
  }
  void unlock() noexcept {
    if (state_.exchange(kFree, std::memory_order_release) == kAwaited) state_.notify_one();
  }

 private:
  static constexpr std::uint32_t kFree = 0;
  static constexpr std::uint32_t kHeld = 1;
  static constexpr std::uint32_t kAwaited = 2;  ///< held, and another thread may sleep

  void wait() noexcept;

  std::atomic<std::uint32_t> state_{kFree};
};

}  // namespace headgate::limit
