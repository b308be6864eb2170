#include "headgate/core/frame_pool.hpp"

namespace headgate::frame_pool {

constinit thread_local Lists lists;

namespace {

/// Frees the lists when their thread ends; created with the first frame.
struct Keeper {
  Keeper() = default;
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;
  ~Keeper() {
    for (std::size_t size = 0; size < kSizes; ++size) {
      lists.kept[size] = kMaxKept;  // all frames that are freed from here on are returned to the system
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

void* take_new(std::size_t bytes) {
  const std::size_t size = (bytes + kStep - 1) / kStep;
  if (!kKeeps || size >= kSizes) return ::operator new(bytes);
  keeper.keep();
  return ::operator new(size* kStep);
}

}  // namespace headgate::frame_pool
