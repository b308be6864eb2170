#pragma once
// Memory for coroutine frames. Each thread keeps freed frames for the next frame of the same size. A proxied request
// creates about twelve frames; with malloc they took 3 % of its CPU time (measured), because most are larger than
// malloc's thread cache accepts. Taking and returning are inline, so that the size of a frame is a constant. This saves
// 200 instructions per request. Used by Task, upstream and session.

#include "headgate/core/sanitized.hpp"

#include <array>
#include <cstddef>
#include <new>

namespace headgate::frame_pool {

inline constexpr std::size_t kStep = 64;   ///< bytes between one size of kept frames and the next
inline constexpr std::size_t kSizes = 64;  ///< frames below 4 KiB are kept
/// Maximum number of bytes of kept frames of one size: enough for the concurrent streams of a few HTTP/2 connections.
inline constexpr std::size_t kMaxKept = 512UL * 1024;

/// The kept frames of a thread.
struct Lists {
  struct Spare {
    Spare* next;
  };
  std::array<Spare*, kSizes> first{};
  std::array<std::size_t, kSizes> kept{};  ///< bytes of kept frames, by size
};

// The lists have no destructor, so that no access has to check whether they are constructed.
extern constinit thread_local Lists lists;

/// Allocates memory for a frame from the system, because no freed frame of this size is kept.
void* take_new(std::size_t bytes);

// With AddressSanitizer each frame is an allocation of its own, because the sanitizer would otherwise miss the use of a
// freed frame.
inline constexpr bool kKeeps = !kAddressSanitized;

/// Works like operator new. A frame must be freed on the thread that made it.
inline void* take(std::size_t bytes) {
  const std::size_t size = (bytes + kStep - 1) / kStep;
  if (kKeeps && size < kSizes) {
    if (auto* const spare = lists.first[size]) {
      lists.first[size] = spare->next;
      lists.kept[size] -= size * kStep;
      return spare;
    }
  }
  return take_new(bytes);
}

inline void give_back(void* frame, std::size_t bytes) noexcept {
  const std::size_t size = (bytes + kStep - 1) / kStep;
  if (!kKeeps || size >= kSizes || lists.kept[size] >= kMaxKept) return ::operator delete(frame);
  lists.first[size] = new (frame) Lists::Spare{lists.first[size]};
  lists.kept[size] += size * kStep;
}

/// A base class of promises whose coroutine frames come from this pool. It is also useful for objects that live about
/// as long as a frame.
struct Pooled {
  static void* operator new(std::size_t bytes) { return take(bytes); }
  static void operator delete(void* frame, std::size_t bytes) noexcept { give_back(frame, bytes); }
};

}  // namespace headgate::frame_pool
