#pragma once
// A lock for sections of some ten nanoseconds. Used by MemoryStore.

#include <atomic>
#include <cstdint>

namespace headgate::limit {

/// A mutex that looks for about a microsecond before it sleeps: std::mutex sleeps at once, and waking up costs a
/// hundred times what is done under this one. Like std::mutex it keeps no queue, so a caller may be overtaken; it is
/// not starved, because who wants the lock again has to win it anew. Any thread.
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
  static constexpr std::uint32_t kAwaited = 2;  ///< held, and somebody may be asleep

  void wait() noexcept;

  std::atomic<std::uint32_t> state_{kFree};
};

}  // namespace headgate::limit
