#include "headgate/core/frame_pool.hpp"

#include <array>
#include <new>

namespace headgate::frame_pool {
namespace {

constexpr std::size_t kStep = 64;
constexpr std::size_t kSizes = 64;    // frames below 4 KiB
constexpr std::size_t kMaxKept = 64;  // maximum number of kept frames of one size

struct Spare {
  Spare* next;
};

struct Lists {
  std::array<Spare*, kSizes> first{};
  std::array<std::size_t, kSizes> kept{};
};

// Without a destructor, so that no access has to look whether it is made yet.
constinit thread_local Lists lists;

/// Frees the lists when their thread ends; made with the first frame.
struct Keeper {
  Keeper() = default;
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;
  ~Keeper() {
    for (std::size_t size = 0; size < kSizes; ++size) {
      lists.kept[size] = kMaxKept;  // whatever is freed from here on goes to the system
      while (lists.first[size]) {
        auto* const spare = lists.first[size];
        lists.first[size] = spare->next;
        ::operator delete(spare);
      }
    }
  }
  void keep() const noexcept {}
};

thread_local const Keeper keeper;

}  // namespace

// With AddressSanitizer each frame is its own allocation. Else it would miss the use of a freed frame.
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
  keeper.keep();
  return ::operator new(size* kStep);
}

void give_back(void* frame, std::size_t bytes) noexcept {
  const std::size_t size = (bytes + kStep - 1) / kStep;
  if (size >= kSizes) return ::operator delete(frame);
  if (lists.kept[size] == kMaxKept) return ::operator delete(frame);
  lists.first[size] = new (frame) Spare{lists.first[size]};
  ++lists.kept[size];
}
#endif

}  // namespace headgate::frame_pool
