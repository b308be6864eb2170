#include "spin_mutex.hpp"

namespace headgate::limit {
namespace {

constexpr int kLooks = 64;      // about a microsecond including the pauses, which is longer than many critical sections
constexpr int kMaxPauses = 16;  // pauses between two attempts, so that the holder keeps the cache line

void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

void SpinMutex::wait() noexcept {
  int pauses = 1;
  for (int look = 0; look < kLooks; ++look) {
    for (int i = 0; i < pauses; ++i) pause();
    if (pauses < kMaxPauses) pauses *= 2;
    if (state_.load(std::memory_order_relaxed) == kFree && try_lock()) return;
  }
  // The holder has probably lost its core, so this thread sleeps. The state is kAwaited from now on, even while this
  // thread holds the lock, because other threads may sleep as well.
  while (state_.exchange(kAwaited, std::memory_order_acquire) != kFree)
    state_.wait(kAwaited, std::memory_order_relaxed);
}

}  // namespace headgate::limit
