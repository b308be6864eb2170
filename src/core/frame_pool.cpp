#include "headgate/core/frame_pool.hpp"

#include <array>
#include <new>

namespace headgate::frame_pool {
namespace {

constexpr std::size_t kStep = 64;
constexpr std::size_t kSizes = 64;     // frames up to 4 KiB
constexpr std::size_t kMostKept = 64;  // of one size

struct Spare {
  Spare* next;
};

struct Lists {
  std::array<Spare*, kSizes> first{};
  std::array<std::size_t, kSizes> kept{};

  Lists() = default;
  Lists(const Lists&) = delete;
  Lists& operator=(const Lists&) = delete;
  ~Lists() {
    for (std::size_t size = 0; size < kSizes; ++size) {
      kept[size] = kMostKept;  // whatever is freed from here on goes to the system
      while (first[size]) {
        auto* const spare = first[size];
        first[size] = spare->next;
        ::operator delete(spare);
      }
    }
  }
};

thread_local Lists lists;

}  // namespace

// Under AddressSanitizer each frame is its own allocation, or the use of a dead one would go unseen.
#if defined(__SANITIZE_ADDRESS__)
void* take(std::size_t bytes) { return ::operator new(bytes); }
void give_back(void* frame, std::size_t) noexcept { ::operator delete(frame); }
#else
void* take(std::size_t bytes) {
  const std::size_t size = (bytes + kStep - 1) / kStep;
  if (size >= kSizes) return ::operator new(bytes);
  if (auto* const spare = lists.first[size]) {
    lists.first[size] = spare->next;
    --lists.kept[size];
    return spare;
  }
  return ::operator new(size* kStep);
}

void give_back(void* frame, std::size_t bytes) noexcept {
  const std::size_t size = (bytes + kStep - 1) / kStep;
  if (size >= kSizes) return ::operator delete(frame);
  if (lists.kept[size] == kMostKept) return ::operator delete(frame);
  lists.first[size] = new (frame) Spare{lists.first[size]};
  ++lists.kept[size];
}
#endif

}  // namespace headgate::frame_pool
