#include "spin_mutex.hpp"

namespace headgate::limit {
namespace {

constexpr int kLooks = 64;       // with the pauses between them about a microsecond: many sections of the other
constexpr int kMostPauses = 16;  // between two looks, so that the holder keeps its line

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
    if (pauses < kMostPauses) pauses *= 2;
    if (state_.load(std::memory_order_relaxed) == kFree && try_lock()) return;
  }
  // The holder has lost its core. From here on the state says that somebody sleeps, also while this one holds it:
  // another may still sleep then.
  while (state_.exchange(kAwaited, std::memory_order_acquire) != kFree)
    state_.wait(kAwaited, std::memory_order_relaxed);
}

}  // namespace headgate::limit
