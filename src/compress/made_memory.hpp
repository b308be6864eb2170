#pragma once
// Counts the memory that a library allocates.

#include <cstddef>
#include <cstdlib>
#include <new>

namespace headgate::compress {

/// The memory of one encoder. The library keeps a pointer to this object.
class MadeMemory {
 public:
  MadeMemory() = default;
  MadeMemory(const MadeMemory&) = delete;
  MadeMemory& operator=(const MadeMemory&) = delete;

  /// Allocates memory; null if there is none.
  void* make(std::size_t bytes) noexcept {
    auto* const head = static_cast<Head*>(std::malloc(sizeof(Head) + bytes));
    if (head == nullptr) return nullptr;
    ::new (head) Head{bytes};
    bytes_ += bytes;
    return head + 1;
  }
  void free(void* memory) noexcept {
    if (memory == nullptr) return;
    auto* const head = static_cast<Head*>(memory) - 1;
    bytes_ -= head->bytes;
    std::free(head);
  }
  std::size_t bytes() const noexcept { return bytes_; }

 private:
  struct alignas(std::max_align_t) Head {
    std::size_t bytes;
  };
  std::size_t bytes_ = 0;
};

}  // namespace headgate::compress
